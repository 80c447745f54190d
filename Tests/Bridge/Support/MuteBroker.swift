import Foundation
import Glibc
import Synchronization

/// A broker on loopback that accepts one connection and everything that is sent, and confirms
/// nothing.
final class MuteBroker: Sendable {
  let port: UInt16
  private let count = Atomic(0)

  /// The bytes that it has read.
  var received: Int { count.load(ordering: .relaxed) }

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, pointer, &size) == 0
      }
    }
    guard isListening else {
      close(listener)
      throw POSIXError(.EADDRINUSE)
    }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in serve(listener) }
  }

  private func serve(_ listener: Int32) {
    let connection = accept(listener, nil, nil)
    close(listener)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let size = read(connection, &buffer, buffer.count)
      guard size > 0 else { return }
      let before = count.add(size, ordering: .relaxed).oldValue
      // CONNACK: the connection is accepted.
      let accepted: [UInt8] = [0x20, 2, 0, 0]
      if before == 0 { _ = send(connection, accepted, accepted.count, Int32(MSG_NOSIGNAL)) }
    }
  }
}
