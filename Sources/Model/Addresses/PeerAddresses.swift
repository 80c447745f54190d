/// A host, which is a numeric address or a name, and a port.
public struct SocketEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// The host.
  ///
  /// A link-local IPv6 address includes its interface, such as `fe80::1%2`.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

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
      port.utf8.allSatisfy(\.isDigit), let number = UInt16(port), number > 0
    else { return nil }
    self.init(host: String(host), port: number)
  }

  /// The endpoint as `host:port` or `[IPv6]:port`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The host without its scope; an IPv4 address that is mapped into IPv6 is given as IPv4.
  public var plainHost: String { Self.plain(host) }

  /// Returns a host without its scope, and an IPv4 address that is mapped into IPv6 as IPv4.
  public static func plain(_ host: String) -> String {
    let bare = String(host.prefix { $0 != "%" })
    return bare.hasPrefix("::ffff:") && bare.contains(".") ? String(bare.dropFirst(7)) : bare
  }
}

/// A stored address at which a device was authenticated, with its later results.
public struct RememberedAddress: Hashable, Sendable {
  public var reached: ReachedAddress
  /// The time of the last success in Unix milliseconds.
  public var lastSuccessAt: Int64
  /// The time of the last failure on that network in Unix milliseconds; `nil` if there was none.
  public var lastFailureAt: Int64?
  /// The reason of the last failure, in one sentence.
  public var failure: String?

  public init(reached: ReachedAddress, lastSuccessAt: Int64, lastFailureAt: Int64? = nil, failure: String? = nil) {
    (self.reached, self.lastSuccessAt) = (reached, lastSuccessAt)
    (self.lastFailureAt, self.failure) = (lastFailureAt, failure)
  }
}

/// An address at which a device was authenticated.
public struct ReachedAddress: Hashable, Sendable {
  /// The address as `host:port`.
  public var address: String
  public var source: AddressSource
  /// The mark of the network on which it was reached; `nil` if this machine could not determine it.
  public var network: String?

  public init(_ address: String, source: AddressSource, network: String?) {
    (self.address, self.source, self.network) = (address, source, network)
  }
}

/// How an address of a paired device was learned.
///
/// Spec: Protocol/07-local-api.md §4.
public enum AddressSource: String, Codable, Sendable, Hashable, CaseIterable {
  /// The pairing code contained it.
  case code
  /// A session was open there, and nothing else is known about it.
  case connection
  /// The device announced it over mDNS.
  case mdns
  /// A person entered it with `--peer`.
  case given
  /// The device stated it in a session.
  case told
}
