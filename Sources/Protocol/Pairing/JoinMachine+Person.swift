import LatchkeyModel

/// The inputs from the joiner's person, and the progress that is shown.
extension JoinMachine {
  /// The outcome of the last attempt while the search continues; `nil` during an attempt and after the join has ended.
  public var attempted: PairingOutcome? {
    if case .searching(let last) = phase { last } else { nil }
  }

  /// A Boolean value that indicates whether the join is looking for a machine to try.
  public var isSearching: Bool { if case .searching = phase { true } else { false } }

  /// Returns whether this attempt is under way.
  public func isUnderWay(_ number: Int) -> Bool { attempt(number) != nil }

  /// The number of the question that waits for an answer.
  public var asked: Int? {
    if case .attempt(let attempt) = phase, case .asking = attempt.stage { questions } else { nil }
  }

  /// The time that the other machine has for its next frame, in milliseconds.
  public var patience: Int64 {
    guard case .attempt(let attempt) = phase else { return Limits.pairingStepMilliseconds }
    switch attempt.stage {
    case .meeting, .counting, .storing, .awaitingDone, .promoting: return Limits.pairingStepMilliseconds
    // The inviter's person is being asked.
    case .asking, .agreed: return Int64(Limits.pairingMinutes.most) * 60_000
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

  /// Ends the join, for a person or because the disk refused.
  ///
  /// Once the inviter may have completed the pairing, only a person's request counts, and it takes effect after
  /// completion.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [Effect] {
    let isPerson = outcome == .cancelled
    switch phase {
    case .searching: return end(outcome, wasLeftHere: isPerson)
    case .attempt(var attempt):
      switch attempt.stage {
      case .awaitingDone(var completion):
        completion.requestedEnd(outcome)
        attempt.stage = .awaitingDone(completion)
        phase = .attempt(attempt)
        return []
      case .promoting(var completion):
        completion.requestedEnd(outcome)
        attempt.stage = .promoting(completion)
        phase = .attempt(attempt)
        return []
      case .meeting, .counting, .asking, .agreed, .storing:
        let last = attempt.machine.requestedEnd(outcome)
          .lastWords(send: { Effect.send($0, attempt.line) }, discard: { .discard($0) })
        return last + [.close(attempt.line)] + end(outcome, attempt.stage.question, wasLeftHere: isPerson)
      }
    case .inDoubt(var completion):
      completion.requestedEnd(outcome)
      phase = .inDoubt(completion)
      return takeBack(completion)
    case .completing(var completion):
      completion.requestedEnd(outcome)
      phase = .completing(completion)
      return []
    case .undoing, .ended: return []
    }
  }

  /// The progress of the join as it is shown.
  public var shown: PairingProgress {
    var shown = first
    shown.attempt = questions
    switch phase {
    case .searching: shown.show(.waiting, nil, hint?.sentence)
    case .attempt(let attempt):
      switch attempt.stage {
      case .meeting, .counting: shown.show(.waiting, nil, hint?.sentence)
      case .asking(let question): shown.show(.asking, question)
      case .agreed(let question), .storing(let question, _): shown.show(.committing, question)
      case .awaitingDone(let completion), .promoting(let completion): shown.show(.committing, completion.question)
      }
    case .inDoubt(let completion):
      shown.show(
        .committing, completion.question,
        "The connection broke off at the last step: waiting up to a minute to learn how the pairing ended.")
    case .completing(let completion), .undoing(let completion, _): shown.show(.committing, completion.question)
    case .ended(let ended):
      shown.show(ended, ended.outcome.joinerSentence(wasLeftHere: ended.wasLeftHere, hint: hint))
    }
    return shown
  }
}
