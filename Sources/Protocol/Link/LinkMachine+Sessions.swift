import LatchkeyModel

/// Sessions from the end of their handshake to their own end. Spec: Protocol/04-session.md §4 to §7.
extension LinkMachine {
  // MARK: What the connections say

  /// The peer has called, and the handshake is over. Returns the session's number; nil when the connection is of no use.
  ///
  /// - Parameter pairwiseKey: the key that the call was answered with, 32 bytes.
  public mutating func accepted(_ ends: SessionEnds, pairwiseKey: [UInt8], now: BootInstant) -> Int? {
    self.now = now
    guard !isEnded else { return nil }
    let number = newSession(
      LinkSession(ends: ends, isOurs: false, pairwiseKey: pairwiseKey, offeredKey: nil, now: now))
    roster.accepted(number)
    settle()
    return number
  }

  /// A call has reached the peer, and the handshake is over. Returns the session's number; nil when the connection is of no use.
  ///
  /// - Parameters:
  ///   - pairwiseKey: the key that the peer answered with, 32 bytes.
  ///   - offeredKey: that of a half-made pairing that the call offered.
  public mutating func opened(
    call: Int, _ ends: SessionEnds, pairwiseKey: [UInt8], offeredKey: [UInt8]?, now: BootInstant
  ) -> Int? {
    self.now = now
    defer { settle() }
    guard dialler.authenticated(call), !isEnded, !hasStreamsInDoubt else { return nil }
    if let endpoint = SocketEndpoint(ends.remote) { failedAddresses.remove(endpoint) }
    // A session that shows no sign of life makes way for one that was proved just now.
    if let silent = replaceable { abort(silent) }
    let number = newSession(
      LinkSession(ends: ends, isOurs: true, pairwiseKey: pairwiseKey, offeredKey: offeredKey, now: now))
    // The peer may have called in while our handshake was on its way.
    guard roster.dialled(number) else {
      sessions[number] = nil
      return nil
    }
    effects.append(.proven(number))
    sendHello(number)
    return number
  }

  /// Whether the next frame of a session may be taken.
  public func wantsFrames(_ number: Int) -> Bool { sessions[number]?.wantsFrames ?? false }

  /// Whether a session is held on to.
  public func holds(_ number: Int) -> Bool { sessions[number] != nil }

  /// A frame was opened.
  public mutating func received(_ batch: SessionBatch, on number: Int, now: BootInstant) {
    self.now = now
    take(batch, number)
    settle()
  }

  /// A frame could not be opened.
  public mutating func faulted(_ number: Int, _ fault: SessionFault, now: BootInstant) {
    self.now = now
    accuse(number, fault)
    settle()
  }

  /// A connection has ended.
  public mutating func connectionEnded(_ number: Int, now: BootInstant) {
    self.now = now
    detach(number)
    settle()
  }

  /// A connection takes no more for the moment.
  public mutating func filled(_ number: Int) {
    sessions[number]?.isFull = true
  }

  /// A connection takes more again.
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
    // An item that gets its number while the disk looks is not what the peer has under that number.
    sessions[number]?.phase = .judging(hello, rest: rest, ahead: outbox.exceeded(by: hello))
    effects.append(.judge(number, hello))
  }

  /// Takes what a batch holds beside a Hello.
  mutating func process(_ batch: SessionBatch, _ number: Int) {
    if let goodbye = batch.goodbye { return received(goodbye, number) }
    do throws(SessionFault) {
      guard current == number else { throw SessionFault.violation("data before the session is open") }
      if let ping = batch.ping { send(SessionBatch(pong: ping), on: number) }
      for position in batch.stored {
        if case .forget(let position)? = try outbox.received(stored: position) { forget(position) }
      }
      // A removed device may hear that it is one; what it has to say is not taken.
      guard standing.state != .removedUntold else { return try hearRemoval(batch.runs) }
      // One answer for each class, however many runs there are: what a peer sends must not make much more wait for it here.
      var known: [StreamClass: StreamPosition] = [:]
      for run in batch.runs {
        try settings.verify(run)
        if let position = try inbox.received(run) { known[position.streamClass] = position }
      }
      if !known.isEmpty { send(SessionBatch(stored: known.keys.sorted().compactMap { known[$0] }), on: number) }
      if let reach = batch.reach { received(reach, number) }
    } catch { accuse(number, error) }
  }

  private mutating func received(_ goodbye: Goodbye, _ number: Int) {
    effects.append(.tell(.goodbye(goodbye)))
    switch goodbye {
    // Its word that it knows, should the one that it stored the removal be lost.
    case .removed: if standing.state == .removedUntold { knowsOfRemoval() }
    case .duplicateIdentity: turnedAway()
    case .version: failed(.version)
    case .protocolError: outbox.peerObjected()
    case .shuttingDown, .duplicate, .renew: break
    }
    effects.append(.close(number))
    detach(number)
  }

  /// Ends a session because of what the other side did.
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

  /// Says something in a session; its direction's key changes after it when that is due.
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

  /// Ends a session with a word to the peer.
  package mutating func close(_ number: Int, _ goodbye: Goodbye?) {
    guard sessions[number] != nil else { return }
    if let goodbye { send(SessionBatch(goodbye: goodbye), on: number) }
    effects.append(.close(number))
    detach(number, isDuplicate: goodbye == .duplicate)
  }

  /// Ends a session at once.
  package mutating func abort(_ number: Int) {
    guard sessions[number] != nil else { return }
    effects.append(.abort(number))
    detach(number)
  }

  /// A session is over: what was on its way in it has to be sent again.
  private mutating func detach(_ number: Int, isDuplicate: Bool = false) {
    guard let session = sessions.removeValue(forKey: number) else { return }
    let (wasCurrent, wasOfUse) = roster.ended(number)
    if wasCurrent {
      sessionEnded()
      outbox.sessionClosed()
      inbox.sessionClosed()
      // What the peer has stored stays to be noted: the outbox counts on it and does not ask again.
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
