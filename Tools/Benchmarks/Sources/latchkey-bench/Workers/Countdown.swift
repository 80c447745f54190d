import Synchronization

/// Hands out a number of turns.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  /// Takes a turn; returns `false` if none is left.
  func take() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}
