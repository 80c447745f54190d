import LatchkeyModel

/// The decision whether a session is kept after its Hello, and the first exchange in it. Spec:
/// Protocol/04-session.md §4, §6, §9, §10.
extension LinkMachine {
  /// Continues a session after the database has checked its Hello; in the classes `foreign`, the
  /// peer has another item under a number that this machine assigned.
  public mutating func judged(_ number: Int, foreign: Set<StreamClass>, now: BootInstant) {
    self.now = now
    guard case .judging(let hello, let rest, let ahead)? = sessions[number]?.phase else { return }
    sessions[number]?.phase = .judged(hello, rest: rest, foreign: foreign.union(ahead))
    if sessions[number]?.isOurs == false { effects.append(.proven(number)) }
    // A call from the peer is also a sign of life.
    if streamLook == .failed { lookAtStreams(isAnew: true) }
    greetJudged()
    settle()
  }

  /// Ends a session whose Hello could not be checked; the next session tries again.
  public mutating func judgeFailed(_ number: Int, _ fault: LinkFault, now: BootInstant) {
    self.now = now
    fail(number, fault)
    settle()
  }

  /// Continues the sessions whose Hello was checked, unless the streams are being read again.
  mutating func greetJudged() {
    guard !hasStreamsInDoubt else { return }
    for number in sessions.keys.sorted() {
      guard case .judged(let hello, let rest, let foreign)? = sessions[number]?.phase else { continue }
      greet(number, hello, foreign)
      guard sessions[number] != nil else { continue }
      process(rest, number)
      if sessions[number] != nil { effects.append(.read(number)) }
    }
  }

  /// Decides whether to keep this session or the other one.
  private mutating func greet(_ number: Int, _ hello: Hello, _ foreign: Set<StreamClass>) {
    guard let session = sessions[number] else { return }
    // Completing a pending pairing lifts a quarantine.
    let isAnew = standing.pendingKey == session.pairwiseKey
    if !standing.isQuarantined, !isAnew, standing.state == .active, watch.received(hello.runID, now: now) {
      quarantine(number)
    }
    guard !standing.isQuarantined || isAnew else { return turnAway(number) }
    if hasHeardEnough {
      endRemoval(.sentOften)
      return close(number, .removed)
    }
    // The handshake began before a new pairing was made final, so the session uses an outdated key.
    guard !standing.isOfThePast(session.pairwiseKey) else { return close(number, .renew) }
    switch roster.greeted(number, runID: hello.runID, ended: hello.endedSessions) {
    case .gone: return close(number, nil)
    case .giveWay: return close(number, .duplicate)
    case .keep(let other):
      if let other {
        effects.append(.tell(.kept(number, insteadOf: other)))
        close(other, .duplicate)
      }
    }
    roster.keep(number)
    sessions[number]?.phase = .up
    if !session.isOurs { sendHello(number) }
    install(number, hello, session, foreign)
  }

  private mutating func install(_ number: Int, _ hello: Hello, _ session: LinkSession, _ foreign: Set<StreamClass>) {
    effects.append(.tell(.opened(number, hello)))
    trouble = nil
    isLoadHeld = false
    if standing.keys.previous != nil { notes.keyNamed = hello.keyID }
    inbox.sessionOpened(hello)
    // A stream that this machine does not know cannot be restarted, but people need to know of it.
    let known = Set(outbox.statement.map(\.streamClass))
    let unknown = hello.incoming.filter { $0.through > 0 && !known.contains($0.streamClass) }
    let isPaired = standing.state == .active || standing.pendingKey == session.pairwiseKey
    notes.unknownHere = unknown.isEmpty || !isPaired ? nil : unknown
    for effect in outbox.sessionOpened(hello, foreign: foreign, pairwiseKey: session.pairwiseKey) {
      switch effect {
      case .forget(let position): forget(position)
      case .restart(let streamClass, let cause): notes.restarts.append((streamClass, cause))
      }
    }
    syncTotal = 0
    moved()
    notes.opened(
      LinkSighting(
        address: session.isOurs ? session.ends.remote : nil, pairwiseKey: session.pairwiseKey,
        offeredKey: session.offeredKey))
    sendReach(number)
    sendLabels(number)
    // Our Hello stated less than is stored here now.
    if inbox.hasOutrunHello { close(number, .renew) }
  }

  mutating func sendHello(_ number: Int, refusal: Hello.Refusal? = nil) {
    let hello = Hello(
      runID: settings.runID, name: settings.name, role: settings.role, refusal: refusal,
      windowItems: settings.windowItems, windowBytes: settings.windowBytes, outgoing: outbox.statement,
      incoming: inbox.statement, held: inbox.held, keyID: keyID, endedSessions: endedSessions,
      devices: UInt32(clamping: surroundings.devices))
    send(SessionBatch(hello: hello), on: number)
  }

  // MARK: Two live machines with one key

  /// Puts the peer into quarantine until a person has decided, because two live processes use its
  /// identity.
  private mutating func quarantine(_ number: Int) {
    // Set here, so that no data flows even if the database refuses the note.
    standing.isQuarantined = true
    trouble = nil
    effects.append(.tell(.quarantined))
    for other in sessions.keys.sorted() where other != number { close(other, .duplicateIdentity) }
    notes.isToQuarantine = true
  }

  /// Refuses a device that is in quarantine, and states the reason.
  private mutating func turnAway(_ number: Int) {
    guard sessions[number]?.isOurs == false else { return close(number, .duplicateIdentity) }
    sendHello(number, refusal: .duplicateIdentity)
    close(number, nil)
  }
}
