import LatchkeyModel

extension PairingOutcome {
  /// The sentence that tells the inviter's person why a machine is gone, while the code remains
  /// usable.
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

/// An observation of a joiner's search that may help the person before the search ends.
///
/// It is based on announcements, and on answers before the handshake is verified, which any machine
/// can forge. It is therefore shown and never affects a decision.
public enum JoinHint: Hashable, Sendable {
  /// Machines announce open codes with other beginnings, and none announces this code.
  ///
  /// - Parameters:
  ///   - own: the first two symbols of the code's typed form.
  ///   - open: those of the open codes, at most `mostCodes`, in order.
  case otherCodes(own: String, open: [String])
  /// A machine that announces the code's beginning says that the code is wrong.
  case saidToBeWrong

  /// The largest number of code prefixes that are listed.
  public static let mostCodes = 8

  /// The sentence while the search goes on.
  var sentence: String {
    switch self {
    case .otherCodes(let own, let open):
      "No machine with a code whose short form begins with \(own) has been found yet; \(Self.openCodes(open)). Looking on: if "
        + "it takes long, compare the code with the other screen."
    case .saidToBeWrong:
      "The machine that shows a code with this beginning says that the rest of it is wrong; looking for another one …"
    }
  }

  /// The sentence when the search has found no machine.
  var endSentence: String {
    switch self {
    case .otherCodes(let own, let open):
      "No machine on this network shows this code, whose short form begins with \(own); \(Self.openCodes(open)): enter the code "
        + "that the other screen shows now."
    case .saidToBeWrong: PairingOutcome.wrongCode.sentence
    }
  }

  private static func openCodes(_ open: [String]) -> String {
    open.count == 1
      ? "the code that is open here begins with \(open[0])"
      : "the codes that are open here begin with \(open.joined(separator: ", "))"
  }
}
