import CSodium

/// The initialization of libsodium, once for each process.
///
/// Every function that needs the library's randomness or its processor-specific code calls `prepare()` first.
enum Sodium {
  // The initializer of a constant runs exactly once, on whichever thread comes first. `sodium_init` fails only if the
  // system has no source of randomness, without which no program can create keys.
  private static let isReady: Bool = sodium_init() >= 0

  /// Initializes libsodium on the first call.
  ///
  /// Later calls cost one comparison.
  static func prepare() {
    precondition(isReady, "libsodium could not be initialised: the system offers no randomness")
  }
}
