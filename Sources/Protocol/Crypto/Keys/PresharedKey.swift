/// A key that both sides of a handshake already share: 32 secret bytes of full entropy.
public struct PresharedKey: Sendable, Equatable {
  public static let byteCount = 32

  /// The key itself, for a key derivation or for storage with other secrets.
  public let secret: SecretBytes

  /// Creates a key from a secret.
  ///
  /// - Parameter secret: The key, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: secret.count)
    }
    self.secret = secret
  }

  /// Creates a key from an array, which is not erased.
  ///
  /// - Parameter bytes: The key, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    try self.init(secret: SecretBytes(bytes))
  }

  private init(checked secret: SecretBytes) {
    self.secret = secret
  }

  public static func generate() -> PresharedKey {
    PresharedKey(checked: .random(count: byteCount))
  }
}
