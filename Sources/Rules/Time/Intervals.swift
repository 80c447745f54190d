import LatchkeyModel

/// A set of instants in Unix milliseconds as ranges that do not touch each other, the earliest
/// first.
///
/// Inserting is commutative and idempotent.
public struct SpanSet: Hashable, Sendable {
  public private(set) var ranges: [Range<Int64>] = []

  public init(ranges: [Range<Int64>] = []) { self.ranges = ranges }

  /// The longest use from one start that is counted: 31 days, in milliseconds.
  public static let longestMilliseconds: Int64 = 31 * 86_400_000

  /// Returns the instants for which a session counts: from its start, for as long as its active
  /// time.
  ///
  /// `nil` if it begins outside of the calendar. `start` is in household time, Unix milliseconds.
  public static func stretch(from start: Int64, milliseconds: Int64) -> Range<Int64>? {
    guard HybridTimestamp.walls.contains(start) else { return nil }
    return start..<start + min(max(milliseconds, 0), longestMilliseconds)
  }

  /// Inserts a range, and returns the number of milliseconds that were not in the set.
  @discardableResult public mutating func insert(_ range: Range<Int64>) -> Int64 {
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

  /// Joins the ranges with the smallest gaps between them until there are at most `count`.
  public mutating func limit(to count: Int) {
    while ranges.count > max(1, count) {
      let next = ranges.indices.dropLast().min {
        ranges[$0 + 1].lowerBound - ranges[$0].upperBound < ranges[$1 + 1].lowerBound - ranges[$1].upperBound
      }
      guard let next else { return }
      ranges.replaceSubrange(
        next...next + 1, with: CollectionOfOne(ranges[next].lowerBound..<ranges[next + 1].upperBound))
    }
  }

  /// Returns the index of the first range for which `precedes` is false, as for all after it.
  private func index(_ precedes: (Range<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(ranges[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Stretches of time in Unix milliseconds that do not touch each other, the earliest first.
struct Intervals: Hashable, Sendable {
  private(set) var spans: [Range<Int64>] = []

  /// Creates the union of spans; empty ones are left out.
  init(_ spans: [Range<Int64>]) {
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where !span.isEmpty {
      if let last = self.spans.last, last.upperBound >= span.lowerBound {
        self.spans[self.spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
      } else {
        self.spans.append(span)
      }
    }
  }

  func end(at instant: Int64) -> Int64? { spans.first { $0.contains(instant) }?.upperBound }

  func start(after instant: Int64) -> Int64? { spans.first { $0.lowerBound > instant }?.lowerBound }
}

extension Intervals {
  /// Creates the stretches of a window of every day around a family day.
  init(_ window: ClockWindow, around day: FamilyDay, _ boundary: DayBoundary) {
    self.init(WeekWindows(everyDay: window), exceptions: { _ in nil }, around: day, boundary)
  }

  /// Creates the stretches of a schedule from the day before a family day to the end of the day
  /// after it.
  ///
  /// A window belongs to the date on which it begins. The windows that begin within a family day
  /// with an exception are replaced by the exception's.
  init(_ plan: WeekWindows?, exceptions: (FamilyDay) -> DayWindows?, around day: FamilyDay, _ boundary: DayBoundary) {
    var spans: [Range<Int64>] = []
    func span(_ date: FamilyDay, _ window: ClockWindow) -> Range<Int64> {
      let start = boundary.instant(on: date, minute: window.start)
      let ends = window.end > window.start ? date : date.advanced(byDays: 1)
      return start..<max(start, boundary.instant(on: ends, minute: window.end))
    }
    if let plan {
      for offset in -2...3 {
        let date = day.advanced(byDays: offset)
        for window in plan[date.weekday] {
          let span = span(date, window)
          if exceptions(boundary.day(containing: span.lowerBound)) == nil { spans.append(span) }
        }
      }
    }
    for offset in -2...2 {
      let own = day.advanced(byDays: offset)
      guard let exception = exceptions(own) else { continue }
      for window in exception.windows {
        let isEarly = window.start < boundary.dayStartHour * 60
        spans.append(span(isEarly ? own.advanced(byDays: 1) : own, window))
      }
    }
    self.init(spans)
  }
}
