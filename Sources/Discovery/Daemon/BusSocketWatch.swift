import Glibc

/// Calls back when the socket of the system's bus may have appeared, so that nobody has to ask again and again.
final class BusSocketWatch {
  private let loop: DiscoveryLoop
  private let onHope: () -> Void
  private let descriptor: CInt
  private var watch: LoopWatch?
  private var settling: LoopTimer?

  /// Begin to watch the folder that the socket is in, or the nearest above it that exists.
  ///
  /// - Parameters:
  ///   - loop: the loop to call back on.
  ///   - onHope: called after something appeared there.
  /// - Throws: `LoopError.noDescriptors` when the system has no more watches to give.
  init(loop: DiscoveryLoop, onHope: @escaping () -> Void) throws(LoopError) {
    self.loop = loop
    self.onHope = onHope
    descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    guard descriptor >= 0 else { throw LoopError.noDescriptors }
    guard Self.add(to: descriptor) else {
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

  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
    // The folder below may exist by now; the same folder twice is one watch to the kernel.
    _ = Self.add(to: descriptor)
    guard settling == nil else { return }
    settling = loop.schedule(after: .milliseconds(200)) { [unowned self] in
      settling = nil
      onHope()
    }
  }

  private static func add(to descriptor: CInt) -> Bool {
    var folder = socketPath()[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB)
      if inotify_add_watch(descriptor, folder.isEmpty ? "/" : String(folder), mask) >= 0 { return true }
    }
    return false
  }

  /// The bus's socket as libdbus looks for it.
  static func socketPath() -> String {
    let prefix = "unix:path="
    if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }), address.hasPrefix(prefix) {
      return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
    }
    return "/run/dbus/system_bus_socket"
  }
}
