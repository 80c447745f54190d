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

/// A network interface of this machine at one moment.
public struct NetworkInterface: Hashable, Sendable {
  public var index: UInt32
  public var name: String
  public var isUp: Bool
  /// A Boolean value that indicates whether the link itself works, such as a plugged cable.
  public var isRunning: Bool
  /// A Boolean value that indicates whether the interface leads to this machine only.
  public var isLoopback: Bool
  /// A Boolean value that indicates whether the interface carries multicast; tunnels often do not.
  public var isMulticast: Bool
  /// A Boolean value that indicates whether the interface joins two points only, as tunnels do.
  public var isPointToPoint: Bool
  /// The addresses with their networks, in the kernel's order.
  public var subnets: [Subnet]

  private static let maximumAddresses = 64

  public init(
    index: UInt32, name: String, isUp: Bool = true, isRunning: Bool = true, isLoopback: Bool = false,
    isMulticast: Bool = true, isPointToPoint: Bool = false, subnets: [Subnet] = []
  ) {
    (self.index, self.name, self.isUp, self.isRunning, self.isLoopback) = (index, name, isUp, isRunning, isLoopback)
    (self.isMulticast, self.isPointToPoint, self.subnets) = (isMulticast, isPointToPoint, subnets)
  }

  public var addresses: [IPAddress] { subnets.map(\.address) }

  /// Returns the interfaces of this network namespace, sorted by number.
  ///
  /// It is `nil` if the kernel does not answer, which says nothing about the interfaces: this
  /// process may have too many files open.
  public static func all() -> [NetworkInterface]? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var found: [String: NetworkInterface] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      var interface = found[name] ?? NetworkInterface(entry, name: name)
      if let address = entry.ifa_addr.flatMap({ IPAddress($0) }), !interface.addresses.contains(address),
        interface.subnets.count < maximumAddresses
      {
        let mask = entry.ifa_netmask.flatMap { IPAddress($0) }?.bytes
        let prefix = mask?.reduce(0) { $0 + $1.nonzeroBitCount } ?? address.bytes.count * 8
        interface.subnets.append(Subnet(address, prefix: prefix))
      }
      found[name] = interface
    }
    // An interface without a number went away while the list was read.
    return found.values.filter { $0.index != 0 }.sorted { $0.index < $1.index }
  }

  private init(_ entry: ifaddrs, name: String) {
    func has(_ flag: Int) -> Bool { Int(entry.ifa_flags) & flag != 0 }
    self.init(
      index: if_nametoindex(entry.ifa_name), name: name, isUp: has(Int(IFF_UP)), isRunning: has(Int(IFF_RUNNING)),
      isLoopback: has(Int(IFF_LOOPBACK)), isMulticast: has(Int(IFF_MULTICAST)),
      isPointToPoint: has(Int(IFF_POINTOPOINT)))
  }
}

/// An address together with the length of its network's prefix.
public struct Subnet: Hashable, Sendable, CustomStringConvertible {
  /// The machine's own address in the network.
  public var address: IPAddress
  /// The length of the network's prefix, in bits.
  public var prefix: Int

  public init(_ address: IPAddress, prefix: Int) { (self.address, self.prefix) = (address, prefix) }

  /// Reads a network such as `192.168.1.0/24`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(parts[0])), let prefix = Int(parts[1]) else { return nil }
    self.init(address, prefix: prefix)
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

/// The rule for which interfaces Latchkey uses. Spec: Protocol/02-discovery.md §6.
extension NetworkInterface {
  /// A reason why the node does not search for machines on an interface.
  public enum Exclusion: Sendable, Hashable {
    /// The interface leads to this machine only.
    case loopback
    case off
    /// It belongs to containers or virtual machines.
    case virtual
    case pointToPoint
    case noMulticast
    case noAddress
    case notNamed
  }

  /// Returns the reason why the node does not search an interface; `nil` if it does.
  ///
  /// `names` are the interfaces that a person chose; `nil` if the general rule applies. A chosen
  /// interface is used regardless of its kind, if it is up and has an address.
  public func exclusion(names: [String]?) -> Exclusion? {
    if let names {
      guard names.contains(name) else { return .notNamed }
    } else if isLoopback {
      return .loopback
    }
    if !isUp { return .off }
    if names == nil {
      if isVirtual { return .virtual }
      if isPointToPoint { return .pointToPoint }
      if !isMulticast { return .noMulticast }
    }
    return subnets.isEmpty ? .noAddress : nil
  }

  /// Returns whether the node announces the interface's addresses to other machines.
  ///
  /// Those of a tunnel are announced, since a peer may be at its other end. `names` are the
  /// interfaces that a person chose; `nil` for all that do not belong to virtual machines.
  public func isOffered(names: [String]?) -> Bool { isUp && !isLoopback && (names?.contains(name) ?? !isVirtual) }

  /// A Boolean value that indicates whether a manager of containers or virtual machines made the
  /// interface, by its name.
  private var isVirtual: Bool { ["docker", "br-", "veth", "virbr", "cni"].contains { name.hasPrefix($0) } }
}
