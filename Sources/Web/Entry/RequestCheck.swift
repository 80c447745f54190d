import LatchkeyProtocol

/// The checks of a request that need no session: the name under which it was sent, and the site
/// that sent it.
///
/// Spec: Protocol/15-pages.md §3.
struct RequestCheck: Hashable, Sendable {
  /// The reason to refuse a request.
  enum Refusal: Hashable, Sendable {
    /// It was sent to a name that is not this server's, such as one that was rebound to this
    /// machine.
    case otherName
    /// Another site sent it.
    case otherSite
  }

  /// The name of the pages with the port, such as `lk-7f3k2m.localhost:41234`.
  let host: String

  /// Returns why a request is refused; `nil` if it is not.
  ///
  /// - Parameters:
  ///   - host: The header of that name, or the authority of the request.
  ///   - isChange: Whether the request changes something.
  ///   - origin: The header of that name.
  ///   - site: The header `Sec-Fetch-Site`.
  ///   - isEntry: Whether it brings a one-time link, which comes from a file and so from no site.
  /// - Returns: The reason.
  func refusal(host: String?, isChange: Bool, origin: String?, site: String?, isEntry: Bool) -> Refusal? {
    guard let host, host.lowercased() == self.host else { return .otherName }
    if isEntry {
      // A file is a site of its own, which a browser calls `null`.
      return origin == nil || origin == "null" || origin == "http://\(self.host)" ? nil : .otherSite
    }
    // Browsers name the origin of every form, so that a request without one comes from none.
    guard isChange else { return nil }
    if let site, site != "same-origin" { return .otherSite }
    return origin == "http://\(self.host)" ? nil : .otherSite
  }

  /// Returns whether a form's token is that of the session.
  static func isToken(_ given: String?, of token: String) -> Bool {
    guard let given else { return false }
    return ConstantTime.areEqual([UInt8](given.utf8), [UInt8](token.utf8))
  }
}
