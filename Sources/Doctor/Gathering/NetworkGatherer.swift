import Glibc

/// Looks at interfaces and routes, without sending anything.
enum NetworkGatherer {
  /// Every interface, by name.
  static func interfaces() -> [InterfaceFacts] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [String: InterfaceFacts] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      let flags = Int(entry.ifa_flags)
      var interface =
        found[name]
        ?? InterfaceFacts(
          name: name, isUp: flags & Int(IFF_UP) != 0, isRunning: flags & Int(IFF_RUNNING) != 0,
          isLoopback: flags & Int(IFF_LOOPBACK) != 0, isMulticast: flags & Int(IFF_MULTICAST) != 0,
          isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0)
      if let bytes = entry.ifa_addr.flatMap(bytes), interface.addresses.count < 16 {
        let prefix = entry.ifa_netmask.flatMap(Self.bytes)?.reduce(0) { $0 + $1.nonzeroBitCount } ?? bytes.count * 8
        interface.addresses.append(Subnet(bytes: bytes, prefix: prefix))
      }
      found[name] = interface
    }
    return found.values.sorted { $0.name < $1.name }
  }

  /// The interface that packets to an address leave by; nil when there is no way.
  ///
  /// Nothing is sent.
  static func interface(towards host: String, _ interfaces: [InterfaceFacts]) -> String? {
    for (family, size) in [(AF_INET, MemoryLayout<sockaddr_in>.size), (AF_INET6, MemoryLayout<sockaddr_in6>.size)] {
      var hints = addrinfo()
      (hints.ai_family, hints.ai_socktype, hints.ai_flags) = (family, CInt(SOCK_DGRAM.rawValue), AI_NUMERICHOST)
      var list: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, "9", &hints, &list) == 0, let target = list else { continue }
      defer { freeaddrinfo(list) }
      let socket = Glibc.socket(family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { return nil }
      defer { close(socket) }
      guard connect(socket, target.pointee.ai_addr, target.pointee.ai_addrlen) == 0 else { return nil }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let own = withUnsafeMutablePointer(to: &storage) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          getsockname(socket, address, &length) == 0 && Int(length) >= size ? bytes(address) : nil
        }
      }
      guard let own else { return nil }
      return interfaces.first { interface in interface.addresses.contains { $0.bytes == own } }?.name
    }
    return nil
  }

  private static func bytes(_ address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
    let raw = UnsafeRawPointer(address)
    switch CInt(address.pointee.sa_family) {
    case AF_INET: return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6: return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }
}
