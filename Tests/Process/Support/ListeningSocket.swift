import Glibc

/// A TCP port that is in use for as long as this value exists.
final class ListeningSocket: Sendable {
  private let descriptor: Int32
  let port: UInt16

  /// Listens on 127.0.0.1; port 0 takes any that is free.
  init(port: UInt16 = 0) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, size) == 0 && listen(descriptor, 1) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw LabFault("port \(port) is taken")
    }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
