/// The reasons why a text is not a pairing code.
///
/// Each description says what to do next.
///
/// Characters are Unicode code points.
///
/// Spec: Protocol/03-pairing.md §2.
public enum PairingCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// The text does not begin with `LK1`, or is well formed with another prefix.
  case foreign
  case truncated(characters: Int)
  case typo
  /// A typed code has a number of symbols other than nine.
  case length(symbols: Int)
  /// A typed code has a wrong symbol, or two in the wrong order: `typo` in the specification.
  case mistyped
  /// The code has a later version.
  case newer

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .empty: "No code was given: enter the one that `latchkey pair` shows on the other machine."
    case .foreign:
      "This is not a Latchkey pairing code, which begins with LK1 or has nine symbols such as KX-7Q2MN-4C: enter what "
        + "`latchkey pair` shows on the other machine."
    case .truncated(let characters):
      "The code is cut off after \(characters) characters: copy all of it, from LK1 to the end."
    case .typo: "The code has a typing error: compare it with the screen of the other machine and enter it again."
    case .length(let symbols):
      "The short code has nine symbols, such as KX-7Q2MN-4C, and this has \(symbols): enter all of it."
    case .mistyped:
      "The short code has a typing error: compare it with the screen of the other machine and enter it again."
    case .newer: "The code was made by a newer version: update Latchkey on this machine and enter it again."
    }
  }
}
