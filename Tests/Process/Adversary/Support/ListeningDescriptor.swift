import Glibc
import Synchronization

/// A listening socket on which one thread waits and which other threads end.
///
/// It is not used once closed, since its number may be reused.
final class ListeningDescriptor: Sendable {
  private let number: Int32
  private let isOpen = Mutex(true)

  /// Creates a descriptor that owns a socket.
  init(_ number: Int32) { self.number = number }

  /// Waits for a connection; `nil` if there will be none any more, and the socket is closed.
  func accepted() -> Int32? {
    while true {
      let accepted = accept(number, nil, nil)
      if accepted >= 0 { return accepted }
      if errno == EINTR || errno == ECONNABORTED { continue }
      close()
      return nil
    }
  }

  /// Wakes the thread that waits for a connection.
  func end() {
    isOpen.withLock { if $0 { shutdown(number, Int32(SHUT_RDWR)) } }
  }

  /// Closes the socket; called by the waiting thread.
  func close() {
    isOpen.withLock { isOpen in
      if isOpen { Glibc.close(number) }
      isOpen = false
    }
  }
}
