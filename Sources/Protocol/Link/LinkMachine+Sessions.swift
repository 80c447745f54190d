import LatchkeyModel

/// The life of a session from the end of its handshake. Spec: Protocol/04-session.md §4 to §7.
extension LinkMachine {
  // MARK: Inputs from connections

  /// Adds a session after a call from the peer that was answered with a key of 32 bytes; returns
  /// its number, or `nil` if the connection is not needed.
  public mutating func accepted(_ ends: SessionEnds, pairwiseKey: [UInt8], now: BootInstant) -> Int? {
    self.now = now
    guard !isEnded else { return nil }
    let number = newSession(LinkSession(ends: ends, isOurs: false, pairwiseKey: pairwiseKey, offeredKey: nil, now: now))
    roster.accepted(number)
    settle()
    return number
  }

  /// Adds a session after the handshake of a call to the peer, and returns its number; `nil` if the
  /// connection is not needed.
  ///
  /// `pairwiseKey` is the key with which the peer answered, 32 bytes. `offeredKey` is the key of an
  /// incomplete pairing that the call offered.
  public mutating func opened(
    call: Int, _ ends: SessionEnds, pairwiseKey: [UInt8], offeredKey: [UInt8]?, now: BootInstant
  ) -> Int? {
    self.now = now
    defer { settle() }
    guard dialler.authenticated(call), !isEnded, !hasStreamsInDoubt else { return nil }
    if let endpoint = SocketEndpoint(ends.remote) { failedAddresses.remove(endpoint) }
    // This session, whose peer has just proved its identity, replaces the silent one.
    if let silent = replaceable { abort(silent) }
    let number = newSession(
      LinkSession(ends: ends, isOurs: true, pairwiseKey: pairwiseKey, offeredKey: offeredKey, now: now))
    // The peer may have called during our handshake.
    guard roster.dialled(number) else {
      sessions[number] = nil
      return nil
    }
    effects.append(.proven(number))
    sendHello(number)
    return number
  }

  public func wantsFrames(_ number: Int) -> Bool { sessions[number]?.wantsFrames ?? false }
  public func holds(_ number: Int) -> Bool { sessions[number] != nil }

  /// Handles a frame that was decrypted.
  public mutating func received(_ batch: SessionBatch, on number: Int, now: BootInstant) {
    self.now = now
    take(batch, number)
    settle()
  }

  /// Handles a frame that could not be decrypted.
  public mutating func faulted(_ number: Int, _ fault: SessionFault, now: BootInstant) {
    self.now = now
    accuse(number, fault)
    settle()
  }

  public mutating func connectionEnded(_ number: Int, now: BootInstant) {
    self.now = now
    detach(number)
    settle()
  }

  /// Records that a connection has no room for more data at present.
  public mutating func filled(_ number: Int) { sessions[number]?.isFull = true }

  /// Records that a connection has room for more data again.
  public mutating func drained(_ number: Int, now: BootInstant) {
    self.now = now
    sessions[number]?.isFull = false
    settle()
  }

  // MARK: Batches

  private mutating func take(_ batch: SessionBatch, _ number: Int) {
    guard var session = sessions[number] else { return }
    do throws(SessionFault) { try session.rules.received(batch, now: now) } catch { return accuse(number, error) }
    sessions[number] = session
    guard let hello = batch.hello else { return process(batch, number) }
    var rest = batch
    rest.hello = nil
    // The Hello is compared with the numbers that were assigned before it arrived. An item that
    // gets its number during the check is not the peer's item with that number.
    sessions[number]?.phase = .judging(hello, rest: rest, ahead: outbox.exceeded(by: hello))
    effects.append(.judge(number, hello))
  }

  /// Handles the content of a batch other than its Hello.
  mutating func process(_ batch: SessionBatch, _ number: Int) {
    if let goodbye = batch.goodbye { return received(goodbye, number) }
    do throws(SessionFault) {
      guard current == number else { throw SessionFault.violation("data before the session is open") }
      if let ping = batch.ping { send(SessionBatch(pong: ping), on: number) }
      for position in batch.stored {
        if case .forget(let position)? = try outbox.received(stored: position) { forget(position) }
      }
      // A removed device may get the notice of its removal, but its data is not accepted.
      guard standing.state != .removedUntold else { return try hearRemoval(batch.runs) }
      // One answer for each class, however many runs there are, so that a peer cannot make much
      // larger answers queue up here.
      var known: [StreamClass: StreamPosition] = [:]
      for run in batch.runs {
        try settings.verify(run)
        if let position = try inbox.received(run, prepare: settings.prepare) { known[position.streamClass] = position }
      }
      if !known.isEmpty { send(SessionBatch(stored: known.keys.sorted().compactMap { known[$0] }), on: number) }
      if let reach = batch.reach { received(reach, number) }
      if let labels = batch.labels { notes.labels = labels }
    } catch { accuse(number, error) }
  }

