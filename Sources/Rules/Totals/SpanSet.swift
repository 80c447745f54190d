/// A set of instants in Unix milliseconds as ranges that do not touch each other, the earliest first.
///
/// Inserting is commutative and idempotent.
struct SpanSet: Hashable, Sendable {
  private(set) var ranges: [Range<Int64>] = []

  /// Inserts a range, and returns the number of milliseconds that were not in the set.
  mutating func insert(_ range: Range<Int64>) -> Int64 {
    guard !range.isEmpty else { return 0 }
    // The ranges from `first` up to `last` touch or overlap the new one.
    let first = index { $0.upperBound < range.lowerBound }
    let last = index { $0.lowerBound <= range.upperBound }
    guard first < last else {
      ranges.insert(range, at: first)
      return range.upperBound - range.lowerBound
    }
    let touched = ranges[first..<last]
    let known = touched.reduce(Int64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
    let lower = min(range.lowerBound, ranges[first].lowerBound)
    let upper = max(range.upperBound, ranges[last - 1].upperBound)
    ranges.replaceSubrange(first..<last, with: CollectionOfOne(lower..<upper))
    return upper - lower - known
  }

  /// Returns the index of the first range for which `precedes` is false; it must be true for none after that.
  private func index(_ precedes: (Range<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(ranges[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
