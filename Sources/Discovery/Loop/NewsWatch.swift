import CAvahi
import Glibc

/// A watch of a descriptor that calls back on the loop's thread whenever something can be read.
final class LoopWatch {
  private let loop: DiscoveryLoop
  private let onReadable: () -> Void
  private var raw: OpaquePointer?

  /// Begins to watch a descriptor, which remains the caller's and is open for as long as the watch.
  ///
  /// `onReadable` is called as long as something can be read. Throws `LoopError.noMemory`.
  init(_ descriptor: CInt, on loop: DiscoveryLoop, _ onReadable: @escaping () -> Void) throws(LoopError) {
    (self.loop, self.onReadable) = (loop, onReadable)
    let context = Unmanaged.passUnretained(self).toOpaque()
    let made = loop.api.pointee.watch_new?(
      loop.api, descriptor, AVAHI_WATCH_IN,
      { _, _, _, context in
        guard let context else { return }
        Unmanaged<LoopWatch>.fromOpaque(context).takeUnretainedValue().onReadable()
      }, context)
    guard let made else { throw LoopError.noMemory }
    raw = made
  }

  deinit { close() }

  /// Stops watching; there is no call-back after this.
  func close() {
    guard let raw = raw.take() else { return }
    loop.api.pointee.watch_free?(raw)
  }
}

/// A watch of a kernel descriptor that calls back at the end of a burst of messages.
///
/// It owns the descriptor. The content of the messages is ignored, since the receiver of the call
/// reads everything again.
final class NewsWatch {
  private let loop: DiscoveryLoop
  private let pause: Duration
  private let onNews: () -> Void
  private let descriptor: CInt
  private var watch: LoopWatch?
  private var settling: LoopTimer?

  /// Begins to watch a descriptor that does not block, or is negative if the system had none to
  /// give.
  ///
  /// `drain` reads everything that is available. A burst is over if nothing arrives for `pause`.
  /// Throws `LoopError.noDescriptors` if there is no descriptor.
  private init(
    _ descriptor: CInt, on loop: DiscoveryLoop, pause: Duration, drain: @escaping (CInt) -> Void,
    onNews: @escaping () -> Void
  ) throws(LoopError) {
    guard descriptor >= 0 else { throw LoopError.noDescriptors }
    (self.loop, self.pause, self.onNews, self.descriptor) = (loop, pause, onNews, descriptor)
    watch = try LoopWatch(descriptor, on: loop) { [unowned self] in
      drain(descriptor)
      settle()
    }
  }

  deinit {
    settling?.cancel()
    watch?.close()
    Glibc.close(descriptor)
  }

  private func settle() {
    guard settling == nil else { return }
    settling = loop.schedule(after: pause) { [unowned self] in
      settling = nil
      onNews()
    }
  }
}

// MARK: - The machine's interfaces

extension NewsWatch {
  /// Watches the machine's interfaces and addresses, which the kernel reports over netlink, until
  /// the watch is released; throws `LoopError` if the process may open no more descriptors.
  static func ofInterfaces(loop: DiscoveryLoop, onChange: @escaping () -> Void) throws(LoopError) -> NewsWatch {
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

// MARK: - The socket of the system bus

extension NewsWatch {
  /// Watches the folder of the system bus's socket, or its nearest existing ancestor, until the
  /// watch is released.
  ///
  /// This avoids repeated attempts to connect. `onHope` is called after something appeared in the
  /// folder. Throws `LoopError` if the system's limit of watches is reached.
  static func ofBusSocket(loop: DiscoveryLoop, onHope: @escaping () -> Void) throws(LoopError) -> NewsWatch {
    let descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    guard descriptor >= 0, addBusFolder(to: descriptor) else {
      if descriptor >= 0 { Glibc.close(descriptor) }
      throw LoopError.noDescriptors
    }
    return try NewsWatch(
      descriptor, on: loop, pause: .milliseconds(200),
      drain: { descriptor in
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        // The folder below may exist by now. The kernel treats a folder that is added twice as one
        // watch.
        _ = addBusFolder(to: descriptor)
      }, onNews: onHope)
  }

  private static func addBusFolder(to descriptor: CInt) -> Bool {
    var folder = busSocketPath()[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB)
      if inotify_add_watch(descriptor, folder.isEmpty ? "/" : String(folder), mask) >= 0 { return true }
    }
    return false
  }

  /// Returns the path of the bus's socket, as libdbus looks for it.
  private static func busSocketPath() -> String {
    let prefix = "unix:path="
    if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }), address.hasPrefix(prefix) {
      return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
    }
    return "/run/dbus/system_bus_socket"
  }
}