  private mutating func received(_ goodbye: Goodbye, _ number: Int) {
    effects.append(.tell(.goodbye(goodbye)))
    switch goodbye {
    // Confirms the removal in case the peer's acknowledgement of it was lost.
    case .removed: if standing.state == .removedUntold { endRemoval(.taken) }
    case .duplicateIdentity: turnedAway()
    case .version: failed(.version)
    case .protocolError: outbox.peerObjected()
    case .shuttingDown, .duplicate, .renew: break
    }
    effects.append(.close(number))
    detach(number)
  }

  /// Ends a session because of the other side's fault.
  mutating func accuse(_ number: Int, _ fault: SessionFault) {
    guard sessions[number] != nil else { return }
    effects.append(.tell(.fault(fault, on: number)))
    failed(.fault(fault))
    switch fault {
    case .refused(.duplicateIdentity):
      turnedAway()
      close(number, nil)
    case .authentication: close(number, nil)
    case .version, .refused(.version): close(number, .version)
    case .refused: close(number, nil)
    case .ownKey, .violation: close(number, .protocolError)
    }
  }

  private mutating func turnedAway() {
    failed(.turnedAway)
    effects.append(.tell(.turnedAway))
  }

  // MARK: Sending and ending

  /// Sends a batch in a session, and rotates the key of this direction if that is due.
  package mutating func send(_ batch: SessionBatch, on number: Int) {
    guard var session = sessions[number] else { return }
    var batch = batch
    if session.rules.sealing(now: now) {
      batch.rekey = true
      session.rules.rekeyed(now: now)
    }
    sessions[number] = session
    effects.append(.send(batch, on: number))
  }

  package mutating func close(_ number: Int, _ goodbye: Goodbye?) {
    guard sessions[number] != nil else { return }
    if let goodbye { send(SessionBatch(goodbye: goodbye), on: number) }
    effects.append(.close(number))
    detach(number, isDuplicate: goodbye == .duplicate)
  }

  package mutating func abort(_ number: Int) {
    guard sessions[number] != nil else { return }
    effects.append(.abort(number))
    detach(number)
  }

  /// Removes a session; items on their way in it have to be sent again.
  private mutating func detach(_ number: Int, isDuplicate: Bool = false) {
    guard let session = sessions.removeValue(forKey: number) else { return }
    let (wasCurrent, wasOfUse) = roster.ended(number)
    if wasCurrent {
      sessionEnded()
      outbox.sessionClosed()
      inbox.sessionClosed()
      // Positions that the peer reported stay queued as notes: the outbox does not ask again.
      notes.sessionEnded()
      effects.append(.tell(.ended))
    }
    if wasOfUse {
      dialler.sessionEnded(
        after: now - session.openedAt, isOurs: session.isOurs, isDuplicate: isDuplicate, crowd: surroundings.crowd,
        now: now)
    }
  }
}

/// The link's timers. Spec: Protocol/04-session.md §5, §7.
extension LinkMachine {
  /// The time at which `timerFired` should be called next; `nil` if no timer is set.
  public var nextTimer: BootInstant? {
    var next = dialler.nextTimer
    for (number, session) in sessions {
      var due = session.rules.nextTimer
      if number == current { due = min(due, session.reconcileAt) }
      next = next.map { min($0, due) } ?? due
    }
    return next
  }

  /// Acts on the timers that are due.
  ///
  /// Afterwards, `nextTimer` is `nil` or later than `now`.
  public mutating func timerFired(now: BootInstant) {
    self.now = now
    for number in sessions.keys.sorted() { timerFired(number) }
    dialler.timerFired(crowd: surroundings.crowd, now: now)
    settle()
  }

  private mutating func timerFired(_ number: Int) {
    guard var session = sessions[number] else { return }
    let effect = session.rules.timerFired(now: now)
    let isToReconcile = number == current && now >= session.reconcileAt
    if isToReconcile { session.reconcileAt = now + LinkSession.reconcileMilliseconds }
    sessions[number] = session
    if isToReconcile {
      isLoadHeld = false
      repeatStored(number)
    }
    switch effect {
    // A side sends nothing before its own Hello.
    case .ping(let count): if number == current { send(SessionBatch(ping: count), on: number) }
    case .dead:
      failed(.unheard)
      abort(number)
    case .renew: close(number, .renew)
    // The dialler notices by itself that the session may be replaced.
    case .callBeside, nil: break
    }
  }
}
