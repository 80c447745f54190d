import Foundation
import Glibc
import Synchronization

/// An adversary's port, which passes every connection to a handler on a thread of its own.
final class Interceptor: Sendable {
  /// The port on 127.0.0.1.
  let port: UInt16
  private let listening: ListeningDescriptor
  private let streams = Mutex<[ByteStream]>([])

  /// Connections so far.
  var count: Int { streams.withLock { $0.count } }

  /// Listens on any free port; connections wait until `start`.
  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening =
      ByteStream.withAddress("127.0.0.1", 0) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 64) == 0
      && withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      } == 0
    guard isListening else {
      close(descriptor)
      throw LabFault("no port is free")
    }
    listening = ListeningDescriptor(descriptor)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Starts to accept connections.
  func start(_ handler: @escaping @Sendable (ByteStream) -> Void) {
    Thread.detachNewThread { [listening, weak self] in
      while let accepted = listening.accepted() {
        // A node that is started at this very moment may get a copy: connections are ended by
        // `shutdown` alone.
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        let stream = ByteStream(accepted: accepted)
        guard let self else { return listening.close() }
        self.keep(stream)
        Thread.detachNewThread { handler(stream) }
      }
    }
  }

  deinit { end() }

  /// Keeps a connection open until the interceptor ends.
  func keep(_ stream: ByteStream) { streams.withLock { $0.append(stream) } }

  /// Ends every connection made so far.
  func endAll() { for stream in streams.withLock({ $0 }) { stream.end() } }

  /// Stops accepting connections and ends the existing ones.
  func end() {
    listening.end()
    endAll()
  }
}
