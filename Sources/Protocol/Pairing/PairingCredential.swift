import LatchkeyModel

/// An invitation's code in either form, as one attempt uses it.
///
/// Spec: Protocol/03-pairing.md §2.
public enum PairingCredential: Sendable {
  /// A code that is pasted or scanned: a strong secret, and a commitment to the inviter's keys.
  case pasted(PairingCode)
  /// A code that is typed: a short secret.
  case typed(TypedCode)

  /// Creates a code from text in either form, ignoring case, white space and dashes.
  ///
  /// Throws `PairingCodeError`, so that a typing error is found before the network is used.
  public init(_ text: String) throws(PairingCodeError) {
    let compact = PairingCode.compact(text)
    guard !compact.isEmpty else { throw .empty }
    let typed: TypedCode
    do {
      typed = try TypedCode(compact: compact)
    } catch {
      // A short text that is not the beginning of a pasted code was meant as a typed one.
      if compact.unicodeScalars.count <= 12, !compact.hasPrefix("lk1") { throw error }
      self = .pasted(try PairingCode(text))
      return
    }
    self = .typed(typed)
  }

  /// A number in 0 to 1023 that selects the code for an attempt.
  ///
  /// It is not secret.
  public var discriminator: UInt16 {
    switch self {
    case .pasted(let code): code.discriminator
    case .typed(let code): code.discriminator
    }
  }

  /// The preamble with which the joiner begins the connection.
  public var preamble: Preamble {
    switch self {
    case .pasted(let code): .pairing(discriminator: code.discriminator)
    case .typed(let code): .typedPairing(discriminator: code.discriminator)
    }
  }
}

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
