import CSodium

/// The secret of one side for one agreement: a scalar of the ristretto255 group, 32 bytes.
public struct CPaceScalar: Sendable {
  public static let byteCount = 32

  let secret: SecretBytes

  /// Creates a scalar from its little-endian encoding.
  ///
  /// - Parameter secret: The scalar, 32 bytes, not all zero.
  /// - Throws: `CPaceError.invalidScalar`, the caller's fault.
  public init(secret: SecretBytes) throws(CPaceError) {
    guard secret.count == Self.byteCount, secret.withBytePointer({ sodium_is_zero($0, Self.byteCount) }) == 0 else {
      throw .invalidScalar
    }
    self.secret = secret
  }

  private init(checked secret: SecretBytes) {
    self.secret = secret
  }

  /// Returns a random scalar.
  ///
  /// Every agreement needs a new one.
  public static func generate() -> CPaceScalar {
    Sodium.prepare()
    return CPaceScalar(checked: SecretBytes(count: byteCount, writing: { crypto_core_ristretto255_scalar_random($0) }))
  }
}
