/// A host, which is a numeric address or a name, and a port.
public struct SocketEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// The host.
  ///
  /// A link-local IPv6 address includes its interface, such as `fe80::1%2`.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Creates an endpoint from `host:port` or `[IPv6]:port`; `nil` if the text is malformed.
  public init?(_ text: String) {
    let host: Substring
    let port: Substring
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.first == ":" else { return nil }
      port = rest.dropFirst()
    } else {
      guard let colon = text.lastIndex(of: ":") else { return nil }
      host = text[..<colon]
      port = text[text.index(after: colon)...]
      guard !host.contains(where: { ":[]".contains($0) }) else { return nil }
    }
    guard !host.isEmpty, host.utf8.count <= Limits.hostBytes, !host.contains(where: \.isWhitespace),
      port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0
    else { return nil }
    self.init(host: String(host), port: number)
  }

  /// The endpoint as `host:port` or `[IPv6]:port`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The host without its scope; an IPv4 address that is mapped into IPv6 is given as IPv4.
  public var plainHost: String { Self.plain(host) }

  /// Returns a socket's host without its scope; an IPv4 address that is mapped into IPv6 is
  /// returned as IPv4.
  public static func plain(_ host: String) -> String {
    let bare = String(host.prefix { $0 != "%" })
    return bare.hasPrefix("::ffff:") && bare.contains(".") ? String(bare.dropFirst(7)) : bare
  }
}
