import LatchkeyModel

/// What has to be noted durably beside the items, and what follows from that.
extension LinkMachine {
  /// Milliseconds between two notes that both sides are in step.
  private static let inStepMilliseconds: Int64 = 60_000

  mutating func noteNext() {
    if hasMoved, waiting == 0, current != nil, notedInStep.map({ now - $0 > Self.inStepMilliseconds }) ?? true {
      (notedInStep, hasMoved) = (now, false)
      notes.isInStep = true
    }
    let (standing, role) = (standing, settings.role)
    let isInStep = outbox.waiting == 0
    guard let note = notes.next(proof: { Self.proof($0, standing, role) }, isInStep: isInStep) else { return }
    switch note {
    case .restart(let streamClass, let cause): effects.append(.tell(.restarting(streamClass, cause)))
    case .opened(_, _, isInStep: true): (notedInStep, notes.isInStep, hasMoved) = (now, false, false)
    default: break
    }
    effects.append(.note(note))
  }

  /// What a session proves of a pairing that waits for its other half. Spec: Protocol/03-pairing.md §5, 04-session.md §9.
  private static func proof(
    _ sighting: LinkSighting, _ standing: PeerStanding, _ role: DeviceRole
  ) -> LinkSighting.Proof {
    guard let pending = standing.pendingKey else { return .nothing }
    if pending == sighting.pairwiseKey { return .completes }
    // Answered with the key in force although the new one was offered, as nobody does who still waits for the other half of a
    // pairing, or has made it final. A call from before that pairing says nothing of it.
    return sighting.offeredKey == pending && role == .child ? .refutes : .nothing
  }

  /// The note under way is durable; what it changed of the peer was told with `changed` by now.
  public mutating func noted(_ answer: LinkNoteAnswer, now: BootInstant) {
    self.now = now
    if notes.isAboutStreams { streamsTouched() }
    guard let note = notes.noted() else { return }
    switch (note, answer) {
    case (.forget(let position), .stored(let hasNewKeys)):
      // What was stored of a control stream from before the removal says nothing of the removal.
      if position.streamClass == .control, standing.state == .removedUntold, isWholeControl(position) {
        endRemoval(.taken)
      }
      // A new session is made with the new key; nothing is lost by the change.
      if hasNewKeys, let current, sessions[current]?.pairwiseKey != standing.keys.present { close(current, .renew) }
    case (.restart(let streamClass, _), .restarted(let position)):
      outbox.restarted(streamClass, position)
      isLoadHeld = false
    case (.removalSent, .count(let sessions)):
      standing.removalSessions = sessions
      standing.removalSilences = 0
    case (.removalMetSilence, .count(let silences)):
      standing.removalSilences = silences
      // Whoever was sent its removal and says nothing since has taken it.
      if standing.removalSessions > 0, silences >= Limits.removalSilences { endRemoval(.silent) }
    default: break
    }
    readStreamsThatWaited()
    settle()
  }

  /// The note under way is not durable.
  public mutating func noteFailed(_ fault: LinkFault, now: BootInstant) {
    self.now = now
    let hasWeight = notes.failed(isOfDisk: fault.isOfDisk, hasSession: current != nil)
    // What the peer has stored it has stored: that this is not written down here ends no session. It waits for the disk.
    if !fault.isOfDisk, hasWeight, let current { fail(current, fault) }
    readStreamsThatWaited()
    settle()
  }

  // MARK: Removal

  /// Whether to call: not a device in quarantine, nor one that was removed and has answered every call with silence.
  var isWorthCalling: Bool {
    guard !standing.isQuarantined || standing.pendingKey != nil else { return false }
    return standing.state != .removedUntold || standing.removalSessions > 0
      || standing.removalSilences < Limits.removalCalls
  }

  /// Whether a session is of a new pairing with a removed device, which the disk has not taken yet: the removal, which ends
  /// the pairing before, is not for it.
  func isOfNewPairing(_ session: LinkSession) -> Bool {
    standing.state == .removedUntold && standing.pendingKey == session.pairwiseKey
  }

  /// Whether a new session with a removed device is one too many: it was sent its removal often enough, and is not being paired
  /// anew.
  var hasHeardEnough: Bool {
    standing.state == .removedUntold && standing.pendingKey == nil
      && standing.removalSessions >= Limits.removalSessions
  }

  /// A run was sent in a session: note the first of a removal.
  mutating func noteRemovalSent(_ run: ItemRun, _ number: Int) {
    guard standing.state == .removedUntold, run.streamClass == .control, removalSession != number else { return }
    removalSession = number
    notes.hasSentRemoval = true
  }

  /// Both have removed each other: neither has to be told any more.
  mutating func hearRemoval(_ runs: [ItemRun]) throws(SessionFault) {
    for run in runs where run.streamClass == .control && run.items.contains(where: { $0.kind == .removal }) {
      try settings.verify(run)
      knowsOfRemoval()
    }
  }

  mutating func knowsOfRemoval() {
    guard let control = outbox.statement.first(where: { $0.streamClass == .control }) else { return }
    notes.forget(control)
  }

  /// The peer knows that it is removed, or counts as knowing. Nothing while a new pairing with it is under way, which decides
  /// what becomes of it.
  mutating func endRemoval(_ end: RemovalEnd) {
    if standing.pendingKey == nil { notes.endRemoval(end) }
  }

  /// Whether a position covers all of the control stream as it is now.
  private func isWholeControl(_ position: StreamPosition) -> Bool {
    outbox.statement.contains {
      $0.streamClass == .control && $0.epoch == position.epoch && $0.through <= position.through
    }
  }
}
