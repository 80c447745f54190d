import LatchkeyModel

/// The length of a period of a report.
public enum ReportPeriod: String, Hashable, Sendable, CaseIterable {
  case day
  /// Seven family days from a Monday.
  case week
  case month

  public func start(of day: FamilyDay) -> FamilyDay {
    switch self {
    case .day: day
    case .week: day.startOfWeek
    case .month: FamilyDay(day.description.prefix(8) + "01") ?? day
    }
  }
}

/// A child's use by period and application.
///
/// Each instant counts once in the time of an application, of a category, and of the period, as in
/// the totals of a day (`UseTotals`). Points and the number of sessions are sums.
///
/// Spec: Protocol/11-rules.md §8, §10.
public struct UsageReport: Sendable {
  /// The use of one application in one period.
  public struct Row: Hashable, Sendable {
    public var app: AppID
    public var category: AppCategory
    /// The time of use in milliseconds, each instant once.
    public var milliseconds: Int64
    /// What learning earned by its records, in milli-points.
    public var earnedMilliPoints: Int64
    public var sessions: Int64
  }

  /// The use in one period.
  public struct Period: Hashable, Sendable {
    public var start: FamilyDay
    /// The child's time of use in milliseconds, each instant once.
    public fileprivate(set) var milliseconds: Int64 = 0
    /// The time of use of each category that has any, in milliseconds, each instant once.
    public fileprivate(set) var categories: [AppCategory: Int64] = [:]
    /// The rows, the longest use first.
    public fileprivate(set) var rows: [Row] = []
  }

  /// An application in one of the categories that it had.
  private struct Series: Hashable {
    var app: AppID
    var category: AppCategory
  }

  private struct Key: Hashable {
    var period: Int
    var series: Int
  }

  /// The instants at which the days of the report begin, followed by the end of the last day.
  private let edges: [Int64]
  /// The index of the period of each day.
  private let periodOfDay: [Int]
  private var instants: UseInstants
  private var series: [Series: Int] = [:]
  /// The index of each row among the rows of its period.
  private var places: [Key: Int] = [:]
  /// Every period, the oldest first.
  private var all: [Period] = []

  /// The most days of a report: about ten years.
  public static let mostDays = 3_660

  /// Creates a report of the days from a first to a last one, at most 3,660, without use.
  public init(
    _ boundary: DayBoundary, _ period: ReportPeriod, from first: FamilyDay, through last: FamilyDay,
    isLearningFree: Bool = false
  ) {
    instants = UseInstants(isLearningFree: isLearningFree)
    let count = min(max(last.days(since: first) + 1, 1), Self.mostDays)
    let days = (0..<count).map { first.advanced(byDays: $0) }
    edges = days.map { boundary.start(of: $0) } + [boundary.end(of: days[days.count - 1])]
    var periods: [Period] = []
    periodOfDay = days.map { day in
      let start = period.start(of: day)
      if periods.last?.start != start { periods.append(Period(start: start)) }
      return periods.count - 1
    }
    all = periods
  }

  /// Adds a session, from its start for its time of use, as far as it is in the report's days.
  public mutating func add(_ session: UsageSlice) {
    guard let stretch = SpanSet.stretch(from: session.start, milliseconds: session.activeMilliseconds),
      stretch.lowerBound < edges[edges.count - 1], stretch.upperBound >= edges[0]
    else { return }
    let begins = stretch.lowerBound >= edges[0]
    let first = begins ? index(of: stretch.lowerBound) : 0
    // Most sessions lie within one day.
    if begins, stretch.upperBound <= edges[first + 1] {
      count(stretch, session, earned: session.earnedMilliPoints, on: first, isStart: true)
      return
    }
    var slice = session
    (slice.end, slice.activeMilliseconds) = (stretch.upperBound, stretch.upperBound - stretch.lowerBound)
    for part in slice.cut(at: edges[first...].prefix { $0 < stretch.upperBound })
    where part.start >= edges[0] && part.start < edges[edges.count - 1] {
      let isStart = part.start == stretch.lowerBound
      count(part.start..<part.end, session, earned: part.earnedMilliPoints, on: index(of: part.start), isStart: isStart)
    }
  }

  /// The periods with use, newest first.
  public var periods: [Period] {
    all.reversed().filter { !$0.rows.isEmpty || $0.milliseconds > 0 }.map { period in
      var period = period
      period.rows.sort { left, right in
        if left.milliseconds != right.milliseconds { return left.milliseconds > right.milliseconds }
        return left.app == right.app ? left.category.rawValue < right.category.rawValue : left.app < right.app
      }
      return period
    }
  }

  private mutating func count(_ range: Range<Int64>, _ session: UsageSlice, earned: Int64, on day: Int, isStart: Bool) {
    if session.appID == .screenTime {
      all[periodOfDay[day]].milliseconds += instants.add(range)
      return
    }
    let name = Series(app: session.appID, category: session.category)
    let number = series[name] ?? series.count
    if number == series.count { series[name] = number }
    let period = periodOfDay[day]
    let place = places[Key(period: period, series: number)] ?? all[period].rows.count
    if place == all[period].rows.count {
      places[Key(period: period, series: number)] = place
      all[period].rows.append(
        Row(app: session.appID, category: session.category, milliseconds: 0, earnedMilliPoints: 0, sessions: 0))
    }
    let added = instants.add(range, session.category, app: number)
    all[period].milliseconds += added.screen
    if added.category > 0 { all[period].categories[session.category, default: 0] += added.category }
    all[period].rows[place].milliseconds += added.app
    all[period].rows[place].earnedMilliPoints = Moment.sum(all[period].rows[place].earnedMilliPoints, max(0, earned))
    if isStart { all[period].rows[place].sessions += 1 }
  }

  /// Returns the index of the day that contains an instant of the report.
  private func index(of instant: Int64) -> Int {
    var (low, high) = (0, edges.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if edges[middle] <= instant { low = middle } else { high = middle }
    }
    return low
  }
}
