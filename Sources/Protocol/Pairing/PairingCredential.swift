import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Either form of an invitation's code, as one attempt uses it. Spec: Protocol/03-pairing.md §2.
public enum PairingCredential: Sendable {
  /// Pasted or scanned: a strong secret, and what binds the inviter's keys.
  case pasted(PairingCode)
  /// Typed: a short secret.
  case typed(TypedCode)

  /// Read either form, told apart by their looks, without regard to case, white space and dashes.
  ///
  /// - Throws: `PairingCodeError`: a typing error is found here, before the network is used.
  public init(_ text: String) throws(PairingCodeError) {
    let compact = PairingCode.compact(text)
    guard !compact.isEmpty else { throw .empty }
    let typed: TypedCode
    do {
      typed = try TypedCode(compact: compact)
    } catch {
      // What is short and no beginning of a pasted code was meant for a typed one.
      if compact.unicodeScalars.count <= 12, !compact.hasPrefix("lk1") { throw error }
      self = .pasted(try PairingCode(text))
      return
    }
    self = .typed(typed)
  }

  /// 0 to 1023; routes an attempt to the right code, no secret.
  public var discriminator: UInt16 {
    switch self {
    case .pasted(let code): code.discriminator
    case .typed(let code): code.discriminator
    }
  }

  /// What the joiner begins the connection with.
  public var preamble: Preamble {
    switch self {
    case .pasted(let code): .pairing(discriminator: code.discriminator)
    case .typed(let code): .typedPairing(discriminator: code.discriminator)
    }
  }
}
