import CSodium

/// The initialization of libsodium, once for each process.
///
/// Every function that needs the library's randomness or its processor-specific code calls
/// `prepare()` first.
enum Sodium {
  // The initializer of a constant runs exactly once, on whichever thread comes first. `sodium_init`
  // fails only if the system has no source of randomness, without which no program can create keys.
  private static let isReady: Bool = sodium_init() >= 0

  /// Initializes libsodium on the first call.
  ///
  /// Later calls cost one comparison.
  static func prepare() {
    precondition(isReady, "libsodium could not be initialised: the system offers no randomness")
  }
}

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

/// The comparison of bytes in a time that does not depend on their content.
public enum ConstantTime {
  /// Returns whether two byte strings are the same.
  ///
  /// Their sizes are not secret.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
