/// The number of durations in each of some ranges, and their sum.
public struct DurationHistogram: Hashable, Sendable {
  /// The inclusive upper bounds of all ranges but the last, in seconds, in ascending order.
  public let bounds: [Double]
  /// The number of durations in each range; the last range has no upper bound.
  public private(set) var counts: [Int]
  /// The sum of all durations in seconds.
  public private(set) var sum = 0.0

  public init(bounds: [Double]) {
    self.bounds = bounds
    counts = [Int](repeating: 0, count: bounds.count + 1)
  }

  /// Adds a duration in seconds; a negative one, from a clock that was set, counts as 0.
  public mutating func add(_ seconds: Double) {
    let seconds = max(0, seconds)
    counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
    sum += seconds
  }
}
