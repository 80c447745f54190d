import LatchkeyCalendar
import LatchkeyModel

/// The length of a period of a report.
public enum ReportPeriod: String, Hashable, Sendable, CaseIterable {
  /// A family day.
  case day
  /// Seven family days from a Monday.
  case week
  /// The family days of a month.
  case month

  /// Returns the first day of the period that contains a day.
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
/// Each total is the sum of the records, divided among family days as `DayBoundary.slices(of:)` divides them: nothing is
/// lost at an edge or counted twice.
///
/// Spec: Protocol/11-rules.md §10.
public struct UsageReport: Sendable {
  /// The use of one application in one period.
  public struct Row: Hashable, Sendable {
    /// The application.
    public var app: AppID
    /// The category at the time of use.
    public var category: AppCategory
    /// The time of use in milliseconds.
    public var milliseconds: Int64
    /// What learning earned by its records, in milli-points.
    public var earnedMilliPoints: Int64
    /// The sessions that began in the period.
    public var sessions: Int64
  }

  /// The use in one period.
  public struct Period: Hashable, Sendable {
    /// The first day.
    public var start: FamilyDay
    /// The rows, the longest use first.
    public var rows: [Row]

    /// Returns the time of use of a category in milliseconds.
    public func milliseconds(_ category: AppCategory) -> Int64 {
      rows.reduce(0) { $1.category == category ? Moment.sum($0, $1.milliseconds) : $0 }
    }
  }

  private struct Key: Hashable {
    var period: Int32
    var app: Int32
    var category: AppCategory
  }

  private let boundary: DayBoundary
  private let period: ReportPeriod
  /// The days of the report, and the instants at which they begin; one more instant for the end of the last.
  private let first: FamilyDay
  private let edges: [Int64]
  /// The index of the period of each day.
  private let periodOfDay: [Int]
  private let starts: [FamilyDay]

  private var apps: [AppID: Int32] = [:]
  /// The index of each row among the rows of its period.
  private var places: [Key: Int] = [:]
  /// The rows of each period.
  private var rows: [[Row]]

  /// The most days of a report: about ten years.
  public static let mostDays = 3_660

  /// Creates a report of the days from a first to a last one, at most 3,660, without use.
  public init(_ boundary: DayBoundary, _ period: ReportPeriod, from first: FamilyDay, through last: FamilyDay) {
    self.boundary = boundary
    self.period = period
    self.first = first
    let count = min(max(last.days(since: first) + 1, 1), Self.mostDays)
    let days = (0..<count).map { first.advanced(byDays: $0) }
    edges = days.map { boundary.start(of: $0) } + [boundary.end(of: days[days.count - 1])]
    var starts: [FamilyDay] = []
    periodOfDay = days.map { day in
      let start = period.start(of: day)
      if starts.last != start { starts.append(start) }
      return starts.count - 1
    }
    self.starts = starts
    rows = Array(repeating: [], count: starts.count)
  }

  /// Adds a session; the part of it outside of the report's days is left out.
  public mutating func add(_ session: UsageSlice) {
    // Most sessions lie within one day.
    if session.start >= edges[0], session.end < edges[edges.count - 1], session.start < session.end {
      let day = index(of: session.start)
      if session.end <= edges[day + 1], session.end - session.start >= session.activeMilliseconds {
        count(session, on: day, isStart: true)
        return
      }
    }
    for (offset, part) in boundary.slices(of: session).enumerated() {
      let day = part.day.days(since: first)
      if periodOfDay.indices.contains(day) { count(part.slice, on: day, isStart: offset == 0) }
    }
  }

  /// The periods with use, newest first.
  public var periods: [Period] {
    zip(starts, rows).reversed().filter { !$1.isEmpty }.map { start, rows in
      let sorted = rows.sorted { left, right in
        if left.milliseconds != right.milliseconds { return left.milliseconds > right.milliseconds }
        return left.app == right.app ? left.category.rawValue < right.category.rawValue : left.app < right.app
      }
      return Period(start: start, rows: sorted)
    }
  }

  private mutating func count(_ part: UsageSlice, on day: Int, isStart: Bool) {
    let app: Int32
    if let known = apps[part.appID] {
      app = known
    } else {
      app = Int32(truncatingIfNeeded: apps.count)
      apps[part.appID] = app
    }
    let period = periodOfDay[day]
    let key = Key(period: Int32(period), app: app, category: part.category)
    let place: Int
    if let known = places[key] {
      place = known
    } else {
      place = rows[period].count
      places[key] = place
      rows[period].append(
        Row(app: part.appID, category: part.category, milliseconds: 0, earnedMilliPoints: 0, sessions: 0))
    }
    rows[period][place].add(part, isStart: isStart)
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

extension UsageReport.Row {
  fileprivate mutating func add(_ part: UsageSlice, isStart: Bool) {
    milliseconds = Moment.sum(milliseconds, max(0, part.activeMilliseconds))
    earnedMilliPoints = Moment.sum(earnedMilliPoints, max(0, part.earnedMilliPoints))
    if isStart { sessions = Moment.sum(sessions, 1) }
  }
}
