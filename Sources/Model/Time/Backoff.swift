/// The pause before the next attempt, which grows with each consecutive failure.
///
/// It is a pure value: the caller supplies the jitter and measures the time.
///
/// Spec: Protocol/04-session.md §5.
public struct Backoff: Sendable, Hashable {
  private let first: Int64
  private let factor: Double
  private let longest: Int64

  /// The number of failed attempts since the last success or other input.
  public private(set) var failures = 0

  /// Creates a back-off from the first to the longest pause in milliseconds, by a factor.
  public init(first: Int64 = 1_000, factor: Double = 1.5, longest: Int64 = 60_000) {
    (self.first, self.factor, self.longest) = (first, factor, longest)
  }

  /// Counts a failed attempt, and returns the pause before the next one in milliseconds.
  ///
  /// A jitter from 0 to 1 places it between half of the step and the whole step. `bound` is the
  /// longest pause this time in milliseconds.
  public mutating func failed(jitter: Double = 1, longest bound: Int64 = .max) -> Int64 {
    var step = Double(first)
    for _ in 0..<failures {
      guard step < Double(longest) else { break }
      step *= factor
    }
    failures += 1
    return Int64(min(step, Double(min(longest, bound))) * (0.5 + 0.5 * min(max(jitter, 0), 1)))
  }

  /// Starts over after a success or other input.
  public mutating func reset() { failures = 0 }
}
