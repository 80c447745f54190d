import LatchkeyModel

extension PairingOutcome {
  /// The sentence for the inviter's person about why a machine is gone, while the code remains
  /// usable.
  var goneSentence: Phrase {
    switch self {
    case .cancelled:
      Phrase("Somebody broke it off at the other machine, and the code is still open: enter it there again.")
    case .network: Phrase("That machine is gone again, and the code is still open.")
    default: phrase
    }
  }

  /// The sentence for the inviter's person about how the pairing ended.
  var inviterSentence: Phrase {
    switch self {
    case .expired: Phrase("The code has expired: create a new one with `latchkey pair`.")
    case .wrongCode:
      Phrase(
        "The code was closed after {guesses} wrong guesses: create a new one with `latchkey pair`.",
        ["guesses": .number(Limits.pairingFailures)])
    case .refused: Phrase("The other machine was refused and the code is closed: create a new one to pair again.")
    case .cancelled:
      Phrase("The code was cancelled here: nothing was changed; run `latchkey pair` again for a new one.")
    default: phrase
    }
  }

  /// Returns the sentence about the outcome for the joiner's person, with the next step.
  func joinerSentence(wasLeftHere: Bool, hint: JoinHint? = nil) -> Phrase {
    if self == .notFound, case .otherCodes? = hint, let hint { return hint.endSentence }
    guard self == .cancelled else { return phrase }
    return wasLeftHere
      ? Phrase("You cancelled the pairing: nothing was changed; run `latchkey pair` again when both are ready.")
      : Phrase(
        "The pairing was cancelled at the other machine: nothing was changed; run `latchkey pair` again on both.")
  }
}

/// An observation of a joiner's search that may help the person before the search ends.
///
/// It is based on announcements, and on answers before the handshake is verified, which any machine
/// can forge. It is therefore shown and never affects a decision.
public enum JoinHint: Hashable, Sendable {
  /// Machines announce open codes with other beginnings, and none announces this code.
  ///
  /// A beginning is the first two symbols of a typed code; there are at most `mostCodes`, in order.
  case otherCodes(own: String, open: [String])
  /// A machine that announces the beginning of the code has refused the code as wrong.
  case saidToBeWrong

  /// The largest number of code prefixes that are listed.
  public static let mostCodes = 8

  /// The sentence during the search.
  var sentence: Phrase {
    switch self {
    case .otherCodes(let own, let open):
      Phrase(
        one: """
          No machine with a code whose short form begins with {own} has been found yet; the code that is open here begins with \
          {codes}. Looking on: if it takes long, compare the code with the other screen.
          """,
        other: """
          No machine with a code whose short form begins with {own} has been found yet; the codes that are open here begin with \
          {codes}. Looking on: if it takes long, compare the code with the other screen.
          """, count: open.count, Self.codes(own, open))
    case .saidToBeWrong:
      Phrase(
        "The machine that shows a code with this beginning says that the rest of it is wrong; looking for another one …"
      )
    }
  }

  /// The sentence when the search has found no machine.
  var endSentence: Phrase {
    switch self {
    case .otherCodes(let own, let open):
      Phrase(
        one: """
          No machine on this network shows this code, whose short form begins with {own}; the code that is open here begins \
          with {codes}: enter the code that the other screen shows now.
          """,
        other: """
          No machine on this network shows this code, whose short form begins with {own}; the codes that are open here begin \
          with {codes}: enter the code that the other screen shows now.
          """, count: open.count, Self.codes(own, open))
    case .saidToBeWrong: PairingOutcome.wrongCode.phrase
    }
  }

  private static func codes(_ own: String, _ open: [String]) -> [String: Phrase.Argument] {
    ["own": .text(own), "codes": .text(open.joined(separator: ", "))]
  }
}
