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
    let ranges = isV4 ? Self.special4 : Self.special6
    return !ranges.contains { begins(with: $0.start, bits: $0.bits) }
  }

  private func begins(with start: [UInt8], bits: Int) -> Bool {
    for (index, byte) in start.enumerated() {
      let left = bits - index * 8
      guard left > 0 else { break }
      let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
      if bytes[index] & mask != byte & mask { return false }
    }
    return true
  }

  /// The IPv4 address of an IPv4-mapped one.
  private var mapped: IPAddress? {
    bytes.count == 16 && begins(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], bits: 96)
      ? IPAddress([UInt8](bytes[12...])) : nil
  }

  /// The IPv4 address to which packets to this IPv6 address go.
  ///
  /// Mapped, translated, NAT64 and 6to4 addresses have one.
  private var embedded: IPAddress? {
    if let mapped { return mapped }
    guard bytes.count == 16 else { return nil }
    let translated = [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0]
    if begins(with: translated, bits: 96) || begins(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96) {
      return IPAddress([UInt8](bytes[12...]))
    }
    return begins(with: [0x20, 0x02], bits: 16) ? IPAddress([UInt8](bytes[2..<6])) : nil
  }

  private static let special4: [(start: [UInt8], bits: Int)] = [
    ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
    ([192, 168], 16), ([198, 18], 15), ([224], 4), ([240], 4),
  ]

  /// The first range has the unspecified address, loopback, and IPv4-compatible addresses.
  private static let special6: [(start: [UInt8], bits: Int)] = [
    ([UInt8](repeating: 0, count: 12), 96), ([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48), ([0xFC], 7),
    ([0xFE, 0x80], 10), ([0xFE, 0xC0], 10), ([0xFF], 8),
  ]
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
