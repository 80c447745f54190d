import LatchkeySystem

/// The addresses that stay within a home, and those of them that this machine has.
enum PrivateAddresses {
  /// The ranges for which an authority of a family may speak, as `ADDRESS/MASK`.
  static let ranges = ["10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0", "fc00::/fe00::"]
  /// The range of the loopback interface, for a node that a person lets listen there alone.
  static let loopback = "127.0.0.0/255.0.0.0"

  /// Returns whether an address lies in one of the ranges.
  static func contains(_ address: IPAddress) -> Bool {
    let bytes = address.bytes
    guard address.isV4 else { return bytes[0] & 0xFE == 0xFC }
    return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16) || (bytes[0] == 192 && bytes[1] == 168)
  }

  /// Returns the addresses of this machine at which phones can reach it, in the order of its
  /// interfaces, IPv4 first.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces of this machine.
  ///   - chosen: The interfaces that a person chose for the node; `nil` for the general rule.
  /// - Returns: The addresses.
  static func present(_ interfaces: [NetworkInterface], chosen: [String]?) -> [String] {
    let used = interfaces.filter { $0.exclusion(names: chosen) == nil }
    let addresses = used.flatMap { interface in
      interface.addresses.filter { contains($0) || (interface.isLoopback && $0.isLocalhost && $0.isV4) }
    }
    return (addresses.filter(\.isV4) + addresses.filter { !$0.isV4 }).map(\.description)
  }
}
