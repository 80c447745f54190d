import FoundationEssentials
import LatchkeySystem
import NIOPosix

/// The URL of a server that a parent has named.
struct WebURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL without a slash at its end, and without a dot at the end of its host.
  let text: String
  /// The name or address of the server.
  ///
  /// An IPv6 address has no brackets.
  let host: String
  let isEncrypted: Bool
  let hasQuery: Bool

  /// Creates a URL from text; `nil` unless it is an HTTP or HTTPS URL with a host, and without a
  /// user, a password or a fragment.
  init?(_ text: String) {
    guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), var host = parts.host, !host.isEmpty, parts.user == nil,
      parts.password == nil, parts.fragment == nil
    else { return nil }
    var text = text
    // A name with a dot at its end is the same name. The dot is removed from the text and the host,
    // so that both agree.
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

  /// The scheme, the host and the port, without the path, which may be secret.
  var server: String {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.prefix(3).joined(separator: "/")
  }

  /// A Boolean value that indicates whether the server is on this machine.
  var isLoopback: Bool { host.lowercased() == "localhost" || IPAddress(host)?.staysHere == true }
}

extension IPAddress {
  /// A Boolean value that indicates whether packets to the address stay on this machine.
  var staysHere: Bool { (mapped ?? self).isLoopback }

  /// A Boolean value that indicates whether the address belongs to the Internet, and not to this
  /// machine, its network, or a special range.
  var isPublic: Bool {
    if let embedded { return embedded.isPublic }
    return !Self.special.contains { $0.contains(self) }
  }

  private func isIn(_ network: String) -> Bool { Subnet(network)?.contains(self) == true }

  /// The IPv4 address of an IPv4-mapped one.
  private var mapped: IPAddress? { isIn("::ffff:0:0/96") ? IPAddress([UInt8](bytes[12...])) : nil }

  /// The IPv4 address to which packets to this IPv6 address go.
  ///
  /// Mapped, translated, NAT64 and 6to4 addresses have one.
  private var embedded: IPAddress? {
    if let mapped { return mapped }
    if isIn("::ffff:0:0:0/96") || isIn("64:ff9b::/96") { return IPAddress([UInt8](bytes[12...])) }
    return isIn("2002::/16") ? IPAddress([UInt8](bytes[2..<6])) : nil
  }

  /// The networks of no public addresses; `::/96` has the unspecified address, loopback, and
  /// IPv4-compatible addresses.
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8",
  ].compactMap { Subnet($0) }
}

/// The system's resolution of names to addresses.
enum NameLookup {
  /// Returns the addresses of a name, or of an address as text, in the order in which to try them.
  ///
  /// The list is empty if the name is unknown.
  static func addresses(of host: String) async -> [IPAddress] {
    do { return try await NIOThreadPool.singleton.runIfActive { ask(host) } } catch { return [] }
  }

  private static func ask(_ host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [IPAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr.flatMap({ IPAddress($0) }), !addresses.contains(address) {
        addresses.append(address)
      }
      next = entry.ai_next
    }
    return addresses
  }
}
