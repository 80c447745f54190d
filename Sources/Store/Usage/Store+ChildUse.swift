import Foundation
import GRDB
import LatchkeyModel
import LatchkeyRules

/// The use of a child on all machines, as far as this machine knows of it. Spec:
/// Protocol/11-rules.md §8, §10.
extension Store {
  /// Calls `visit` for each session of a child that may overlap a range of household time, in Unix
  /// milliseconds, and returns the latest name of each application.
  ///
  /// A session is given from its start in household time, for as long as its time of use; without a
  /// name and a rate. The earliest comes first.
  public func sessions<Result: Sendable>(
    of child: ChildID, from: Int64, to: Int64, into result: Result,
    _ visit: @escaping @Sendable (inout Result, UsageSlice) -> Void
  ) async throws(StoreError) -> (result: Result, names: [AppID: String]) {
    try await read { database in
      let earliest = from.subtractingReportingOverflow(try database.longestSession())
      var names = AppNames()
      var result = result
      try database.each(
        """
        SELECT household_start, active, app_id, category, earned, rowid FROM usage_record
        WHERE child = ? AND household_start >= ? AND household_start < ? ORDER BY household_start
        """, [child.bytes, earliest.overflow ? Int64.min : earliest.partialValue, to]
      ) { row in
        let (start, active) = (row.integer(0), row.integer(1))
        visit(
          &result,
          UsageSlice(
            appID: try names.app(row, 2, number: 5), displayName: "", category: try names.category(row, 3),
            rate: PointsRate(milliPointsPerMinute: 0), start: start,
            end: min(Int64.max - start, max(0, active)) + start, activeMilliseconds: active,
            earnedMilliPoints: row.integer(4)))
        return true
      }
      var shown: [AppID: String] = [:]
      for (app, number) in names.latest {
        shown[app] = try database.row("SELECT display_name FROM usage_record WHERE rowid = ?", [number])?[0]
      }
      return (result, shown)
    }
  }
}

extension Database {
  /// Returns whether the record of a session that was reported as running has arrived.
  fileprivate func isRecorded(_ use: RunningUse) throws -> Bool {
    guard let child = use.child else { return false }
    return try exists(
      "SELECT 1 FROM usage_record WHERE child = ? AND household_start = ? AND record_id = ?",
      [child.bytes, use.since, use.recordID.bytes])
  }

  fileprivate func longestSession() throws -> Int64 {
    try integer("SELECT coalesce(MAX(milliseconds), 0) FROM usage_longest") ?? 0
  }
}

extension DatabaseEffects {
  /// Returns a child's use on all machines from the day in UTC that contains a time in household
  /// time, Unix milliseconds.
  public func use(of child: ChildID, since start: Int64) throws -> [UseSpan] {
    try database.use(of: child, since: start)
  }

  /// Returns the running sessions on children's machines, without those whose record has arrived.
  package func runningLists() throws -> [DeviceID: KnownInventory<RunningUse>] {
    try database.inventories(RunningUse.self, coding).mapValues { told in
      var told = told
      told.entries = try told.entries.filter { try !database.isRecorded($0) }
      return told
    }
  }
}

/// The applications and categories of rows, each read once: a history names few, many times.
private struct AppNames {
  private var apps: [(text: [UInt8], app: AppID, row: Int64)] = []
  private var categories: [(text: [UInt8], category: AppCategory)] = []

  /// The row in which each application occurred last.
  var latest: [(AppID, Int64)] { apps.map { ($0.app, $0.row) } }

  /// Returns the application in a column; `number` is the column with the row's number.
  mutating func app(_ row: Columns, _ index: CInt, number: CInt? = nil) throws -> AppID {
    for place in apps.indices where row.holds(apps[place].text, index) {
      if let number { apps[place].row = row.integer(number) }
      return apps[place].app
    }
    let text = row.bytes(index)
    guard let app = AppID(String(decoding: text, as: UTF8.self)) else { throw StoreError.unexpected("an application") }
    apps.append((text, app, number.map(row.integer) ?? 0))
    return app
  }

  mutating func category(_ row: Columns, _ index: CInt) throws -> AppCategory {
    for known in categories where row.holds(known.text, index) { return known.category }
    let text = row.bytes(index)
    guard let category = AppCategory(rawValue: String(decoding: text, as: UTF8.self))
    else { throw StoreError.unexpected("a category") }
    categories.append((text, category))
    return category
  }
}

