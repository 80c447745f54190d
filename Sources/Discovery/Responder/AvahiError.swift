import CAvahi

/// Carries one of Avahi's error numbers.
struct AvahiError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Negative, one of `AVAHI_ERR_…`.
  let code: CInt

  /// Keep an error number.
  init(_ code: CInt) {
    self.code = code
  }

  /// The library that is needed is not installed.
  static let notInstalled = AvahiError(CInt(AVAHI_ERR_NOT_SUPPORTED))

  /// What Avahi calls the error.
  var description: String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// Whether a name is taken, by another host or another program on this one.
  var isCollision: Bool { code == CInt(AVAHI_ERR_COLLISION) }

  /// Turn what most of Avahi's functions return into an error.
  ///
  /// - Parameter result: negative on failure.
  static func check(_ result: CInt) throws(AvahiError) {
    if result < 0 { throw AvahiError(result) }
  }
}
