/// Why a text is no pairing code; each says what to do next. Spec: Protocol/03-pairing.md §2.
public enum PairingCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// It does not begin with `LK1`.
  case foreign
  case truncated(characters: Int)
  case typo
  /// It is of a later version.
  case newer

  public var description: String {
    switch self {
    case .empty: "No code was given: enter the one that `latchkey pair invite` shows on the other machine."
    case .foreign:
      "This is no Latchkey pairing code, which begins with LK1: copy the whole code that `latchkey pair invite` shows."
    case .truncated(let characters):
      "The code is cut off after \(characters) characters: copy all of it, from LK1 to the end."
    case .typo: "The code has a typing error: compare it with the screen of the other machine and enter it again."
    case .newer: "The code was made by a newer version: update Latchkey on this machine and enter it again."
    }
  }
}
