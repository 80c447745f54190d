import LatchkeyModel

/// What flows in both directions. Spec: Protocol/05-delivery.md §3 to §8.
extension LinkMachine {
  /// The last number of each class that was sent in the session that is open.
  public var sentThrough: [StreamClass: UInt64] { outbox.sentThrough }

  /// Items that wait or are on their way, in both directions.
  public var waiting: UInt64 { outbox.waiting + inbox.behind }

  /// Items of a class that are on their way.
  public func inFlight(_ streamClass: StreamClass) -> Int { outbox.inFlight(streamClass) }

  // MARK: Out

  /// Asks for what may be sent, unless nothing waits or the window or the connection is full.
  mutating func loadNext() {
    guard !isLoadHeld, let current, let session = sessions[current], !session.isFull, !isOfNewPairing(session),
      let load = outbox.nextLoad()
    else { return }
    effects.append(.load(load))
  }

  /// The disk's answer to a load: items in a row.
  public mutating func loaded(_ load: OutboxMachine.Load, _ items: [DeliveryItem], now: BootInstant) {
    self.now = now
    if let run = outbox.loaded(load, items), let current {
      for part in run.parts(of: settings.batchBytes) { send(SessionBatch(runs: [part]), on: current) }
      noteRemovalSent(run, current)
    } else if outbox.isPresent(load) {
      // The same again would give the same: the disk may hold another stream than is counted on here.
      isLoadHeld = true
      lookAtStreams(isAnew: true)
    }
    settle()
  }

  public mutating func loadFailed(_ load: OutboxMachine.Load, _ fault: LinkFault, now: BootInstant) {
    self.now = now
    if load.session == outbox.session, let current { fail(current, fault) }
    settle()
  }

  /// The peer has stored everything up to a position: that is noted, and more may be sent.
  package mutating func forget(_ position: StreamPosition) {
    notes.forget(position)
    isLoadHeld = false
    effects.append(.tell(.stored(position)))
    moved()
  }

  // MARK: In

  /// Has gathered runs committed. What comes in may be answered in a stream that has to begin anew: a receipt would get a number
  /// that the peer holds. So that comes first.
  mutating func commitNext() {
    guard notes.restarts.isEmpty, !notes.isRestarting, let runs = inbox.nextCommit() else { return }
    // What was gathered is the present session's.
    committingKey = current.flatMap { sessions[$0]?.pairwiseKey }
    effects.append(.commit(runs, sessionKey: committingKey))
  }

  /// Runs are in force, durably; keys among them are known here by now.
  ///
  /// - Parameter wasRemoved: whether the peer has removed this device with one of them.
  public mutating func committed(_ runs: [ItemRun], wasRemoved: Bool, now: BootInstant) {
    self.now = now
    streamsTouched()
    let stored = inbox.committed(runs)
    // Also in a session that has begun meanwhile: what it brought again is in force by now, and nothing else says so.
    if let current, !stored.isEmpty { send(SessionBatch(stored: stored), on: current) }
    if let current, inbox.hasOutrunHello { close(current, .renew) }
    moved()
    readStreamsThatWaited()
    if wasRemoved { wasRemovedByPeer() }
    settle()
  }

  /// The session that brought a removal ends with the word that it is known; one of a new pairing goes on with a link of its own.
  private mutating func wasRemovedByPeer() {
    effects.append(.tell(.removed))
    for (number, session) in sessions.sorted(by: { $0.key < $1.key }) {
      close(number, session.pairwiseKey == committingKey ? .removed : .renew)
    }
    end(now: now)
  }

  /// The runs of a commit are not in force, or a part of them alone: the session ends, and they come again in the next.
  ///
  /// - Parameter part: What is in force of them. The next Hello states it, so that the peer notices if it was set back.
  public mutating func commitFailed(_ fault: LinkFault, inForce part: [ItemRun] = [], now: BootInstant) {
    self.now = now
    if !part.isEmpty {
      streamsTouched()
      _ = inbox.committed(part)
    }
    inbox.commitFailed()
    // The commit may have been one of the session before: what the present one has brought meanwhile was forgotten with it.
    if let current { fail(current, fault) } else { failed(.disk(fault.text)) }
    readStreamsThatWaited()
    settle()
  }

  /// Says again what is stored here, in case anything was missed.
  mutating func repeatStored(_ number: Int) {
    let stored = inbox.statement
    if !stored.isEmpty { send(SessionBatch(stored: stored), on: number) }
  }

  /// The disk could not do its part: nothing was acknowledged; the session ends.
  mutating func fail(_ number: Int, _ fault: LinkFault) {
    failed(.disk(fault.text))
    abort(number)
  }

  // MARK: Streams that others take the place of

  /// Whether a pairing or a removal may have changed the streams since they were read.
  var hasStreamsInDoubt: Bool {
    switch streamLook {
    case .none, .reading(isAnew: false, _): false
    case .reading(isAnew: true, _), .waiting, .failed: true
    }
  }

  /// Reads the streams: for items that were made durable in the transaction of something else, and (`isAnew`) since streams may
  /// have been closed and others begun.
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

  /// The streams in both directions, as the disk held them at one moment after it was asked.
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
        greetJudged()
      }
    }
    settle()
  }

  /// The disk did not answer; sessions wait for that if the streams are in doubt.
  public mutating func streamsUnread(now: BootInstant) {
    self.now = now
    guard case .reading(let isAnew, _) = streamLook else { return }
    streamLook = isAnew ? .failed : .none
    settle()
  }

  private mutating func replace(with streams: LinkStreams) {
    // A session that counts on the closed streams makes way. One with a removed device goes on: the removal is told in it.
    if standing.state != .removedUntold {
      for number in [current, attempt].compactMap(\.self) { close(number, .renew) }
      // No fault of anybody's: the next session is wanted at once.
      dialler.signOfLife(crowd: surroundings.crowd, now: now)
    }
    // What the disk does for the streams as they were ends first: what was read is older than that.
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
      // Nothing of a removed device is taken any more, and a new pairing begins new streams.
      inbox = InboxMachine([])
    }
    notes.streamsReplaced()
  }

  /// What is being read of the streams may have been read before what was done now.
  mutating func streamsTouched() {
    if case .reading(let isAnew, _) = streamLook { streamLook = .reading(isAnew: isAnew, again: true) }
  }

  mutating func readStreamsThatWaited() {
    guard streamLook == .waiting, !inbox.isCommitting, !notes.isAboutStreams else { return }
    streamLook = .reading(isAnew: true, again: false)
    effects.append(.readStreams)
  }
}
