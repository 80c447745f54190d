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
  /// Returns whether the record of a session that was told as running has arrived.
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

  /// Returns what runs on children's machines, without sessions whose record has arrived.
  package func runningLists() throws -> [DeviceID: KnownInventory<RunningUse>] {
    try database.inventories(RunningUse.self, coding).mapValues { told in
      var told = told
      told.entries = try told.entries.filter { try !database.isRecorded($0) }
      return told
    }
  }
}

/// The applications and categories of rows, each read once: a history names few, many times.
struct AppNames {
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
