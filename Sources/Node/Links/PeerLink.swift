import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// One paired device: keeps a session with it, and moves what waits in both directions.
///
/// Decisions are the machines' of LatchkeyProtocol; this actor runs their effects. Spec: Protocol/04-session.md, 05-delivery.md.
actor PeerLink {
  nonisolated let peer: DeviceID
  nonisolated let key: LinkPublicKey
  let context: NodeContext
  let directory: LinkDirectory
  var logger: Logger

  var record: PeerRecord
  var outbox: OutboxMachine
  var inbox: InboxMachine
  var sessions: [Int: LinkSession] = [:]
  private var nextSession = 0
  var roster: SessionRoster
  var pendingForget: [StreamClass: StreamPosition] = [:]
  /// Streams that have to begin anew.
  var restarts: [(StreamClass, RestartCause)] = []
  /// A Boolean value that indicates whether a stream is being given a new epoch. A second restart waits for it: the two answers
  /// of the store could come in either order, and the machine would go on with an epoch that is not the stream's.
  var isRestartUnderWay = false
  /// Counts looks at the streams in the database; the last one counts.
  var lastLook = 0
  /// Streams that the peer holds and that this machine knows nothing of, until that is noted.
  var unknownHere: [StreamPosition]?
  /// Sessions that were opened and are not noted yet: the address if we dialled.
  var sightings: [Sighting] = []
  var savedSynced: Int64?

  var pace = DialPace()
  /// Something happened that is worth a new try, or a session has begun or ended.
  let wake = ChangeSignal()
  /// Something happened that is worth a new try, or there will be none.
  let life = ChangeSignal()
  var discovered: [String: [SocketEndpoint]] = [:]
  /// Its instances, the newest last.
  var discoveredOrder: [String] = []
  /// Where the peer says that it can be called.
  var told: [SocketEndpoint]
  /// What is remembered of addresses, the last success first.
  var remembered: [RememberedAddress] = []
  /// Sessions that were up in this run and have ended.
  var endedSessions: UInt64 = 0
  /// The calls that are under way.
  var race: DialRace<SocketEndpoint>?
  /// The call that won the last race, counted among those of one `dial`.
  var winningCall: Int?
  /// The call whose session is kept.
  var servingCall: Int?
  /// The network has changed under them.
  var isRaceVoid = false
  /// Addresses have come to light, or the calls are of no use any more.
  nonisolated let raceNews = ChangeSignal()
  /// The session beside which the last calls were made, if there was one.
  var calledBeside: Int?
  /// Races in a row that nobody won.
  var lostRaces = 0
  /// Tries that failed, by address, since this node started; at most `Limits.addresses`.
  var failedTries: [SocketEndpoint: FailedTry] = [:]
  var lastError: String?
  var nextTry: BootInstant?
  var lastSynced: Int64?
  /// When the last session ended of those that were up in this run; the database holds when the last one began.
  var lastSeen: Int64?
  var syncTotal: UInt64 = 0
  var isDialling = false
  var isEnded = false
  /// Tells whether two live machines use the peer's keys.
  var watch = CloneWatch()
  /// The key that the peer's Hello named, until it has been looked at.
  var answeringKeyID: [UInt8]?
  /// The session in which a removal was sent last.
  var removalSession: Int?
  /// The peer has reported items stored.
  nonisolated let stored = ChangeSignal()
  /// Number of the last item of each class that the peer reported stored since this node started.
  private(set) var storedThrough: [StreamClass: UInt64] = [:]

  init(
    context: NodeContext, directory: LinkDirectory, record: PeerRecord, key: LinkPublicKey,
    outbox: [StreamClass: OutboxPosition], inbox: [StreamPosition], held: [HeldItem]
  ) {
    self.context = context
    self.directory = directory
    self.record = record
    self.key = key
    self.outbox = OutboxMachine(outbox)
    self.inbox = InboxMachine(inbox, held: held)
    told = record.told.compactMap { SocketEndpoint($0) }
    peer = record.device.deviceID
    roster = SessionRoster(own: context.own, peer: peer)
    lastSynced = record.device.lastSyncedAt
    logger = context.logger
    logger[metadataKey: "peer"] = "\(record.device.name)"
  }

  /// The session that both sides have said Hello in.
  var current: Int? { roster.current }
  /// The session that we dialled and said Hello in, while the answer is on its way.
  var attempt: Int? { roster.attempt }

  /// The database has changed what is known of the peer.
  func refresh(_ record: PeerRecord) async {
    let isAnew =
      record.sessionKey != self.record.sessionKey || record.state != self.record.state || record.state != .active
    // Whoever is trusted anew has to be caught anew.
    if self.record.quarantinedAt != nil, record.quarantinedAt == nil { watch = CloneWatch() }
    self.record = record
    logger[metadataKey: "peer"] = "\(record.device.name)"
    if isAnew { await beginAnew() }
    await takeNews()
    // A session from before a new pairing makes way for one with its key.
    if let current, let key = sessions[current]?.pairwiseKey, isOfThePast(key) { close(current, .renew) }
    signOfLife()
  }

  /// Whether a session's key is from before a new pairing, which is final here.
  func isOfThePast(_ key: [UInt8]) -> Bool {
    record.pendingKey == nil && record.state == .active && !record.callingKeys.contains(key)
  }

  /// Streams may have been closed, and others begun, with a pairing or a removal: go on with what the database holds then.
  func beginAnew() async {
    while !isEnded {
      lastLook += 1
      let (look, before) = (lastLook, current)
      guard let outbox = try? await context.store.outboxPositions(peer),
        let inbox = try? await context.store.inboxPositions(peer),
        let held = try? await context.store.heldItems(peer)
      else { return }
      // A later look has seen more.
      guard look == lastLook else { return }
      if self.outbox.agrees(with: outbox), self.inbox.agrees(with: inbox) { return }
      // A session that counts on the closed streams makes way; what it did last may be newer than what was read, also if it has
      // ended by itself meanwhile.
      guard current != nil || before != nil else {
        self.outbox = OutboxMachine(outbox)
        self.inbox = InboxMachine(inbox, held: held)
        return
      }
      if let current { close(current, .renew) }
    }
  }

  /// The peer is not paired any more.
  func end() {
    isEnded = true
    if let current { close(current, .removed) }
    if let attempt { close(attempt, .removed) }
    wake.notify()
    life.notify()
  }

  /// The node stops: say so and close.
  func shutDown() {
    isEnded = true
    for number in sessions.keys { close(number, .shuttingDown) }
    wake.notify()
    life.notify()
  }

  /// Look for items that were made durable without a word to this link, in the transaction of something else.
  func takeNews() async {
    var positions: [StreamClass: OutboxPosition]
    var look: Int
    repeat {
      look = lastLook
      guard let held = try? await context.store.outboxPositions(peer) else { return }
      positions = held
      // Streams may have been closed since: what was read of them would bring them back.
    } while look != lastLook
    for (streamClass, position) in positions {
      outbox.committed(streamClass, epoch: position.epoch, last: position.last)
    }
    signalOutbox()
  }

  /// The peer is forgotten: not a word to it.
  func vanish() {
    isEnded = true
    for number in sessions.keys {
      sessions[number]?.connection.abort()
      detach(number)
    }
    wake.notify()
    life.notify()
  }

  /// Items were made durable for the peer.
  func committed(_ change: OutboxChange) {
    outbox.committed(change.streamClass, epoch: change.epoch, last: change.last)
    // Where sessions fall apart (a full disk), one more item does not mend them.
    if current == nil { if !pace.hasFallenApart { signOfLife() } } else { noteSync() }
    signalOutbox()
  }

  /// Whatever shows that a try is worth while: back-off begins anew.
  func signOfLife() {
    pace.signOfLife()
    life.notify()
    wake.notify()
  }

  func newSession(_ session: LinkSession) -> Int {
    nextSession += 1
    sessions[nextSession] = session
    return nextSession
  }

  func signalOutbox() {
    if let current { sessions[current]?.outboxWork.yield() }
  }

  /// End a session with a word to the peer.
  func close(_ number: Int, _ goodbye: Goodbye?) {
    guard sessions[number] != nil else { return }
    if let goodbye { send(SessionBatch(goodbye: goodbye), number) }
    sessions[number]?.connection.close()
    detach(number)
  }

  /// A session is over: what was on its way has to be sent again.
  func detach(_ number: Int) {
    let (wasCurrent, wasOfUse) = roster.ended(number)
    if wasOfUse, let opened = sessions[number]?.openedAt {
      pace.sessionEnded(after: context.now() - opened)
      if !pace.hasFallenApart { life.notify() }
    }
    if wasCurrent {
      endedSessions += 1
      outbox.sessionClosed()
      inbox.sessionClosed()
      // What the peer has stored stays to be noted: the outbox counts on it and does not ask again.
      restarts = []
      unknownHere = nil
      logger.info("session ended")
      lastSeen = context.wall()
      context.members.set(peer, isConnected: current != nil)
      context.changes.notify()
      context.syncChanges.notify()
    }
    wake.notify()
  }

  /// Seal a batch and send it; a session that cannot seal is closed.
  func send(_ batch: SessionBatch, _ number: Int) {
    guard var session = sessions[number] else { return }
    do {
      let frame = try session.machine.seal(batch, now: context.now())
      sessions[number] = session
      session.connection.send(frame)
    } catch {
      logger.error("a batch could not be sealed", metadata: ["reason": "\(error)"])
      session.connection.abort()
    }
  }

  func noteStored(_ position: StreamPosition) {
    storedThrough[position.streamClass] = position.through
    stored.notify()
  }
}
