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

  /// Creates a back-off without a failure.
  ///
  /// - Parameters:
  ///   - first: The first pause in milliseconds.
  ///   - factor: The ratio of each pause to the previous one, without jitter.
  ///   - longest: The longest pause in milliseconds.
  public init(first: Int64 = 1_000, factor: Double = 1.5, longest: Int64 = 60_000) {
    (self.first, self.factor, self.longest) = (first, factor, longest)
  }

  /// Counts a failed attempt.
  ///
  /// - Parameters:
  ///   - jitter: A random number from 0 to 1, which places the pause between half of the step and
  ///     the whole step; 1 for no jitter.
  ///   - bound: The longest pause this time in milliseconds, if it is shorter than usual.
  /// - Returns: The pause before the next attempt in milliseconds.
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
