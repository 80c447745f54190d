import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

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
