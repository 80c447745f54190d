/// Hold a key that both sides of a handshake have from before: 32 secret bytes of full entropy.
public struct PresharedKey: Sendable, Equatable {
  /// The size of a key in bytes.
  public static let byteCount = 32

  /// The key itself, for a key derivation or a store that keeps secrets.
  public let secret: SecretBytes

  /// Take a key that is held as a secret already.
  ///
  /// - Parameter secret: 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: secret.count)
    }
    self.secret = secret
  }

  /// Take a key out of an array, which is not wiped.
  ///
  /// - Parameter bytes: 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    try self.init(secret: SecretBytes(bytes))
  }

  private init(checked secret: SecretBytes) {
    self.secret = secret
  }

  /// Make a new key from the system's randomness.
  public static func generate() -> PresharedKey {
    PresharedKey(checked: .random(count: byteCount))
  }
}
