import LatchkeyModel

/// The streams of items in both directions. Spec: Protocol/05-delivery.md §3 to §8.
extension LinkMachine {
  /// The last number of each class that was sent in the open session.
  public var sentThrough: [StreamClass: UInt64] { outbox.sentThrough }

  /// The number of items that wait or are on their way, in both directions.
  public var waiting: UInt64 { outbox.waiting + inbox.behind }

  public func inFlight(_ streamClass: StreamClass) -> Int { outbox.inFlight(streamClass) }

  // MARK: Out

  /// Requests the next items to send, unless none wait or the window or the connection is full.
  mutating func loadNext() {
    guard !isLoadHeld, let current, let session = sessions[current], !session.isFull, !isOfNewPairing(session),
      let load = outbox.nextLoad()
    else { return }
    effects.append(.load(load))
  }

  /// Sends the items that were read for a load, which have consecutive numbers.
  public mutating func loaded(_ load: OutboxMachine.Load, _ items: [DeliveryItem], now: BootInstant) {
    self.now = now
    if let run = outbox.loaded(load, items), let current {
      send(run, on: current)
    } else if outbox.isPresent(load) {
      // Another load would give the same: the database may hold another stream than expected.
      isLoadHeld = true
      lookAtStreams(isAnew: true)
    }
    settle()
  }

  /// Returns whether everything up to a number was sent in the open session, so that its commit is
  /// no news.
  public func hasSent(_ streamClass: StreamClass, epoch: UInt64, through last: UInt64) -> Bool {
    outbox.hasSent(streamClass, epoch: epoch, through: last)
  }

  /// Sends items that were just made durable, unless others go first or there is no room for them;
  /// returns whether some were sent.
  mutating func send(_ streamClass: StreamClass, epoch: UInt64, _ items: [DeliveryItem]) -> Bool {
    guard !items.isEmpty, !hasStreamsInDoubt, let current, let session = sessions[current], !session.isFull,
      !isOfNewPairing(session), let run = outbox.handed(streamClass, epoch: epoch, items)
    else { return false }
    send(run, on: current)
    return true
  }

  private mutating func send(_ run: ItemRun, on number: Int) {
    for part in run.parts(of: settings.batchBytes) { send(SessionBatch(runs: [part]), on: number) }
    noteRemovalSent(run, number)
  }

  public mutating func loadFailed(_ load: OutboxMachine.Load, _ fault: LinkFault, now: BootInstant) {
    self.now = now
    if load.session == outbox.session, let current { fail(current, fault) }
    settle()
  }

  /// Records that the peer has stored everything up to a position, and continues sending.
  package mutating func forget(_ position: StreamPosition) {
    notes.forget(position)
    isLoadHeld = false
    effects.append(.tell(.stored(position)))
    moved()
  }

  // MARK: In

  /// Commits the runs received so far, after a pending restart: the receipts that it may queue
  /// would otherwise get numbers that the peer already uses.
  mutating func commitNext() {
    guard notes.restarts.isEmpty, !notes.isRestarting, let runs = inbox.nextCommit() else { return }
    // The runs were received in the current session.
    committingKey = current.flatMap { sessions[$0]?.pairwiseKey }
    effects.append(.commit(runs, sessionKey: committingKey))
  }

  /// Reports runs as stored, now that they are durable and their keys are known here.
  ///
  /// `wasRemoved` says whether one of them contains the peer's removal of this device.
  public mutating func committed(_ runs: [ItemRun], wasRemoved: Bool, now: BootInstant) {
    self.now = now
    streamsTouched()
    let stored = inbox.committed(runs)
    // Also sent in a session that began since: the peer may have sent these items again in it, and
    // nothing else acknowledges them.
    if let current, !stored.isEmpty { send(SessionBatch(stored: stored), on: current) }
    if let current, inbox.hasOutrunHello { close(current, .renew) }
    moved()
    readStreamsThatWaited()
    if wasRemoved { wasRemovedByPeer() }
    settle()
  }

  /// Ends the session that delivered a removal with an acknowledgement; a session of a new pairing
  /// continues in a link of its own.
  private mutating func wasRemovedByPeer() {
    effects.append(.tell(.removed))
    for (number, session) in sessions.sorted(by: { $0.key < $1.key }) {
      close(number, session.pairwiseKey == committingKey ? .removed : .renew)
    }
    end(now: now)
  }

