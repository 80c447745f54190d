import Synchronization

/// How many connections were served.
final class Places: Sendable {
  private let served = Mutex(0)

  var count: Int { served.withLock { $0 } }

  func take() { served.withLock { $0 += 1 } }
}
