import Glibc

/// The addresses of this machine at one moment.
struct OwnNetwork: Equatable, Sendable {
  /// All of them as text without a scope, those of loopback among them.
  var all: Set<String> = []
  /// The addresses at which others may call: not of the loopback interface, not link-local, of interfaces that are named or
  /// not virtual; IPv4 first, then in the kernel's order of interfaces; 4 or 16 bytes each.
  var callable: [[UInt8]] = []
  /// What changes when the machine is on another network, and not when it only has one more address there.
  var networks: Set<String> = []

  /// Asks the kernel.
  ///
  /// - Parameter interfaces: names; nil for all that are not virtual.
  /// - Returns: Nil if the kernel does not answer, which says nothing about the addresses: this process may have too
  ///   many files
  ///   open.
  static func current(interfaces: [String]?) -> OwnNetwork? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var network = OwnNetwork()
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let pointer = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0, let bytes = bytes(pointer) else {
        continue
      }
      network.all.insert(text(bytes))
      let name = String(cString: entry.ifa_name)
      guard entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, interfaces?.contains(name) ?? !isVirtual(name)
      else { continue }
      network.networks.insert("\(name) \(bytes.prefix(bytes.count == 4 ? 3 : 8))")
      if !isLinkLocal(bytes), !network.callable.contains(bytes) { network.callable.append(bytes) }
    }
    network.callable = network.callable.filter { $0.count == 4 } + network.callable.filter { $0.count == 16 }
    return network
  }

  /// Returns the IPv4 address to put into a pairing code, four bytes; `nil` if there is none.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  ///
  /// - Parameters:
  ///   - interfaces: names; nil for all that are not virtual.
  ///   - allowsLoopback: whether 127.0.0.1 will do, where a node listens there. A loopback address leads a second
  ///     machine to
  ///     itself, so a code holds one only where mDNS is off.
  func forCode(interfaces: [String]?, allowsLoopback: Bool) -> [UInt8]? {
    if let address = callable.first, address.count == 4 { return address }
    return allowsLoopback && interfaces?.contains("lo") ?? true ? [127, 0, 0, 1] : nil
  }

  /// Returns whether an interface is one of a container or virtual machine manager, by its name.
  ///
  /// Spec: Protocol/02-discovery.md §6.
  private static func isVirtual(_ name: String) -> Bool {
    ["docker", "br-", "veth", "virbr", "cni"].contains { name.hasPrefix($0) }
  }

  /// Whether it is of use only with an interface named beside it.
  static func isLinkLocal(_ bytes: [UInt8]) -> Bool {
    bytes.count == 4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  /// Whether another machine can be called there at all, as far as the address itself tells.
  static func leadsElsewhere(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224 && !isLinkLocal(bytes) }
    // Unspecified, loopback and what stands for IPv4 begin with zeros.
    return bytes[0] != 0 && bytes[0] != 0xFF && !isLinkLocal(bytes)
  }

  /// An address as text, 4 or 16 bytes.
  static func text(_ bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &buffer, socklen_t(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func bytes(_ pointer: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
    let raw = UnsafeRawPointer(pointer)
    switch CInt(pointer.pointee.sa_family) {
    case AF_INET: return withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6: return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }
}
