import CSodium

/// Random bytes from the operating system.
public enum SecureRandom {
  /// Returns `count` random bytes that need not stay secret.
  ///
  /// For secrets, use `SecretBytes.random(count:)`.
  public static func bytes(_ count: Int) -> [UInt8] {
    Sodium.prepare()
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }
}
