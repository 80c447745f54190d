import Glibc

/// A watch over the machine's interfaces and addresses, which the kernel reports over netlink.
enum InterfaceMonitor {
  /// Begins to watch the machine's interfaces.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls back.
  ///   - onChange: Called at the end of a burst of changes.
  /// - Returns: The watch, which ends when it is released.
  /// - Throws: `LoopError` if the process may open no more descriptors.
  static func make(loop: DiscoveryLoop, onChange: @escaping () -> Void) throws(LoopError) -> NewsWatch {
    let kind = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_NETLINK, kind, Netlink.route)
    guard descriptor >= 0 else { throw LoopError.noDescriptors }
    let address = Netlink.address(groups: Netlink.links | Netlink.addressesV4 | Netlink.addressesV6)
    let bound = address.withUnsafeBytes { raw in
      guard let start = raw.baseAddress else { return CInt(-1) }
      return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    guard bound == 0 else {
      close(descriptor)
      throw LoopError.noDescriptors
    }
    return try NewsWatch(
      descriptor, on: loop, pause: .milliseconds(250),
      drain: { descriptor in
        var buffer = [UInt8](repeating: 0, count: 8_192)
        var more = true
        // Messages that the kernel dropped because its buffer was full are changes as well.
        while more { more = recv(descriptor, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS }
      }, onNews: onChange)
  }

  /// The numbers of `linux/netlink.h` and `linux/rtnetlink.h` that Swift's Glibc does not show.
  private enum Netlink {
    static let route: CInt = 0
    static let links: UInt32 = 0x1
    static let addressesV4: UInt32 = 0x10
    static let addressesV6: UInt32 = 0x100

    /// A `sockaddr_nl`: family, padding, port 0 (the kernel chooses), groups.
    static func address(groups: UInt32) -> [UInt8] {
      var bytes = withUnsafeBytes(of: sa_family_t(AF_NETLINK)) { Array($0) } + [0, 0, 0, 0, 0, 0]
      withUnsafeBytes(of: groups) { bytes.append(contentsOf: $0) }
      return bytes
    }
  }
}
