/// Where to connect to: a numeric address or a host name, and a port.
public struct SocketEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// A link-local IPv6 address carries its interface, such as `fe80::1%2`.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Read `host:port` or `[IPv6]:port`; nil when it is malformed.
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
      guard !host.contains(":") else { return nil }
    }
    guard !host.isEmpty, host.utf8.count <= 255, !host.contains(" "), let number = UInt16(port), number > 0 else {
      return nil
    }
    self.init(host: String(host), port: number)
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The host without its scope, and as IPv4 where it stands for that.
  public var plainHost: String { Self.plain(host) }

  /// A host as a socket names it, without its scope and as IPv4 where it stands for that.
  public static func plain(_ host: String) -> String {
    let bare = String(host.prefix { $0 != "%" })
    return bare.hasPrefix("::ffff:") && bare.contains(".") ? String(bare.dropFirst(7)) : bare
  }
}
