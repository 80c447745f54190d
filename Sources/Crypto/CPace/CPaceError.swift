/// The reasons why an agreement on a key by a short code fails.
///
/// A wrong code is not among them: it results in two different keys, which the handshake that uses them detects.
public enum CPaceError: Error, Equatable, Sendable {
  /// The other side's share is not a point, or is one that would reveal the key.
  ///
  /// This is the peer's fault; stop here.
  case invalidShare
  /// A scalar is not 32 bytes long, or is zero.
  ///
  /// This is the caller's fault.
  case invalidScalar
}

extension CPaceError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .invalidShare: "The other side did not follow the pairing protocol; start the pairing again."
    case .invalidScalar: "The scalar is not 32 bytes that are not all zero; make one with generate()."
    }
  }
}
