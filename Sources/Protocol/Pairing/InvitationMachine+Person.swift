import LatchkeyModel

/// The inputs from the inviter's person and the clock, and the progress that is shown.
extension InvitationMachine {
  /// Returns the code in the form that the joiner uses; `nil` if no joiner can use it any more.
  public func credential(isTyped: Bool) -> PairingCredential? {
    guard let open else { return nil }
    return isTyped ? open.typed.map { .typed($0) } : .pasted(open.pasted)
  }

  /// The time at which the code expires; `nil` if it is used up or closed.
  public var deadline: BootInstant? { open?.deadline }

  private var open: Open? {
    switch phase {
    case .open(let open): open
    case .attempt(let attempt): attempt.open
    case .completing, .undoing, .ended: nil
    }
  }

  /// The number of the question that waits for an answer.
  public var asked: Int? {
    if case .attempt(let attempt) = phase, case .asking = attempt.stage { questions } else { nil }
  }

  /// The time that the joiner has for its next frame, in milliseconds.
  public var patience: Int64 {
    guard case .attempt(let attempt) = phase else { return Limits.pairingStepMilliseconds }
    switch attempt.stage {
    case .meeting, .refusing, .storing, .promoting: return Limits.pairingStepMilliseconds
    case .asking: return Int64(Limits.pairingMinutes.most) * 60_000
    // The joiner's person may be asked as well. After this time, the pending pairing is rolled back.
    case .awaitingAcknowledgement: return Limits.pairingCommitMilliseconds
    }
  }

  /// Answers the question `asked` for the person.
  public mutating func answered(_ accepts: Bool) -> [Effect] {
    guard case .attempt(var attempt) = phase, case .asking = attempt.stage else { return [] }
    guard accepts else { return requestedEnd(.refused) }
    let effects = attempt.machine.requestedAccept()
    return follow(effects, attempt)
  }

  /// Closes the code, for a person or because it has expired.
  ///
  /// Once the joiner may have completed the pairing, only a person's request counts, and it takes effect after
  /// completion.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [Effect] {
    switch phase {
    case .open(let open): return forget(open.half, outcome) + end(outcome)
    case .attempt(var attempt):
      let last: [PairingEffect]
      switch attempt.stage {
      case .promoting(var completion):
        completion.requestedEnd(outcome)
        attempt.stage = .promoting(completion)
        phase = .attempt(attempt)
        return []
      case .refusing(let rest): last = rest
      case .meeting, .asking, .storing: last = attempt.machine.requestedEnd(outcome)
      case .awaitingAcknowledgement:
        last = attempt.machine.requestedEnd(outcome)
        // This also discards the pending device.
        attempt.open.half = nil
      }
      return parting(last, attempt.line) + forget(attempt.open.half, outcome) + end(outcome, attempt.stage.question)
    case .completing(var completion):
      completion.requestedEnd(outcome)
      phase = .completing(completion)
      return []
    case .undoing, .ended: return []
    }
  }

  /// Closes the code if it has expired.
  public mutating func timerFired(_ now: BootInstant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return requestedEnd(.expired)
  }

  /// Discards the pending device if a person cancelled the pairing.
  private func forget(_ half: DeviceID?, _ outcome: PairingOutcome) -> [Effect] {
    outcome == .cancelled ? half.map { [.discard($0)] } ?? [] : []
  }

  /// The progress of the pairing as it is shown.
  public var shown: PairingProgress {
    var shown = first
    shown.failuresLeft = max(0, Limits.pairingFailures - failures)
    shown.attempt = questions
    switch phase {
    case .open(let open): shown.show(.waiting, nil, open.last?.goneSentence)
    case .attempt(let attempt):
      switch attempt.stage {
      case .meeting, .refusing: shown.show(.waiting, nil, attempt.open.last?.goneSentence)
      case .asking(let question): shown.show(.asking, question)
      case .storing(let question, _), .awaitingAcknowledgement(let question, _): shown.show(.committing, question)
      case .promoting(let completion): shown.show(.committing, completion.question)
      }
    case .completing(let completion), .undoing(let completion, _): shown.show(.committing, completion.question)
    case .ended(let ended): shown.show(ended, ended.outcome.inviterSentence)
    }
    return shown
  }
}
