import FoundationEssentials
import Glibc
import NIOPosix

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

/// An IPv4 or IPv6 address.
struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 4 or 16 bytes in network order.
  let bytes: [UInt8]

  /// Creates an address from 4 or 16 bytes; `nil` for any other number.
  init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Creates an address from its usual text form, without brackets; `nil` if it is malformed.
  init?(_ text: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A Boolean value that indicates whether packets to the address stay on this machine.
  var isLoopback: Bool {
    if let mapped { return mapped.isLoopback }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// A Boolean value that indicates whether the address belongs to the Internet rather than to this
  /// machine, to its network, or to none.
  var isPublic: Bool {
    if let embedded { return embedded.isPublic }
    let ranges = bytes.count == 4 ? Self.special4 : Self.special6
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
  private var mapped: NetworkAddress? {
    bytes.count == 16 && begins(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], bits: 96)
      ? NetworkAddress(bytes: [UInt8](bytes[12...])) : nil
  }

  /// The IPv4 address to which packets to this IPv6 address go: of mapped and translated ones,
  /// those of NAT64, and 6to4.
  private var embedded: NetworkAddress? {
    if let mapped { return mapped }
    guard bytes.count == 16 else { return nil }
    let translated = [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0]
    if begins(with: translated, bits: 96) || begins(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96) {
      return NetworkAddress(bytes: [UInt8](bytes[12...]))
    }
    return begins(with: [0x20, 0x02], bits: 16) ? NetworkAddress(bytes: [UInt8](bytes[2..<6])) : nil
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

/// The addresses of names, asked of the system.
enum NameLookup {
  /// Returns the addresses of a name or of an address in text, in the order in which they are to be
  /// tried; none if it is unknown.
  static func addresses(of host: String) async -> [NetworkAddress] {
    do {
      return try await NIOThreadPool.singleton.runIfActive { ask(host) }
    } catch {
      return []
    }
  }

  private static func ask(_ host: String) -> [NetworkAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = address(entry), !addresses.contains(address) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses
  }

  private static func address(_ entry: addrinfo) -> NetworkAddress? {
    guard let start = entry.ai_addr else { return nil }
    let memory = UnsafeRawPointer(start)
    switch entry.ai_family {
    case AF_INET:
      var address = memory.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: &address) { NetworkAddress(bytes: [UInt8]($0)) }
    case AF_INET6:
      var address = memory.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: &address) { NetworkAddress(bytes: [UInt8]($0)) }
    default: return nil
    }
  }
}
