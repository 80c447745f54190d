import Glibc

/// Looks whether system services answer at their sockets.
enum ServiceGatherer {
  /// The system bus.
  static func bus(_ environment: [String: String]) -> ServiceState {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
    let path = address.split(separator: ";").first.flatMap { part -> String? in
      guard part.hasPrefix("unix:path=") else { return nil }
      return String(part.dropFirst("unix:path=".count).prefix { $0 != "," })
    }
    return socket(path ?? "/run/dbus/system_bus_socket")
  }

  static func avahi() -> ServiceState { socket("/run/avahi-daemon/socket") }

  /// Whether somebody takes connections at a socket.
  static func socket(_ path: String) -> ServiceState {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return .absent }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    guard access(path, F_OK) == 0 else { return .absent }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return .silent(SystemFile.reason(errno)) }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 ? .answers : .silent(SystemFile.reason(errno))
  }
}
