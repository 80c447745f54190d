import CAvahi

/// Holds libavahi-client, loaded at its first use.
///
/// It cannot be linked next to libavahi-core: both export `avahi_entry_group_free`, and one would call the other's.
enum ClientLibrary {
  private static let loaded: AvahiClientLibrary? = {
    var library = AvahiClientLibrary()
    return latchkey_load_avahi_client(&library) == 1 ? library : nil
  }()

  /// Load the library.
  ///
  /// - Throws: `AvahiError.notInstalled`.
  static func load() throws(AvahiError) -> AvahiClientLibrary {
    guard let loaded else { throw AvahiError.notInstalled }
    return loaded
  }
}
