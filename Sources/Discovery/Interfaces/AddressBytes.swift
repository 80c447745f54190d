import Glibc

/// Holds the raw bytes of an IP address: 4 or 16.
struct AddressBytes: Hashable, Sendable {
  /// In network byte order.
  let bytes: [UInt8]

  /// Keep an address.
  ///
  /// - Parameter bytes: 4 or 16 bytes in network byte order; anything else gives nil.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The address family.
  var family: DiscoveredAddress.Family { bytes.count == 4 ? .v4 : .v6 }

  /// `fe80::/10`, which means nothing without its interface.
  var isLinkLocalV6: Bool { bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }

  /// `127.0.0.0/8` or `::1`.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// `127.0.0.1` or `::1`, where a node listens on the loopback interface.
  var isLocalhost: Bool { isLoopback && (bytes.count == 16 || bytes == [127, 0, 0, 1]) }

  /// Whether something can listen there: neither unspecified, nor multicast, nor broadcast, nor IPv4 in IPv6 clothes.
  var isUsable: Bool {
    if bytes.count == 4 { return bytes[0] != 0 && bytes[0] < 224 }
    return bytes[0] != 0xff && !(bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 0)
      && !(bytes[..<10].allSatisfy { $0 == 0 } && !isLoopback)
  }

  /// The address as text without a scope.
  var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let made = bytes.withUnsafeBytes { raw in
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, raw.baseAddress, &buffer, socklen_t(buffer.count)) != nil
    }
    return made ? String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
  }

  /// The text of an address, if it is one.
  ///
  /// - Parameter text: without a scope.
  static func parse(_ text: String) -> AddressBytes? {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, text, &bytes) == 1 { return AddressBytes(bytes) }
    }
    return nil
  }
}
