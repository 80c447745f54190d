import Synchronization

/// What a closure that runs elsewhere has seen.
final class Seen: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ text: String) { texts.withLock { $0.append(text) } }
}
