/// An address together with the length of its network's prefix.
public struct Subnet: Hashable, Sendable, CustomStringConvertible {
  /// The machine's own address in the network.
  public var address: IPAddress
  /// The length of the network's prefix, in bits.
  public var prefix: Int

  /// Creates a network from an address in it.
  ///
  /// - Parameters:
  ///   - address: Any address in the network.
  ///   - prefix: The length of the network's prefix, in bits.
  public init(_ address: IPAddress, prefix: Int) {
    self.address = address
    self.prefix = prefix
  }

  /// The length of the prefix, limited to that of the address.
  private var bits: Int { min(max(prefix, 0), address.bytes.count * 8) }

  /// Returns whether another address lies in this network.
  public func contains(_ other: IPAddress) -> Bool {
    other.isV4 == address.isV4
      && (0..<bits).allSatisfy { bit in
        let mask = UInt8(0x80) >> UInt8(bit % 8)
        return address.bytes[bit / 8] & mask == other.bytes[bit / 8] & mask
      }
  }

  /// The network with its prefix, such as `192.168.1.0/24`.
  public var description: String {
    var network = address.bytes
    for bit in bits..<network.count * 8 { network[bit / 8] &= ~(0x80 >> UInt8(bit % 8)) }
    return "\(IPAddress(network) ?? address)/\(prefix)"
  }
}
