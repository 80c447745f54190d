/// The pause before the next try, which grows with each failure in a row.
///
/// A pure value: the caller brings the jitter and measures the time. Spec: Protocol/04-session.md §5.
public struct Backoff: Sendable, Hashable {
  private let first: Int64
  private let factor: Double
  private let longest: Int64

  /// The tries that have failed since the last success or sign of life.
  public private(set) var failures = 0

  /// Creates a back-off without a failure.
  ///
  /// - Parameters:
  ///   - first: The first pause, in milliseconds.
  ///   - factor: How many times the pause before it each pause is, without jitter.
  ///   - longest: The longest pause, in milliseconds.
  public init(first: Int64 = 1_000, factor: Double = 1.5, longest: Int64 = 60_000) {
    self.first = first
    self.factor = factor
    self.longest = longest
  }

  /// Counts a failed try and returns the milliseconds to wait.
  ///
  /// - Parameters:
  ///   - jitter: A random number from 0 to 1; the pause is between half of the step and all of it. Without jitter, it
  ///     is all of the step.
  ///   - bound: The longest pause this time, in milliseconds, if it is shorter than usual.
  public mutating func failed(jitter: Double = 1, longest bound: Int64 = .max) -> Int64 {
    var step = Double(first)
    for _ in 0..<failures {
      guard step < Double(longest) else { break }
      step *= factor
    }
    failures += 1
    return Int64(min(step, Double(min(longest, bound))) * (0.5 + 0.5 * min(max(jitter, 0), 1)))
  }

  /// Begins anew after a success or a sign of life.
  public mutating func reset() {
    failures = 0
  }
}
