import Glibc
import Synchronization

/// A listening socket on which one thread waits and which other threads end.
///
/// It is not used once closed, since its number may be reused.
final class ListeningDescriptor: Sendable {
  private let number: Int32
  private let isOpen = Mutex(true)

  /// Take over a socket.
  init(_ number: Int32) { self.number = number }

  /// Wait for a connection; nil when there will be none any more, and the socket is closed.
  func accepted() -> Int32? {
    while true {
      let accepted = accept(number, nil, nil)
      if accepted >= 0 { return accepted }
      if errno == EINTR || errno == ECONNABORTED { continue }
      close()
      return nil
    }
  }

  /// Have whoever waits stop waiting.
  func end() {
    isOpen.withLock { if $0 { shutdown(number, Int32(SHUT_RDWR)) } }
  }

  /// Close it; by the thread that waits at it.
  func close() {
    isOpen.withLock { isOpen in
      if isOpen { Glibc.close(number) }
      isOpen = false
    }
  }
}
