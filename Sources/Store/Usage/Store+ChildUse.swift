import Foundation
import GRDB
import LatchkeyModel
import LatchkeyRules

/// A stretch of a child's use, as totals count it.
public struct CountedUse: Hashable, Sendable {
  /// The application.
  public var app: AppID
  /// The category at the time.
  public var category: AppCategory
  /// The start in household time, Unix milliseconds.
  public var start: Int64
  /// The time of use in milliseconds.
  public var milliseconds: Int64
}

/// The use of a child on all machines, as far as this machine knows of it.
///
/// Spec: Protocol/11-rules.md §8, §10.
extension Store {
  /// Returns the use that began at or after a time in household time, Unix milliseconds, in the order of the starts.
  public func use(of child: ChildID, since start: Int64) async throws(StoreError) -> [CountedUse] {
    try await read { database in
      var names = AppNames()
      var found: [CountedUse] = []
      try database.each(
        """
        SELECT app_id, category, household_start, active FROM usage_record
        WHERE child = ? AND household_start >= ? ORDER BY household_start
        """, [child.bytes, start]
      ) { row in
        found.append(
          CountedUse(
            app: try names.app(row, 0), category: try names.category(row, 1), start: row.integer(2),
            milliseconds: row.integer(3)))
        return true
      }
      return found
    }
  }

  /// Returns the time that the longest session of any device took, by the wall clock or in use, in milliseconds.
  public func longestSession() async throws(StoreError) -> Int64 {
    try await read { try $0.longestSession() }
  }

  /// Returns whether the record of a session that was told as running has arrived.
  public func isRecorded(_ use: RunningUse) async throws(StoreError) -> Bool {
    guard let child = use.child else { return false }
    return try await read { database in
      try database.first(
        "SELECT 1 FROM usage_record WHERE child = ? AND household_start = ? AND record_id = ?",
        [child.bytes, use.since, use.recordID.bytes], { _ in true }) ?? false
    }
  }

  /// Calls `visit` for each session of a child that may overlap a range of household time, in Unix milliseconds, and
  /// returns the latest name of each application.
  ///
  /// A session is given from its start in household time, for as long as its time of use; without a name and a rate. The
  /// earliest comes first.
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
  fileprivate func longestSession() throws -> Int64 {
    try first("SELECT coalesce(MAX(milliseconds), 0) FROM usage_longest", [], { $0.integer(0) }) ?? 0
  }
}

/// The applications and categories of rows, each read once: a history names few of them, many times.
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
    guard let category = AppCategory(rawValue: String(decoding: text, as: UTF8.self)) else {
      throw StoreError.unexpected("a category")
    }
    categories.append((text, category))
    return category
  }
}
