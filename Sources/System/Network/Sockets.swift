import CProcess
import Glibc

/// A stream socket to another process on this machine, whose reads and writes never wait.
public final class LocalSocket: Sendable {
  /// The process at the other end, as recorded by the kernel when it connected.
  public struct Peer: Hashable, Sendable {
    public var user: UInt32
    public var process: Int32
  }

  public let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Listens at a path, replacing an existing socket; `nil` if the system refuses, with the reason
  /// in `errno`.
  ///
  /// The socket has the permissions that the file mode creation mask leaves.
  public static func listen(at path: String) -> LocalSocket? {
    guard let socket = make() else { return nil }
    let isBound = at(path) { address, size in
      unlink(path)
      return Glibc.bind(socket.descriptor, address, size) == 0
    }
    return isBound && Glibc.listen(socket.descriptor, 8) == 0 ? socket : nil
  }

  /// Connects to a path; `nil` if no process listens there.
  public static func connect(to path: String) -> LocalSocket? {
    guard let socket = make() else { return nil }
    return at(path) { Glibc.connect(socket.descriptor, $0, $1) == 0 } ? socket : nil
  }

  /// Accepts a connection; `nil` if none is pending.
  public func accept() -> LocalSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    return LocalSocket(accepted)
  }

  /// The process at the other end; `nil` if the kernel does not report it.
  public var peer: Peer? {
    var (user, process): (uid_t, pid_t) = (0, 0)
    return latchkey_peer(descriptor, &user, &process) == 0 ? Peer(user: user, process: process) : nil
  }

  /// Reads the available bytes, at most 64 KiB: empty if there are none, `nil` at the end of the
  /// connection.
  public func read() -> [UInt8]? {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, initialized in
      count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      initialized = max(0, count)
    }
    if count < 0 { return errno == EAGAIN || errno == EINTR ? [] : nil }
    return count == 0 ? nil : bytes
  }

  /// Reads until there is enough, or the other side has ended; `nil` if the time in milliseconds is
  /// over before, by a clock.
  package func read(
    within milliseconds: Int64, by clock: SystemClock = .awake, until isEnough: ([UInt8]) -> Bool
  ) -> [UInt8]? {
    let deadline = clock.milliseconds + milliseconds
    var bytes: [UInt8] = []
    while !isEnough(bytes) {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = deadline - clock.milliseconds
      guard rest > 0, poll(&waiting, 1, Int32(clamping: rest)) != 0 else { return nil }
      guard let more = read() else { break }
      bytes += more
    }
    return bytes
  }

  /// Writes as many of the bytes as there is room for, and returns how many; `nil` if the
  /// connection has ended.
  public func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  private static func make() -> LocalSocket? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    return descriptor >= 0 ? LocalSocket(descriptor) : nil
  }

  /// Calls `body` with the address of a path of any length.
  private static func at(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    // A path in an address has at most 107 bytes. The path of the folder's descriptor is short.
    let cut = path.lastIndex(of: "/")
    let place = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let folder = open(place, RegularFile.onlyNames | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    let name = cut.map { path[path.index(after: $0)...] } ?? path[...]
    let short = Array("/proc/self/fd/\(folder)/\(name)".utf8)
    var address = sockaddr_un()
    guard short.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

/// The owner of a TCP socket of this machine, which the kernel looks up alone.
///
/// A look at `/proc/net/tcp` for the same costs as much as there are sockets, and as there is room
/// for.
public enum TCPSocketOwner {
  /// What the kernel says of a socket.
  public enum Answer: Hashable, Sendable {
    /// A socket with an established connection, of the account with a number.
    case connected(account: UInt32)
    /// A socket in any other state, or one that listens.
    case otherwise
    /// No such socket, or a kernel that does not answer such questions.
    case none
  }

  /// Asks the kernel about the socket with two ends, of the same version of IP.
  public static func ask(_ own: (address: IPAddress, port: UInt16), _ other: (address: IPAddress, port: UInt16))
    -> Answer
  {
    guard own.address.bytes.count == other.address.bytes.count else { return .none }
    var account: uid_t = 0
    let state = latchkey_tcp_owner(
      own.address.bytes.count, own.address.bytes, own.port, other.address.bytes, other.port, &account)
    switch state {
    case 1: return .connected(account: account)  // TCP_ESTABLISHED
    case ..<0: return .none
    default: return .otherwise
    }
  }
}
