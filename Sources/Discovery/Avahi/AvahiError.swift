import CAvahi

/// One of Avahi's error numbers.
struct AvahiError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Negative, one of `AVAHI_ERR_…`.
  let code: CInt

  init(_ code: CInt) {
    self.code = code
  }

  /// The library that is needed is not installed.
  static let notInstalled = AvahiError(CInt(AVAHI_ERR_NOT_SUPPORTED))

  var description: String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// A Boolean value that indicates whether a name is taken, by another host or by another program
  /// on this one.
  var isCollision: Bool { code == CInt(AVAHI_ERR_COLLISION) }

  /// Throws an `AvahiError` if the result of an Avahi function is negative, which means that it
  /// failed.
  static func check(_ result: CInt) throws(AvahiError) {
    if result < 0 { throw AvahiError(result) }
  }
}
