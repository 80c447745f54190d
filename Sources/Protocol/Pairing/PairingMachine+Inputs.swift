import LatchkeyModel

/// The inputs from the person, the store and sessions that both sides have.
extension PairingMachine {
  /// The time that the other machine has for its next frame, in milliseconds.
  public var patience: Int64 {
    guard case .attempt(let attempt) = phase else { return Limits.pairingStepMilliseconds }
    switch attempt.stage {
    case .meeting, .counting, .storing, .promoting: return Limits.pairingStepMilliseconds
    // A person is being asked, here or at the inviter.
    case .asking, .agreed: return Int64(Limits.pairingMinutes.most) * 60_000
    // The joiner's person may be asked as well; afterwards, the pending pairing is rolled back.
    case .awaitingLastWord: return isInviter ? Limits.pairingCommitMilliseconds : Limits.pairingStepMilliseconds
    }
  }

  /// Answers the question `asked` for the person.
  public mutating func answered(_ accepts: Bool) -> [Effect] {
    guard case .attempt(var attempt) = phase, case .asking(let question) = attempt.stage else { return [] }
    guard accepts else { return requestedEnd(.refused) }
    let effects = attempt.machine.requestedAccept()
    attempt.stage = .agreed(question)
    return follow(effects, attempt)
  }

  /// Ends the pairing, for a person, because the code has expired, or because the disk refused.
  ///
  /// Once the other machine may have completed the pairing, only a person's request counts, and it
  /// takes effect after completion.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [Effect] {
    let isPerson = outcome == .cancelled
    switch phase {
    case .waiting: return forget(outcome) + end(outcome, wasLeftHere: isPerson)
    case .attempt(var attempt) where !attempt.machine.isPastReturn:
      var effects = attempt.machine.requestedEnd(outcome)
      // A wrong guess is answered, although its count does not matter any more.
      if isInviter, case .counting(let rest) = attempt.stage { effects = rest }
      // This has also discarded the device that is pending by now.
      if case .awaitingLastWord = attempt.stage { open?.half = nil }
      return parting(effects, attempt.line) + forget(outcome)
        + end(outcome, attempt.stage.question, wasLeftHere: isPerson)
    case .attempt, .completing:
      if isPerson { isTakenBack = true }
      return []
    case .inDoubt(let completion):
      if isPerson { isTakenBack = true }
      return takeBack(completion)
    case .undoing, .ended: return []
    }
  }

  /// Discards the device that an earlier attempt left pending if a person cancelled the code.
  private func forget(_ outcome: PairingOutcome) -> [Effect] {
    outcome == .cancelled ? open?.half.map { [.discard($0)] } ?? [] : []
  }

  /// Continues after the wrong guess or the run was counted.
  public mutating func counted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .counting(let rest) = attempt.stage else { return [] }
    attempt.stage = .meeting
    return follow(rest, attempt)
  }

  /// Continues after the peer of an attempt was stored as pending.
  ///
  /// From here on, the inviter may complete the pairing.
  public mutating func stored(wasPaired: Bool, in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .storing(let question, let peer) = attempt.stage else { return [] }
    let effects = attempt.machine.stored()
    let completion = PairingCompletion(question: question, peer: peer, wasPaired: wasPaired)
    attempt.stage = .awaitingLastWord(completion)
    // The store keeps one pending device for each code, so an earlier one is gone.
    open?.half = completion.device
    return follow(effects, attempt)
  }

  /// Ends the pairing because the store refused the pending peer.
  public mutating func notStored(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .storing = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Continues after the peer became active and, on the inviter, the code was used up, durably.
  public mutating func promoted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    let last = attempt.machine.promoted()
    // The joiner waits for the last message. Everything after it concerns this machine only.
    return parting(last, attempt.line) + complete(completion)
  }

  /// Informs the rest of this node of the active device.
  mutating func complete(_ completion: PairingCompletion) -> [Effect] {
    (phase, open) = (.completing(completion), nil)
    return [.welcome(completion.peer)]
  }

  /// Handles a pending peer that was rolled back in the meantime or that the store refused to
  /// activate.
  ///
  /// An inviter's code stays open. The joiner receives no message and rolls back as well, unless a
  /// session with the new key completes the pairing.
  public mutating func notPromoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    let close = [Effect.close(attempt.line)]
    guard isInviter else { return close + end(.network, completion.question) }
    guard !isTakenBack else { return close + [.discard(completion.device)] + end(.cancelled, completion.question) }
    wait(after: .network)
    return close
  }

  /// Ends the pairing after this node has done everything that a new device requires.
  ///
  /// A device that was paired before stays paired, since only its new key came from this pairing.
  public mutating func welcomed(_ device: RegisteredDevice?) -> [Effect] {
    guard case .completing(let completion) = phase else { return [] }
    guard isTakenBack, !completion.wasPaired else { return end(.ok, completion.question, device) }
    phase = .undoing(completion, device)
    return [.remove(completion.device)]
  }

  /// Ends the pairing after the attempt to remove the device again.
  public mutating func removed(_ isRemoved: Bool) -> [Effect] {
    guard case .undoing(let completion, let device) = phase else { return [] }
    return isRemoved
      ? end(.cancelled, completion.question, wasLeftHere: true) : end(.ok, completion.question, device)
  }

  /// Records that a session completed a pairing.
  ///
  /// If it belongs to this code, the code is used up. If it is this join, it is confirmed.
  public mutating func completed(_ device: DeviceID, as registered: RegisteredDevice? = nil) -> [Effect] {
    switch phase {
    case .waiting where open?.half == device: return end(.ok, nil, registered)
    case .inDoubt(let completion) where completion.device == device: return complete(completion)
    case .attempt(var attempt):
      switch attempt.stage {
      case .awaitingLastWord(let completion) where completion.device == device:
        // The session completed before the last message arrived.
        return [.close(attempt.line)] + (isInviter ? end(.ok, completion.question, registered) : complete(completion))
      // The store is about to report the same for this attempt.
      case .promoting: return []
      // Another joiner came too late.
      case _ where open?.half == device:
        let last = attempt.machine.requestedEnd(.expired)
        return parting(last, attempt.line) + end(.ok, nil, registered)
      default: return []
      }
    case .waiting, .inDoubt, .completing, .undoing, .ended: return []
    }
  }

  /// Records that a pending pairing was rolled back or has lapsed; a join that waits for its
  /// confirmation ends.
  public mutating func rolledBack(_ device: DeviceID) -> [Effect] {
    switch phase {
    case .waiting where open?.half == device:
      open?.half = nil
      return []
    case .inDoubt(let completion) where completion.device == device: return superseded()
    case .waiting, .attempt, .inDoubt, .completing, .undoing, .ended: return []
    }
  }
}
