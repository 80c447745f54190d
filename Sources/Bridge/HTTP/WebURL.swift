import FoundationEssentials

/// The URL of a server that a parent has named.
struct WebURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL without a slash at its end, and without a dot at the end of its host.
  let text: String
  /// The name or address of the server, an IPv6 address without brackets.
  let host: String
  let isEncrypted: Bool
  let hasQuery: Bool

  /// Creates a URL from text; `nil` unless it is one of HTTP or HTTPS with a host, and without a
  /// user, a password or a fragment.
  init?(_ text: String) {
    guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), var host = parts.host, !host.isEmpty, parts.user == nil,
      parts.password == nil, parts.fragment == nil
    else { return nil }
    var text = text
    // A dot at the end of a name makes it no other name, but the text and the host have to agree.
    if host.hasSuffix(".") {
      let start = text.index(text.startIndex, offsetBy: scheme.count + "://".count)
      guard text[start...].hasPrefix(host) else { return nil }
      text.remove(at: text.index(start, offsetBy: host.count - 1))
      host.removeLast()
      guard !host.isEmpty, !host.hasSuffix(".") else { return nil }
    }
    if parts.query == nil { while text.hasSuffix("/") { text.removeLast() } }
    self.text = text
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    (isEncrypted, hasQuery) = (scheme == "https", parts.query != nil)
  }

  var description: String { text }

  /// The scheme, the host and the port: enough to say which server is meant, without the path,
  /// which may be a secret.
  var server: String {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.prefix(3).joined(separator: "/")
  }

  /// A Boolean value that indicates whether the server is on this machine.
  var isLoopback: Bool { host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true }
}