  /// Ends the session after a commit failed in whole or in part, so that the peer sends the runs
  /// again.
  ///
  /// The next Hello states the durable `part`. It shows the peer whether it was restored.
  public mutating func commitFailed(_ fault: LinkFault, inForce part: [ItemRun] = [], now: BootInstant) {
    self.now = now
    if !part.isEmpty {
      streamsTouched()
      _ = inbox.committed(part)
    }
    inbox.commitFailed()
    // The commit may be an earlier session's. The items that the current session received were
    // discarded, too.
    if let current { fail(current, fault) } else { failed(.disk(fault.text)) }
    readStreamsThatWaited()
    settle()
  }

  /// Repeats the stored positions, in case a message was lost.
  mutating func repeatStored(_ number: Int) {
    let stored = inbox.statement
    if !stored.isEmpty { send(SessionBatch(stored: stored), on: number) }
  }

  /// Ends a session because of a disk failure; nothing was acknowledged.
  mutating func fail(_ number: Int, _ fault: LinkFault) {
    failed(.disk(fault.text))
    abort(number)
  }

  // MARK: Streams that are replaced

  /// A Boolean value that indicates whether a pairing or a removal may have changed the streams
  /// since they were read.
  var hasStreamsInDoubt: Bool {
    switch streamLook {
    case .none, .reading(isAnew: false, _): false
    case .reading(isAnew: true, _), .waiting, .failed: true
    }
  }

  /// Reads the streams again: to find items that another transaction queued or, with `isAnew`,
  /// because streams may have been closed and new ones begun.
  mutating func lookAtStreams(isAnew: Bool) {
    switch streamLook {
    case .none:
      streamLook = .reading(isAnew: isAnew, again: false)
      effects.append(.readStreams)
    case .reading(let wasAnew, _): streamLook = .reading(isAnew: wasAnew || isAnew, again: true)
    case .waiting: break
    case .failed:
      streamLook = .reading(isAnew: true, again: false)
      effects.append(.readStreams)
    }
  }

  /// Takes over the streams as the database held them at one moment after the request.
  public mutating func streamsRead(_ streams: LinkStreams, now: BootInstant) {
    self.now = now
    guard case .reading(let isAnew, let again) = streamLook else { return }
    if again {
      streamLook = .reading(isAnew: isAnew, again: false)
      effects.append(.readStreams)
    } else {
      streamLook = .none
      let before = outbox.positions
      if isAnew, !outbox.agrees(with: streams.outbox) || !inbox.agrees(with: streams.inbox) { replace(with: streams) }
      if streamLook == .none {
        for (streamClass, position) in streams.outbox {
          outbox.committed(streamClass, epoch: position.epoch, last: position.last)
        }
        if outbox.positions != before { isLoadHeld = false }
        noteWhetherRemovalIsTaken()
        greetJudged()
      }
    }
    settle()
  }

  /// Handles a failed read of the streams; if they are in doubt, new sessions wait for the next
  /// attempt.
  public mutating func streamsUnread(now: BootInstant) {
    self.now = now
    guard case .reading(let isAnew, _) = streamLook else { return }
    streamLook = isAnew ? .failed : .none
    settle()
  }

  private mutating func replace(with streams: LinkStreams) {
    // A session that relies on the closed streams ends. One with a removed device continues, since
    // the removal is sent in it.
    if standing.state != .removedUntold {
      for number in [current, attempt].compactMap(\.self) { close(number, .renew) }
      // This is not a failure: the next session is wanted at once.
      dialler.signOfLife(crowd: surroundings.crowd, now: now)
    }
    // Operations on the old streams finish first, since they change what was read.
    guard !inbox.isCommitting, !notes.isAboutStreams else {
      streamLook = .waiting
      return
    }
    if current == nil {
      outbox = OutboxMachine(streams.outbox)
      inbox = InboxMachine(streams.inbox, held: streams.held)
    } else {
      let known = outbox.positions
      for (streamClass, position) in streams.outbox where known[streamClass]?.epoch != position.epoch {
        outbox.restarted(streamClass, position)
      }
      outbox.drop(allBut: Set(streams.outbox.keys))
      // Nothing is accepted from a removed device, and a new pairing begins new streams.
      inbox = InboxMachine([])
    }
    notes.streamsReplaced()
  }

  /// Requests another read, since the one under way may not include this change.
  mutating func streamsTouched() {
    if case .reading(let isAnew, _) = streamLook { streamLook = .reading(isAnew: isAnew, again: true) }
  }

  mutating func readStreamsThatWaited() {
    guard streamLook == .waiting, !inbox.isCommitting, !notes.isAboutStreams else { return }
    streamLook = .reading(isAnew: true, again: false)
    effects.append(.readStreams)
  }
}
