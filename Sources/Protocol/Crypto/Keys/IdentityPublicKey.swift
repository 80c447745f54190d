import CSodium

/// A device's public signing key: an Ed25519 public key of 32 bytes.
public struct IdentityPublicKey: Hashable, Sendable {
  public static let byteCount = 32
  public static let signatureByteCount = 64

  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Creates a public key from bytes received from its owner.
  ///
  /// Whether they are a point on the curve becomes known only when a signature is verified. Throws
  /// `KeyError.wrongLength`, the sender's fault, unless there are 32 bytes.
  public init(bytes: [UInt8]) throws(KeyError) {
    guard bytes.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: bytes.count)
    }
    self.bytes = bytes
  }

  /// Creates a public key from 32 bytes that were just computed from a seed.
  init(uncheckedBytes bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns whether the key's owner signed the message.
  ///
  /// A signature of a size other than 64 bytes is invalid.
  public func verify(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    return crypto_sign_ed25519_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
