/// How long to wait before the next try: 1 s × 1.5 each time with jitter, at most 60 s or less. Spec: Protocol/04-session.md §5.
public struct Backoff: Sendable, Hashable {
  /// Tries that failed since the last sign of life.
  public private(set) var failures = 0

  public init() {}

  /// Count a failed try and give the milliseconds to wait.
  ///
  /// - Parameters:
  ///   - jitter: a random number in 0 to 1; the wait is between half and all of the step.
  ///   - longest: milliseconds of the longest step.
  public mutating func failed(jitter: Double, longest: Int64 = 60_000) -> Int64 {
    var step = 1_000.0
    for _ in 0..<failures where step < 60_000 { step *= 1.5 }
    failures += 1
    return Int64(min(step, Double(longest)) * (0.5 + 0.5 * min(max(jitter, 0), 1)))
  }

  /// Any sign of life: begin anew.
  public mutating func reset() {
    failures = 0
  }
}
