import LatchkeyModel

/// A builder of daily summaries from sessions.
///
/// The same sessions result in the same summaries, in any order.
public struct DailySummaryBuilder: Sendable {
  /// The identity of a row.
  private struct Key: Hashable {
    var day: FamilyDay
    var appID: AppID
    var category: AppCategory
  }

  private struct Row {
    var displayName: String
    var namedAt: Int64
    var activeMilliseconds: Int64 = 0
    var milliPoints: Int64 = 0
    var carry = PointsRemainder()
  }

  private let device: DeviceID
  private let boundary: DayBoundary
  private var rows: [Key: Row] = [:]
  private var doubtful: [FamilyDay: Int64] = [:]

  /// Creates a builder without sessions for a child's machine and the family's days.
  public init(device: DeviceID, boundary: DayBoundary) {
    self.device = device
    self.boundary = boundary
  }

  /// Adds a session to the days that it covers.
  ///
  /// The points earned are those that its record fixed at the time, divided among its days; those paid for a reward are what
  /// the slice says, and otherwise follow from its time and rate, rounded up for each day. Sums that exceed 64 bits stay at
  /// the largest value.
  /// `isDoubtful` marks a record that cannot be true, which is counted nevertheless.
  public mutating func add(_ session: UsageSlice, isDoubtful: Bool = false) {
    for (day, slice) in boundary.slices(of: session) {
      if isDoubtful { doubtful[day, default: 0] += 1 }
      let key = Key(day: day, appID: slice.appID, category: slice.category)
      var row = rows[key] ?? Row(displayName: slice.displayName, namedAt: slice.start)
      // The latest name is the one that people know. If two sessions begin at once, the result must not depend on their
      // order.
      if (slice.start, slice.displayName) > (row.namedAt, row.displayName) {
        (row.displayName, row.namedAt) = (slice.displayName, slice.start)
      }
      let active = min(max(slice.activeMilliseconds, 0), PointsArithmetic.longestMilliseconds)
      row.activeMilliseconds = Self.sum(row.activeMilliseconds, active)
      switch slice.category {
      case .learning: row.milliPoints = Self.sum(row.milliPoints, max(slice.earnedMilliPoints, 0))
      case .reward:
        let cost =
          slice.paidMilliPoints
          ?? PointsArithmetic.cost(activeMilliseconds: active, rate: slice.rate, carry: &row.carry)
        row.milliPoints = Self.sum(row.milliPoints, max(cost, 0))
      case .neutral: break
      }
      rows[key] = row
    }
  }

  /// Returns a summary for each day with use, newest first; within a day, the most used application comes first.
  public func summaries() -> [DailySummary] {
    Dictionary(grouping: rows, by: \.key.day).sorted { $0.key > $1.key }.map { day, rows in
      var summary = DailySummary(
        device: device, day: day.description, zone: boundary.zoneName,
        dayMilliseconds: boundary.end(of: day) - boundary.start(of: day), learningMilliseconds: 0,
        rewardMilliseconds: 0, earnedMilliPoints: 0, apps: [], doubtfulSessions: doubtful[day] ?? 0)
      var all: Int64 = 0
      for (key, row) in rows {
        all = Self.sum(all, row.activeMilliseconds)
        switch key.category {
        case .learning:
          summary.learningMilliseconds = Self.sum(summary.learningMilliseconds, row.activeMilliseconds)
          summary.earnedMilliPoints = Self.sum(summary.earnedMilliPoints, row.milliPoints)
        case .reward: summary.rewardMilliseconds = Self.sum(summary.rewardMilliseconds, row.activeMilliseconds)
        case .neutral: break
        }
        summary.apps.append(
          DailySummary.AppRow(
            appID: key.appID, displayName: row.displayName, category: key.category,
            activeMilliseconds: row.activeMilliseconds, milliPoints: row.milliPoints,
            isImpossible: summary.isTooLong(row.activeMilliseconds)))
      }
      summary.isImpossible = summary.isTooLong(all)
      summary.apps.sort {
        ($1.activeMilliseconds, $0.appID, $0.category.rawValue) < (
          $0.activeMilliseconds, $1.appID, $1.category.rawValue
        )
      }
      return summary
    }
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