/// The instants at which a child used each application, by day in UTC. They change in the
/// transaction that stores or forgets a record, so that totals of a week read a few rows instead of
/// all its records. They are no sums, since overlapping use counts once, and the rules choose the
/// family's day. Spec: Protocol/11-rules.md §8.
extension Database {
  private static var dayMilliseconds: Int64 { 86_400_000 }
  /// The most ranges of a day, more than a person makes; beyond it, the nearest are joined.
  private static var mostRanges: Int { 4_096 }

  /// Returns a child's use on all machines from the day in UTC that contains a time in household
  /// time, Unix milliseconds.
  func use(of child: ChildID, since start: Int64) throws -> [UseSpan] {
    var names = AppNames()
    var found: [UseSpan] = []
    try each(
      "SELECT app_id, category, day, ranges FROM use_day WHERE child = ? AND day >= ?",
      [child.bytes, start / Self.dayMilliseconds]
    ) { row in
      let (app, category) = (try names.app(row, 0), try names.category(row, 1))
      for range in SpanSet(row.bytes(3)).ranges {
        found.append(
          UseSpan(
            app: app, category: category, start: row.integer(2) * Self.dayMilliseconds + range.lowerBound,
            milliseconds: range.upperBound - range.lowerBound))
      }
      return true
    }
    return found
  }

  /// Adds a record's use to the days on which it lies, of those given.
  func count(_ record: UsageRecord, of child: ChildID, on days: ClosedRange<Int64> = 0...Int64.max) throws {
    guard let use = SpanSet.stretch(from: record.householdStart, milliseconds: record.activeMilliseconds)
    else { return }
    var start = use.lowerBound
    while start < use.upperBound {
      let day = start / Self.dayMilliseconds
      let (begin, end) = (day * Self.dayMilliseconds, min(use.upperBound, (day + 1) * Self.dayMilliseconds))
      defer { start = end }
      guard days.contains(day) else { continue }
      let place: Bindings = [child.bytes, day, record.appID.text, record.category.rawValue]
      let known = try first(
        "SELECT ranges FROM use_day WHERE child = ? AND day = ? AND app_id = ? AND category = ?", place, { $0.bytes(0) }
      )
      var set = SpanSet(known ?? [])
      guard set.insert(start - begin..<end - begin) > 0 else { continue }
      set.limit(to: Self.mostRanges)
      try run(
        "INSERT OR REPLACE INTO use_day VALUES (?, ?, ?, ?, ?)",
        [child.bytes, day, record.appID.text, record.category.rawValue, set.bytes])
    }
  }

  /// Counts a child's use of a time anew, after records were forgotten; both in household time,
  /// Unix milliseconds.
  func countAgain(_ child: ChildID, from first: Int64, to last: Int64) throws {
    let days = max(0, first) / Self.dayMilliseconds...max(0, max(first, last)) / Self.dayMilliseconds
    try run(
      "DELETE FROM use_day WHERE child = ? AND day BETWEEN ? AND ?", [child.bytes, days.lowerBound, days.upperBound])
    let records = try rows(
      "SELECT * FROM usage_record WHERE child = ? AND household_start BETWEEN ? AND ?",
      [
        Data(child.bytes), max(0, first) - SpanSet.longestMilliseconds - Self.dayMilliseconds,
        // Sessions that begin later on the last day are counted anew as well.
        (days.upperBound + 1) * Self.dayMilliseconds,
      ])
    for record in records { try count(UsageRecord(record), of: child, on: days) }
  }

  /// Returns the children with any known use.
  func usedChildren() throws -> [ChildID] {
    try rows("SELECT DISTINCT child FROM use_day").compactMap { ChildID(bytes: $0.bytes("child")) }
  }
}

extension SpanSet {
  /// Reads the ranges of a day, without malformed ones: a child may have changed the database.
  init(_ bytes: [UInt8]) {
    func number(_ place: Int) -> Int64 { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
    var ranges: [Range<Int64>] = []
    for place in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
      let (start, end) = (number(place), number(place + 4))
      if start < end, end <= 86_400_000, start > ranges.last?.upperBound ?? -1 { ranges.append(start..<end) }
    }
    self.init(ranges: ranges)
  }

  fileprivate var bytes: [UInt8] {
    ranges.flatMap { range in
      [range.lowerBound, range.upperBound].flatMap { number in
        stride(from: Int64(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
      }
    }
  }
}
