/// Counts how long to wait before the next try.
struct Backoff {
  private let first: Duration
  private let last: Duration
  private var next: Duration

  /// How often it was asked since the last reset.
  private(set) var attempts = 0

  /// Begin.
  ///
  /// - Parameters:
  ///   - first: the first wait.
  ///   - last: the longest wait; each is twice the one before it.
  init(first: Duration, last: Duration) {
    self.first = first
    self.last = last
    next = first
  }

  /// Tell how long to wait now.
  mutating func delay() -> Duration {
    defer { next = min(next * 2, last) }
    attempts += 1
    return next
  }

  /// Begin anew, after a success or a reason for hope.
  mutating func reset() {
    next = first
    attempts = 0
  }
}
