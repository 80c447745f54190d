/// The delays between failed attempts: 1 s, multiplied by 1.5 each time, with jitter, up to 60 s or less.
///
/// Spec: Protocol/04-session.md §5.
public struct Backoff: Sendable, Hashable {
  /// The number of attempts that failed since the last sign of life.
  public private(set) var failures = 0

  /// Creates a back-off that begins with the shortest delay.
  public init() {}

  /// Counts a failed attempt and returns the delay before the next one, in milliseconds.
  ///
  /// - `jitter`: A random number in 0 to 1. The delay is between half of the step and all of it.
  /// - `longest`: The longest step, in milliseconds.
  public mutating func failed(jitter: Double, longest: Int64 = 60_000) -> Int64 {
    var step = 1_000.0
    for _ in 0..<failures where step < 60_000 { step *= 1.5 }
    failures += 1
    return Int64(min(step, Double(longest)) * (0.5 + 0.5 * min(max(jitter, 0), 1)))
  }

  /// Starts again with the shortest delay, after any sign of life.
  public mutating func reset() {
    failures = 0
  }
}
