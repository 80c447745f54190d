import LatchkeyModel

/// The notes that a link stores in addition to the items, and their consequences.
extension LinkMachine {
  /// The shortest time between two notes that both sides are in step, in milliseconds.
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

  /// Returns what a session proves about a pairing that only one side has completed so far
  /// (Protocol/03-pairing.md §5, 04-session.md §9).
  private static func proof(
    _ sighting: LinkSighting, _ standing: PeerStanding, _ role: DeviceRole
  ) -> LinkSighting.Proof {
    guard let pending = standing.pendingKey else { return .nothing }
    if pending == sighting.pairwiseKey { return .completes }
    // The peer answered with the present key although it was offered the new one. A peer that has
    // completed the pairing, or still waits for it, would not do so. A call from before that
    // pairing proves nothing about it.
    return sighting.offeredKey == pending && role == .child ? .refutes : .nothing
  }

  /// Handles the result of the note under way; changes to the peer have been passed to `changed` by
  /// now.
  public mutating func noted(_ answer: LinkNoteAnswer, now: BootInstant) {
    self.now = now
    if notes.isAboutStreams { streamsTouched() }
    guard let note = notes.noted() else { return }
    switch (note, answer) {
    case (.forget(let position), .stored(let hasNewKeys)):
      if position.streamClass == .control { controlStored = position }
      noteWhetherRemovalIsTaken()
      // The next session uses the new key. Changing sessions loses nothing.
      if hasNewKeys, let current, sessions[current]?.pairwiseKey != standing.keys.present { close(current, .renew) }
    case (.restart(let streamClass, _), .restarted(let position)):
      outbox.restarted(streamClass, position)
      isLoadHeld = false
    case (.removalSent, .count(let sessions)):
      standing.removalSessions = sessions
      standing.removalSilences = 0
    case (.removalMetSilence, .count(let silences)):
      standing.removalSilences = silences
      // A peer that was sent its removal and has been silent since is assumed to know of it.
      if standing.removalSessions > 0, silences >= Limits.removalSilences { endRemoval(.silent) }
    default: break
    }
    readStreamsThatWaited()
    settle()
  }

  public mutating func noteFailed(_ fault: LinkFault, now: BootInstant) {
    self.now = now
    let hasWeight = notes.failed(isOfDisk: fault.isOfDisk, hasSession: current != nil)
    // A failure of the disk ends no session: the note waits, and the peer has stored the items.
    if !fault.isOfDisk, hasWeight, let current { fail(current, fault) }
    readStreamsThatWaited()
    settle()
  }

  // MARK: Removal

  /// A Boolean value that indicates whether to call the peer: not if it is in quarantine, or was
  /// removed and has answered every call with silence.
  var isWorthCalling: Bool {
    guard !standing.isQuarantined || standing.pendingKey != nil else { return false }
    return standing.state != .removedUntold || standing.removalSessions > 0
      || standing.removalSilences < Limits.removalCalls
  }

  /// Returns whether a session belongs to a new, unstored pairing with a removed device; the
  /// removal, which ends the earlier pairing, must not be sent in it.
  func isOfNewPairing(_ session: LinkSession) -> Bool {
    standing.state == .removedUntold && standing.pendingKey == session.pairwiseKey
  }

  /// A Boolean value that indicates whether the removed peer was sent its removal often enough and
  /// is not being paired again.
  var hasHeardEnough: Bool {
    standing.state == .removedUntold && standing.pendingKey == nil && standing.removalSessions >= Limits.removalSessions
  }

  /// Records that a run was sent if it is the first with a removal in this session.
  mutating func noteRemovalSent(_ run: ItemRun, _ number: Int) {
    guard standing.state == .removedUntold, run.streamClass == .control, removalSession != number else { return }
    removalSession = number
    notes.hasSentRemoval = true
  }

  /// Looks for the peer's own removal of this device; if both removed each other, neither needs to
  /// be told.
  mutating func hearRemoval(_ runs: [ItemRun]) throws(SessionFault) {
    for run in runs where run.streamClass == .control && run.items.contains(where: { $0.kind == .removal }) {
      try settings.verify(run)
      endRemoval(.taken)
    }
  }

  /// Stores that the peer knows of its removal, or is assumed to; does nothing while a new pairing
  /// is under way, since its outcome decides.
  mutating func endRemoval(_ end: RemovalEnd) { if standing.pendingKey == nil { notes.endRemoval(end) } }

  /// Ends the removal if the peer has stored the whole control stream that the removal began.
  ///
  /// A position in a control stream from before the removal does not concern the removal. Until the
  /// new streams have been read, the machine cannot tell the two apart.
  mutating func noteWhetherRemovalIsTaken() {
    guard standing.state == .removedUntold, !hasStreamsInDoubt, let position = controlStored else { return }
    let isTaken = outbox.statement.contains {
      $0.streamClass == .control && $0.epoch == position.epoch && $0.through <= position.through
    }
    if isTaken { endRemoval(.taken) }
  }
}
