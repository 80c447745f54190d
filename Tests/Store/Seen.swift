import Synchronization

/// The values that a closure on another thread has seen.
final class Seen: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ text: String) { texts.withLock { $0.append(text) } }
}
