import Glibc

/// An IP address of either version, without a scope.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network byte order.
  public let bytes: [UInt8]

  /// Creates an address from bytes in network order; `nil` unless they are 4 or 16.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads an address such as `192.168.1.5` or `fe80::1`, without a scope and a port; `nil` for
  /// anything else, such as a host name.
  public init?(_ text: String) {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  /// Reads the address of a socket, as the kernel returned it; `nil` unless it is an IP address.
  package init?(_ socketAddress: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(socketAddress)
    switch CInt(socketAddress.pointee.sa_family) {
    case AF_INET: bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6: bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  public var isV4: Bool { bytes.count == 4 }

  /// A Boolean value that indicates whether this is an address in `127.0.0.0/8`, or `::1`.
  public var isLoopback: Bool { isV4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 }

  /// A Boolean value that indicates whether this is `127.0.0.1` or `::1`, where a node listens on
  /// the loopback interface.
  public var isLocalhost: Bool { isLoopback && (!isV4 || bytes == [127, 0, 0, 1]) }

  /// A Boolean value that indicates whether it is valid on one link: 169.254.0.0/16 or fe80::/10.
  public var isLinkLocal: Bool {
    isV4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  /// A Boolean value that indicates whether the address means something only together with an
  /// interface: `fe80::/10`.
  public var needsScope: Bool { !isV4 && isLinkLocal }

  /// A Boolean value that indicates whether a machine can listen at the address.
  ///
  /// False for the unspecified address, multicast, broadcast, and the IPv6 addresses in `::/8` that
  /// stand for IPv4 addresses.
  public var isUsable: Bool {
    isV4 ? bytes[0] != 0 && bytes[0] < 224 : isLoopback || (bytes[0] != 0 && bytes[0] != 0xFF)
  }

  /// A Boolean value that indicates whether the address can lead to another machine, as far as the
  /// address itself shows.
  public var leadsElsewhere: Bool { isUsable && !isLoopback && !isLinkLocal }

  public var description: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(isV4 ? AF_INET : AF_INET6, bytes, &buffer, socklen_t(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
