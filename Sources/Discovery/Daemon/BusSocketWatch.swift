import Glibc

/// A watch over the folder of the system bus's socket, which avoids repeated attempts to connect.
enum BusSocketWatch {
  /// Begins to watch the folder, or its nearest existing ancestor.
  ///
  /// - Parameters:
  ///   - loop: The loop that calls back.
  ///   - onHope: Called after something appeared in the folder.
  /// - Returns: The watch, which ends when it is released.
  /// - Throws: `LoopError` if the system's limit of watches is reached.
  static func make(loop: DiscoveryLoop, onHope: @escaping () -> Void) throws(LoopError) -> NewsWatch {
    let descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    guard descriptor >= 0, add(to: descriptor) else {
      if descriptor >= 0 { close(descriptor) }
      throw LoopError.noDescriptors
    }
    return try NewsWatch(
      descriptor, on: loop, pause: .milliseconds(200),
      drain: { descriptor in
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        // The folder below may exist by now. The kernel treats a folder that is added twice as one
        // watch.
        _ = add(to: descriptor)
      }, onNews: onHope)
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

  /// Returns the path of the bus's socket, as libdbus looks for it.
  static func socketPath() -> String {
    let prefix = "unix:path="
    if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }), address.hasPrefix(prefix) {
      return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
    }
    return "/run/dbus/system_bus_socket"
  }
}
