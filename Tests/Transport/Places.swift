import Synchronization

/// The number of connections that were served.
final class Places: Sendable {
  private let served = Mutex(0)

  var count: Int { served.withLock { $0 } }

  func take() { served.withLock { $0 += 1 } }
}
