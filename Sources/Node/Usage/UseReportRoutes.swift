import LatchkeyModel
import LatchkeyRules

extension Endpoints {
  package static let getUseReport = Endpoint(
    .get, "/v1/children/{child}/report", Path.child,
    Query.text("period", "The length of a period: day, week or month; day if it is absent."),
    Query.text("from", "The first day, such as 2026-11-01."), Query.text("to", "The last day; today if it is absent."),
    browsers: .look, errors: [.unknownChild, .ambiguousChild],
    summary: "A child's use by day, week or month, the newest first."
  ) { call, child, period, from, to in
    try await call.useReport(of: call.child(child), by: period ?? "day", from: from, to: to)
  }
}

extension Call {
  fileprivate func useReport(of child: ChildID, by word: String, from: String?, to: String?) async throws -> UseReport {
    guard let period = ReportPeriod(rawValue: word) else {
      throw LocalAPIError(.invalid, phrase: "A report is by day, week or month: give one of them.")
    }
    let household = try await household()
    let rules = household.rules(for: child)
    let boundary = rules.boundary
    let last = try to.map(Self.reportDay) ?? context.time.moment(boundary).day
    let first = try from.map(Self.reportDay) ?? period.usualStart(before: last)
    guard first <= last else {
      throw LocalAPIError(
        .invalid, phrase: "The range ends before it begins: give --from a day that is not after --to.")
    }
    guard last.days(since: first) < UsageReport.mostDays else {
      throw LocalAPIError(
        .invalid, phrase: "A report has at most {days} days: give a later --from.",
        ["days": .number(UsageReport.mostDays)])
    }
    let empty = UsageReport(
      boundary, period, from: first, through: last, isLearningFree: rules.screenTime.learning == .free)
    // What runs is read first, so that a session that ends meanwhile is in at least one of both.
    let now = context.now()
    let running = try await context.running(at: now).map(\.use).filter { $0.child == child }
    var (report, names) = try await store.sessions(
      of: child, from: boundary.start(of: first), to: boundary.end(of: last), into: empty
    ) { $0.add($1) }
    for use in running {
      report.add(UsageSlice(use))
      if names[use.appID] == nil { names[use.appID] = use.displayName }
    }
    let periods = report.periods.map { period in
      let rows = period.rows.map { row in
        UseReport.Row(
          appID: row.app, displayName: rules.app(row.app).name ?? names[row.app] ?? row.app.text,
          category: row.category, milliseconds: row.milliseconds, earnedMilliPoints: row.earnedMilliPoints,
          sessions: row.sessions)
      }
      return UseReport.Period(
        start: period.start.description, milliseconds: period.milliseconds,
        categories: CategoryToday.list(period.categories), rows: rows)
    }
    return UseReport(
      childID: child, name: household.title(of: child), period: period.rawValue, from: first.description,
      to: last.description, periods: periods)
  }

  private static func reportDay(_ text: String) throws(LocalAPIError) -> FamilyDay {
    guard let day = FamilyDay(text) else {
      throw LocalAPIError(
        .invalid, phrase: "“{text}” is no day: write it as 2026-11-21.",
        ["text": .text(DeviceName(sanitising: text).text)])
    }
    return day
  }
}

extension ReportPeriod {
  /// Returns the usual first day: of a week of days, five weeks, or a year of months.
  fileprivate func usualStart(before last: FamilyDay) -> FamilyDay {
    switch self {
    case .day: last.advanced(byDays: -6)
    case .week: last.startOfWeek.advanced(byDays: -28)
    case .month: start(of: last.advanced(byDays: -330))
    }
  }
}

/// A child's use by day, week or month, as the local API shows it.
package struct UseReport: Hashable, Sendable, Codable {
  package struct Row: Hashable, Sendable, Codable {
    package var appID: AppID
    package var displayName: String
    package var category: AppCategory
    /// Milliseconds of use, each instant once.
    package var milliseconds: Int64
    package var earnedMilliPoints: Int64
    package var sessions: Int64
  }

  package struct Period: Hashable, Sendable, Codable {
    /// The first day, such as `2026-11-16`.
    package var start: String
    /// Milliseconds of the child's use, each instant once.
    package var milliseconds: Int64
    /// The use of each category that has any, each instant once.
    package var categories: [CategoryToday]
    package var rows: [Row]
  }

  package var childID: ChildID
  package var name: DeviceName
  /// `day`, `week` or `month`.
  package var period: String
  /// The first day, such as `2026-11-01`.
  package var from: String
  package var to: String
  package var periods: [Period]
}
