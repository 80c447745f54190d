import LatchkeyModel

extension PairingOutcome {
  /// The sentence that tells the inviter's person why a machine is gone, while the code remains usable.
  var goneSentence: String {
    switch self {
    case .cancelled: "Somebody broke it off at the other machine, and the code is still open: enter it there again."
    case .network: "That machine is gone again, and the code is still open."
    default: sentence
    }
  }

  /// The sentence that tells the inviter's person how the pairing ended.
  var inviterSentence: String {
    switch self {
    case .expired: "The code has expired: create a new one with `latchkey pair`."
    case .wrongCode:
      "The code was closed after \(Limits.pairingFailures) wrong guesses: create a new one with `latchkey pair`."
    case .refused: "The other machine was refused and the code is closed: create a new one to pair again."
    case .cancelled: "The code was cancelled here: nothing was changed; run `latchkey pair` again for a new one."
    default: sentence
    }
  }

  /// Returns the sentence about the outcome for the joiner's person.
  ///
  /// - Parameters:
  ///   - wasLeftHere: Whether this person cancelled.
  ///   - hint: The observation of the search; `nil` for none.
  /// - Returns: The outcome and the next step.
  func joinerSentence(wasLeftHere: Bool, hint: JoinHint? = nil) -> String {
    if self == .notFound, case .otherCodes? = hint, let hint { return hint.endSentence }
    guard self == .cancelled else { return sentence }
    return wasLeftHere
      ? "You cancelled the pairing: nothing was changed; run `latchkey pair` again when both are ready."
      : "The pairing was cancelled at the other machine: nothing was changed; run `latchkey pair` again on both."
  }
}
