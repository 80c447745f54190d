import CSodium

/// Draw random bytes from the operating system.
public enum SecureRandom {
  /// Draw `count` random bytes that need not stay secret; for secrets use `SecretBytes.random(count:)`.
  public static func bytes(_ count: Int) -> [UInt8] {
    Sodium.prepare()
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { randombytes_buf(start, count) }
      initialized = count
    }
  }
}
