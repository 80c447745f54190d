import Foundation
import Glibc

/// A stranger's TCP connection to loopback, which sends anything and observes the reaction of the
/// other side.
final class RawSocket: Sendable {
  private let descriptor: Int32

  /// Connects to a port of 127.0.0.1.
  init(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw LabFault("nothing listens on \(port)")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends bytes, and ignores the error of a closed connection.
  func send(_ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Ends the sending direction.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Returns all bytes until the other side closes.
  func untilClosed() async -> [UInt8] {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
          let count = read(descriptor, &buffer, buffer.count)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { break }
          all += buffer[..<count]
        }
        continuation.resume(returning: all)
      }
    }
  }
}
