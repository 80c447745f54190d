import LatchkeyModel

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

  /// Returns the end of the span that contains an instant; `nil` if there is none.
  func end(at instant: Int64) -> Int64? { spans.first { $0.contains(instant) }?.upperBound }

  /// Returns the start of the first span after an instant; `nil` if there is none.
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
  init(
    _ plan: WeekWindows?, exceptions: (FamilyDay) -> DayWindows?, around day: FamilyDay, _ boundary: DayBoundary
  ) {
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
