import CProcess
import Glibc

/// The service manager that started this process and expects reports of its state: systemd.
///
/// By sd_notify(3), a datagram with assignments is sent to the socket of `NOTIFY_SOCKET`.
public struct ServiceManager: Sendable {
  /// The socket's path; a name in the abstract namespace begins with `@`.
  public let socket: String
  /// The time between two signs of life, which is half the time after which the service counts as
  /// hung; `nil` if none are required.
  public let signInterval: Duration?

  /// Returns the manager of this process; `nil` if it is no service that reports its state.
  ///
  /// The environment variables are removed, so that programs do not report in its place.
  public static func ofThisProcess() -> ServiceManager? {
    let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    let environment = names.reduce(into: [:]) { found, name in found[name] = getenv(name).map { String(cString: $0) } }
    for name in names { unsetenv(name) }
    return ServiceManager(environment: environment, processID: getpid())
  }

  /// Creates the manager that environment variables name; `nil` if they name none.
  public init?(environment: [String: String], processID: Int32) {
    guard let socket = environment["NOTIFY_SOCKET"], let first = socket.first, first == "/" || first == "@",
      socket.utf8.count < Self.longestPath
    else { return nil }
    self.socket = socket
    let isForThisProcess = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    signInterval = isForThisProcess && microseconds > 0 ? .microseconds(max(1_000, microseconds / 2)) : nil
  }

  /// The size of a path in a Unix socket address in bytes, including the terminating zero.
  private static let longestPath = 108

  /// Sends an assignment such as `READY=1`, and returns whether the system accepted it.
  @discardableResult
  public func tell(_ text: String) -> Bool {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socket.utf8)
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bytes = Array(text.utf8)
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
      }
    }
    return sent == bytes.count
  }
}

/// A program's wait until its parent waits for its end.
///
/// PAM learns that a log-in is refused from the exit status of the gate. A program that collects
/// its ended children immediately, as atd does, takes this status away from PAM unless PAM is
/// already waiting for it. In that case, no log-in would be refused.
public enum ParentWait {
  /// The longest time by which a refusal is delayed, in milliseconds.
  private static let patience: Int64 = 1_000
  /// The same, if the kernel does not show what a process waits for.
  private static let blindPatience: Int64 = 100

  /// Returns once the parent waits for the end of this program, or after a second.
  public static func begin() {
    let parent = getppid()
    let start = SystemClock.boot.milliseconds
    while true {
      let isWaiting = isWaiting(parent)
      let passed = SystemClock.boot.milliseconds - start
      if isWaiting == true || passed >= (isWaiting == nil ? blindPatience : patience) { return }
      usleep(1_000)
    }
  }

  /// Returns whether a process waits for the end of a child; `nil` if the kernel does not show it.
  private static func isWaiting(_ process: pid_t) -> Bool? {
    // The first word is the number of the system call, or `running`.
    guard let line = ProcFile.line("/proc/\(process)/syscall"), !line.isEmpty else { return nil }
    let call = Int(String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    return call.map(latchkey_waits_for_child) == 1
  }
}
