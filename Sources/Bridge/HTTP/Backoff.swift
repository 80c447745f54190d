/// The growing pauses between tries at a server that does not answer well.
struct Backoff: Hashable, Sendable {
  private let first: Duration
  private let longest: Duration
  /// The number of tries that failed since the last success.
  private(set) var failures = 0

  /// Creates pauses that double with each failure.
  ///
  /// - Parameters:
  ///   - first: The pause after the first failure.
  ///   - longest: The longest pause, also if a server asks for a longer one.
  init(first: Duration, longest: Duration) { (self.first, self.longest) = (first, longest) }

  mutating func succeeded() { failures = 0 }

  /// Counts a failure.
  ///
  /// - Parameters:
  ///   - asked: The shortest pause that the server asked for.
  ///   - jitter: A number from 0 to 1, by which the pause is up to a fifth longer, so that many
  ///     clients of one server do not return at the same moment.
  /// - Returns: The pause before the next try.
  mutating func failed(asked: Duration? = nil, jitter: Double = .random(in: 0...1)) -> Duration {
    failures += 1
    var pause = first
    for _ in 1..<max(2, min(failures, 32)) where failures > 1 && pause < longest { pause = pause * 2 }
    pause = min(max(pause, asked ?? .zero), longest)
    return pause + pause * (0.2 * min(max(jitter, 0), 1))
  }
}
