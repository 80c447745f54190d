import CAvahiCore

/// Holds libavahi-core, loaded at its first use; `ClientLibrary` says why it is not linked.
enum CoreLibrary {
  private static let loaded: AvahiCoreLibrary? = {
    var library = AvahiCoreLibrary()
    guard latchkey_load_avahi_core(&library) == 1 else { return nil }
    // By default it writes to standard error, which is the program's.
    library.avahi_set_log_function { _, _ in }
    return library
  }()

  /// Load the library.
  ///
  /// - Throws: `AvahiError.notInstalled`.
  static func load() throws(AvahiError) -> AvahiCoreLibrary {
    guard let loaded else { throw AvahiError.notInstalled }
    return loaded
  }
}
