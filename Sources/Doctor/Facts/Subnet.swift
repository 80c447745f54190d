import Glibc

/// An address and the length of its network's prefix.
public struct Subnet: Sendable, Hashable, CustomStringConvertible {
  /// 4 or 16 bytes.
  public var bytes: [UInt8]
  /// Bits.
  public var prefix: Int

  public init(bytes: [UInt8], prefix: Int) {
    self.bytes = bytes
    self.prefix = prefix
  }

  /// Read an address without a port; nil when it is none.
  ///
  /// A scope is passed over.
  public init?(_ text: String, prefix: Int? = nil) {
    let plain = String(text.prefix { $0 != "%" })
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, plain, &bytes) == 1 {
        self.init(bytes: bytes, prefix: prefix ?? size * 8)
        return
      }
    }
    return nil
  }

  /// Whether another address lies in this network.
  func contains(_ other: Subnet) -> Bool {
    guard other.bytes.count == bytes.count else { return false }
    return (0..<min(prefix, bytes.count * 8)).allSatisfy { bit in
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      return bytes[bit / 8] & mask == other.bytes[bit / 8] & mask
    }
  }

  /// `fe80::/10` or `169.254.0.0/16`.
  var isLinkLocal: Bool {
    bytes.count == 4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
  }

  /// `127.0.0.0/8` or `::1`.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// The network with its prefix, such as `192.168.1.0/24`.
  public var description: String {
    var network = bytes
    for bit in min(prefix, bytes.count * 8)..<bytes.count * 8 { network[bit / 8] &= ~(0x80 >> UInt8(bit % 8)) }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let made = network.withUnsafeBytes { raw in
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, raw.baseAddress, &buffer, socklen_t(buffer.count)) != nil
    }
    return made
      ? String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "/\(prefix)" : "?"
  }
}
