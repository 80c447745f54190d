import CSodium

/// Prepare libsodium once for the whole process.
///
/// Every entry point that needs the library's randomness or its processor-specific code calls `prepare()` first.
enum Sodium {
  // A constant's initialiser runs exactly once, whichever thread comes first. `sodium_init` fails only where the
  // system has no source of randomness, and no program that makes keys can go on there.
  private static let isReady: Bool = sodium_init() >= 0

  /// Initialise libsodium on the first call; later calls cost one comparison.
  static func prepare() {
    precondition(isReady, "libsodium could not be initialised: the system offers no randomness")
  }
}
