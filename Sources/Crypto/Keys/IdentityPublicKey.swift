import CSodium

/// Name a device by what it signs with: an Ed25519 public key, 32 bytes.
public struct IdentityPublicKey: Hashable, Sendable {
  /// The size of a key in bytes.
  public static let byteCount = 32
  /// The size of a signature in bytes.
  public static let signatureByteCount = 64

  /// The key's 32 bytes, as they travel.
  public let bytes: [UInt8]

  /// Take a public key as it came from its owner; whether it is a point at all shows when a signature is verified.
  ///
  /// - Parameter bytes: 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the sender's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    guard bytes.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: bytes.count)
    }
    self.bytes = bytes
  }

  /// Take 32 bytes that were just computed from a seed.
  init(uncheckedBytes bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Tell whether the key's owner signed the message.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes; any other size is simply not a signature.
  ///   - message: the bytes that were signed.
  /// - Returns: whether all of it fits together.
  public func verify(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    return crypto_sign_ed25519_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
