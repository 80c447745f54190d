import Glibc
import LatchkeySystem

/// A test of whether system services answer at their sockets.
enum ServiceGatherer {
  static func bus(_ environment: [String: String]) -> ServiceState {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
    let path = address.split(separator: ";").first.flatMap { part -> String? in
      guard part.hasPrefix("unix:path=") else { return nil }
      return String(part.dropFirst("unix:path=".count).prefix { $0 != "," })
    }
    // The D-Bus specification, "Authentication Protocol": a zero byte, and a request for the
    // supported mechanisms.
    return socket(path ?? "/run/dbus/system_bus_socket", asking: "\0AUTH\r\n")
  }

  /// Returns the state of avahi-daemon, asked through its text protocol, which does not need the
  /// bus.
  static func avahi() -> ServiceState { socket("/run/avahi-daemon/socket", asking: "HELP\n") }

  /// The time limit for an answer in milliseconds; a working service answers within one.
  private static let patience: CInt = 2_000

  /// Returns whether a process accepts connections at a socket and answers there.
  ///
  /// An answer is required because the system accepts connections even for a process that hangs.
  ///
  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - question: A few bytes to which the service replies.
  /// - Returns: The state of the service.
  static func socket(_ path: String, asking question: String) -> ServiceState {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return .absent }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    guard access(path, F_OK) == 0 else { return .absent }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return .silent(SystemError.reason()) }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      // The queue of connections is full because the process does not accept them.
      return .silent(errno == EAGAIN ? "nobody takes connections there, so it hangs" : SystemError.reason())
    }
    let bytesAsked = Array(question.utf8)
    guard send(descriptor, bytesAsked, bytesAsked.count, CInt(MSG_NOSIGNAL)) == bytesAsked.count else {
      return .silent(SystemError.reason())
    }
    return switch heard(descriptor) {
    case 1: .answers
    case nil: .silent("it takes connections and says nothing for \(patience / 1_000) s, so it hangs")
    default: .silent("it takes connections and closes them without a word")
    }
  }

  /// Returns the result of reading one byte: 1, or less at the end of the connection; `nil` if none
  /// arrives in time.
  private static func heard(_ descriptor: CInt) -> Int? {
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    var byte: UInt8 = 0
    while true {
      let left = Int32(ContinuousClock.now.duration(to: end) / .milliseconds(1))
      guard left > 0 else { return nil }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, left) > 0 { return recv(descriptor, &byte, 1, 0) }
    }
  }
}
