import Foundation
import Glibc

/// An adversary's TCP connection on loopback, which reads and writes bytes and frames on a thread
/// that may wait.
final class ByteStream: Sendable {
  private let descriptor: Int32

  /// Creates a stream from an accepted connection.
  init(accepted descriptor: Int32) {
    self.descriptor = descriptor
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    // A time limit, so that a waiting thread ends before its test does.
    var patience = timeval(tv_sec: 150, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Connects to a port of 127.0.0.1 from an address in 127.0.0.0/8, which the other side sees.
  convenience init(port: UInt16, from source: String = "127.0.0.1") throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isConnected =
      Self.withAddress(source, 0) { bind(descriptor, $0, $1) } == 0
      && Self.withAddress("127.0.0.1", port) { connect(descriptor, $0, $1) } == 0
    guard isConnected else {
      Glibc.close(descriptor)
      throw LabFault("nothing listens on \(port)")
    }
    self.init(accepted: descriptor)
  }

  deinit { Glibc.close(descriptor) }

  /// Writes all bytes; those that the other side no longer reads are lost.
  func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Writes a frame: two bytes of length, and the body.
  func write(frame body: [UInt8]) { write(Self.framed(body)) }

  /// Reads exactly so many bytes; `nil` if the connection ends before that.
  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let more = some(atMost: count - bytes.count) else { return nil }
      bytes += more
    }
    return bytes
  }

  /// Reads a frame's body; `nil` if the connection ends before that.
  func readFrame() -> [UInt8]? {
    guard let length = read(2) else { return nil }
    return read(Int(length[0]) << 8 | Int(length[1]))
  }

  /// Returns all bytes until the other side closes.
  func readToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while let more = some(atMost: 4_096) { all += more }
    return all
  }

  /// Ends the sending direction.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the connection in both directions, which wakes a waiting reader.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Returns the body, preceded by its length.
  static func framed(_ body: [UInt8]) -> [UInt8] { [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body }

  private func some(atMost count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let received = Glibc.read(descriptor, &buffer, count)
      if received < 0, errno == EINTR { continue }
      return received > 0 ? Array(buffer[..<received]) : nil
    }
  }

  /// Calls `body` with a socket address of this host and port.
  static func withAddress<Value>(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
