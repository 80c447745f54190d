import Glibc

/// Calls back when interfaces or addresses change, told by the kernel over netlink.
final class InterfaceMonitor {
  private let loop: DiscoveryLoop
  private let onChange: () -> Void
  private let descriptor: CInt
  private var watch: LoopWatch?
  private var settling: LoopTimer?

  /// Begin to listen.
  ///
  /// - Parameters:
  ///   - loop: the loop to call back on.
  ///   - onChange: called once a burst of changes is over.
  /// - Throws: `LoopError` when the process may open no more descriptors.
  init(loop: DiscoveryLoop, onChange: @escaping () -> Void) throws(LoopError) {
    self.loop = loop
    self.onChange = onChange
    let kind = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_NETLINK, kind, Netlink.route)
    guard descriptor >= 0 else { throw LoopError.noDescriptors }
    let address = Netlink.address(groups: Netlink.links | Netlink.addressesV4 | Netlink.addressesV6)
    let bound = address.withUnsafeBytes { raw in
      guard let start = raw.baseAddress else { return CInt(-1) }
      return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    guard bound == 0 else {
      Glibc.close(descriptor)
      throw LoopError.noDescriptors
    }
    watch = try LoopWatch(descriptor, on: loop) { [unowned self] in drain() }
  }

  deinit {
    settling?.cancel()
    watch?.close()
    Glibc.close(descriptor)
  }

  /// The messages are not read: whatever they say, or if some were lost, all interfaces are read anew.
  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 8192)
    var more = true
    while more { more = recv(descriptor, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS }
    guard settling == nil else { return }
    settling = loop.schedule(after: .milliseconds(250)) { [unowned self] in
      settling = nil
      onChange()
    }
  }

  /// The few numbers of `linux/netlink.h` and `linux/rtnetlink.h` that Swift's Glibc does not show.
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
