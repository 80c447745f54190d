import LatchkeyModel
import LatchkeyProtocol

/// One paired device of a node, as `PeerLink` runs it: the machines are the ones of production, and what runs their effects
/// does so in the same steps, each of which may be the last before a crash.
final class SimulatedLink {
  unowned let node: SimulatedNode
  let peer: DeviceID
  var record: ModelPeer
  var outbox: OutboxMachine
  var inbox: InboxMachine
  var roster: SessionRoster
  var sessions: [Int: SimulatedSession] = [:]
  private var nextSession = 0
  var pendingForget: [StreamClass: StreamPosition] = [:]
  var restarts: [(StreamClass, RestartCause)] = []
  var isRestartUnderWay = false
  /// Counts looks at the streams on the disk; the last one counts.
  var lastLook = 0
  /// Sessions that were opened and are not noted yet: the key, and that of a half-made pairing that our call offered.
  var sightings: [(key: [UInt8], offered: [UInt8]?)] = []
  var pace = DialPace()
  var watch = CloneWatch()
  var answeringKeyID: [UInt8]?
  var removalSession: Int?
  /// Sessions that were up in this run and have ended.
  private(set) var endedSessions: UInt64 = 0
  /// Where the peer says that it can be called.
  var told: Int? { didSet { node.remembered[peer] = (proven, told) } }
  /// Where mDNS saw the peer last.
  var announced: Int?
  /// Where a session was opened last.
  var proven: Int? { didSet { node.remembered[peer] = (proven, told) } }
  var isDialling = false
  /// A call beside a session that we dialled is under way.
  var isCallingBeside = false
  /// The session beside which the last call was made, if there was one.
  var calledBeside: Int?
  /// The network has changed under the call that is under way: it is of no use any more.
  var abandonCall: (() -> Void)?
  var isEnded = false
  /// Something happened that is worth a new try, or a session has begun or ended.
  private(set) lazy var wake = SimulatedSignal(node)
  /// Something happened that is worth a new try, or there will be none.
  private(set) lazy var life = SimulatedSignal(node)

  var simulation: Simulation { node.simulation }
  var current: Int? { roster.current }
  var attempt: Int? { roster.attempt }
  /// The connection of the present session.
  var connection: Connection? { current.flatMap { sessions[$0]?.port.connection } }
  var name: String { "\(node.name)→\(simulation.name(peer))" }

  init(
    _ node: SimulatedNode, _ record: ModelPeer, outbox: [StreamClass: OutboxPosition], inbox: [StreamPosition],
    held: [HeldItem]
  ) {
    self.node = node
    self.record = record
    peer = record.device
    self.outbox = OutboxMachine(outbox)
    self.inbox = InboxMachine(inbox, held: held)
    roster = SessionRoster(own: node.device, peer: record.device)
    (proven, told) = node.remembered[record.device] ?? (nil, nil)
  }

  // MARK: What the node tells

  /// The disk has changed what is known of the peer.
  func refresh(_ record: ModelPeer, then: @escaping () -> Void) {
    let isAnew =
      record.sessionKey != self.record.sessionKey || record.state != self.record.state || record.state != .active
    if self.record.isQuarantined, !record.isQuarantined { watch = CloneWatch() }
    self.record = record
    let goOn = { [self] in takeNews { [self] in refreshed(record, then) } }
    if isAnew { beginAnew(then: goOn) } else { goOn() }
  }

  /// Streams may have been closed, and others begun, with a pairing or a removal.
  func beginAnew(then: @escaping () -> Void) {
    guard !isEnded, simulation.fault != .keepClosedStreams else { return then() }
    let device = peer
    lastLook += 1
    let (look, before) = (lastLook, current)
    node.disk.read {
      $0.outboxPositions(device)
    } then: { [self] outbox in
      node.disk.read {
        $0.inboxPositions(device)
      } then: { [self] inbox in
        node.disk.read {
          $0.heldItems(device)
        } then: { [self] held in
          guard look == lastLook else { return then() }
          if self.outbox.agrees(with: outbox), self.inbox.agrees(with: inbox) { return then() }
          guard current != nil || before != nil else {
            self.outbox = OutboxMachine(outbox)
            self.inbox = InboxMachine(inbox, held: held)
            return then()
          }
          if let current { close(current, .renew) }
          beginAnew(then: then)
        }
      }
    }
  }

  private func refreshed(_ record: ModelPeer, _ then: () -> Void) {
    if let current, let key = sessions[current]?.pairwiseKey, isOfThePast(key) { close(current, .renew) }
    signOfLife()
    then()
  }

  /// Whether a session's key is from before a new pairing, which is final here.
  func isOfThePast(_ key: [UInt8]) -> Bool {
    record.pendingKey == nil && record.state == .active && !record.callingKeys.contains(key)
  }

