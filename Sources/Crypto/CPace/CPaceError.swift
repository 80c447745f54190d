/// Name why two sides cannot agree on a key by a short code.
///
/// A wrong code is not among these: it yields two different keys, which the handshake that uses them finds out.
public enum CPaceError: Error, Equatable, Sendable {
  /// The other side's share is no point, or one that would give the key away. The peer's fault; stop here.
  case invalidShare
  /// A scalar is not 32 bytes, or zero. The caller's fault.
  case invalidScalar
}

extension CPaceError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidShare: "The other side did not follow the pairing protocol; start the pairing again."
    case .invalidScalar: "The scalar is not 32 bytes that are not all zero; make one with generate()."
    }
  }
}
