import Glibc

/// This machine's own addresses.
enum LocalAddress {
  /// The IPv4 address to put into a pairing code: of the first interface that is up, named or not virtual; four bytes.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  ///
  /// A loopback address leads a second machine to itself, so a code tells one only where mDNS is off (`allowsLoopback`).
  static func forCode(interfaces: [String]?, allowsLoopback: Bool) -> [UInt8]? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var next = list
    var loopback: [UInt8]?
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let address = entry.ifa_addr, address.pointee.sa_family == UInt16(AF_INET),
        entry.ifa_flags & UInt32(IFF_UP) != 0
      else { continue }
      let name = String(cString: entry.ifa_name)
      let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin_addr.s_addr) { Array($0) }
      }
      if let interfaces {
        let leadsHere = bytes[0] != 127 || allowsLoopback
        if interfaces.contains(name), leadsHere, !(bytes[0] == 169 && bytes[1] == 254) { return bytes }
        continue
      }
      if bytes[0] == 127 {
        loopback = bytes
        continue
      }
      // Link-local addresses and those of virtual interfaces lead nowhere from another machine.
      if !isVirtual(name), !(bytes[0] == 169 && bytes[1] == 254) { return bytes }
    }
    return allowsLoopback ? loopback : nil
  }

  /// Tell the interfaces of container and virtual machine managers by their names. Spec: Protocol/02-discovery.md §6.
  static func isVirtual(_ name: String) -> Bool {
    ["docker", "br-", "veth", "virbr", "cni"].contains { name.hasPrefix($0) }
  }
}