  func takeNews(then: @escaping () -> Void) {
    let (device, look) = (peer, lastLook)
    node.disk.read {
      $0.outboxPositions(device)
    } then: { [self] positions in
      // Streams may have been closed since: what was read of them would bring them back.
      guard look == lastLook else { return takeNews(then: then) }
      for streamClass in positions.keys.sorted() {
        guard let position = positions[streamClass] else { continue }
        outbox.committed(streamClass, epoch: position.epoch, last: position.last)
      }
      signalOutbox()
      then()
    }
  }

  /// The peer is not paired any more.
  func end() {
    simulation.note(15, "\(name) ends")
    isEnded = true
    if let current { close(current, .removed) }
    if let attempt { close(attempt, .removed) }
    wake.notify()
    life.notify()
  }

  /// The peer is forgotten: not a word to it.
  func vanish() {
    isEnded = true
    for number in sessions.keys.sorted() {
      sessions[number]?.port.abort()
      detach(number)
    }
    wake.notify()
    life.notify()
  }

  /// The process is gone: nothing is done, and nothing is held.
  func vanishWithProcess() {
    isEnded = true
    wake.forget()
    life.forget()
    sessions = [:]
  }

  /// Items were made durable for the peer.
  func committed(_ change: ModelChange) {
    outbox.committed(change.streamClass, epoch: change.epoch, last: change.last)
    if current == nil, !pace.hasFallenApart { signOfLife() }
    signalOutbox()
  }

  /// Whatever shows that a try is worth while.
  func signOfLife() {
    if simulation.fault != .keepBackoff {
      pace.signOfLife()
      life.notify()
    }
    wake.notify()
  }

  /// The disk is well again: finish what waited for that.
  func diskRecovered() {
    if let current, let session = sessions[current] {
      signal(session, \.forgetPump) { [self] in pumpForget(session, $0) }
    }
    signOfLife()
  }

  // MARK: Sessions

  func newSession(_ make: (Int) -> SimulatedSession) -> SimulatedSession {
    nextSession += 1
    let session = make(nextSession)
    sessions[nextSession] = session
    return session
  }

  func signalOutbox() {
    if let current, let session = sessions[current] { signal(session, \.outboxPump) { self.pumpOutbox(session, $0) } }
  }

  /// End a session with a word to the peer.
  func close(_ number: Int, _ goodbye: Goodbye?) {
    guard let session = sessions[number] else { return }
    if let goodbye { send(SessionBatch(goodbye: goodbye), session) }
    session.port.close()
    detach(number)
  }

  /// A session is over: what was on its way has to be sent again.
  func detach(_ number: Int) {
    let (wasCurrent, wasOfUse) = roster.ended(number)
    if wasOfUse, let opened = sessions[number]?.openedAt {
      pace.sessionEnded(after: node.now - opened)
      if !pace.hasFallenApart { life.notify() }
    }
    if wasCurrent {
      simulation.note(10, "\(name) session \(number) ended")
      endedSessions += 1
      outbox.sessionClosed()
      if simulation.fault == .keepReceivedAtNewSession { loseGathered() } else { inbox.sessionClosed() }
      if simulation.fault == .forgetPendingAtEnd { pendingForget = [:] }
      restarts = []
    }
    wake.notify()
  }

  /// Let go of what waits for a commit, and count it as received all the same: nothing but a deliberate fault.
  func loseGathered() {
    if inbox.nextCommit() != nil { _ = inbox.committed([]) }
  }

  /// Seal a batch and send it; a session that cannot seal is closed.
  func send(_ batch: SessionBatch, _ session: SimulatedSession) {
    guard sessions[session.number] === session else { return }
    simulation.oracle.sends(self, batch)
    do {
      session.port.send(try session.seal(batch, now: node.now))
    } catch {
      simulation.fail("\(name) could not seal: \(error)")
      session.port.abort()
    }
  }

  /// Wake a pump; one that runs looks again when it is through.
  func signal(
    _ session: SimulatedSession, _ pump: ReferenceWritableKeyPath<SimulatedSession, SimulatedSession.Pump>,
    _ run: @escaping (@escaping () -> Void) -> Void
  ) {
    guard !session.isEnding else { return }
    guard !session[keyPath: pump].isRunning else {
      session[keyPath: pump].isSignalled = true
      return
    }
    session[keyPath: pump] = SimulatedSession.Pump(isRunning: true)
    node.act(after: 1) { [self] in
      run { [self] in
        session[keyPath: pump].isRunning = false
        if session.isEnding { return finish(session) }
        if session[keyPath: pump].isSignalled { signal(session, pump, run) }
      }
    }
  }

  /// The disk refused: nothing was acknowledged; end the session.
  func failed(_ number: Int) {
    sessions[number]?.port.abort()
    detach(number)
  }
}
