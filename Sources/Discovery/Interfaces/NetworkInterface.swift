import Glibc

/// Describes one network interface at one moment.
struct NetworkInterface: Hashable, Sendable {
  /// The kernel's number.
  var index: UInt32

  /// The name, as `ip link` shows it.
  var name: String

  /// Whether it is the loopback.
  var isLoopback: Bool

  /// Whether it carries multicast; tunnels often do not.
  var isMulticast: Bool

  /// Whether it joins two points only, as tunnels do.
  var isPointToPoint: Bool

  /// Whether a person or program switched it on.
  var isUp: Bool

  /// Whether the link itself works, such as a plugged cable.
  var isRunning: Bool

  /// Its addresses, sorted, at most 16.
  ///
  /// Of the loopback interface's, only those at which a node listens: 127.0.0.1 and ::1.
  var addresses: [AddressBytes]

  /// Read all interfaces of this network namespace.
  ///
  /// - Returns: the interfaces by index; empty when the system refuses.
  static func all() -> [NetworkInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [String: NetworkInterface] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      let flags = Int(entry.ifa_flags)
      var interface =
        found[name]
        ?? NetworkInterface(
          index: if_nametoindex(entry.ifa_name), name: name, isLoopback: flags & Int(IFF_LOOPBACK) != 0,
          isMulticast: flags & Int(IFF_MULTICAST) != 0,
          isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0, isUp: flags & Int(IFF_UP) != 0,
          isRunning: flags & Int(IFF_RUNNING) != 0, addresses: [])
      if let address = entry.ifa_addr.flatMap(Self.address), !interface.addresses.contains(address),
        !interface.isLoopback || address.isLocalhost
      {
        interface.addresses.append(address)
      }
      found[name] = interface
    }
    return found.values.filter { $0.index != 0 }.map { interface in
      var interface = interface
      interface.addresses = Array(
        interface.addresses.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
          .prefix(DiscoveryLimits.ownAddresses))
      return interface
    }.sorted { $0.index < $1.index }
  }

  private static func address(_ socketAddress: UnsafeMutablePointer<sockaddr>) -> AddressBytes? {
    let raw = UnsafeRawPointer(socketAddress)
    switch CInt(socketAddress.pointee.sa_family) {
    case AF_INET:
      return AddressBytes(withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
    case AF_INET6:
      return AddressBytes(withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default:
      return nil
    }
  }
}
