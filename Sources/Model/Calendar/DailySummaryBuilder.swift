/// Makes daily summaries out of sessions; the same sessions give the same summaries, in whatever order they come.
public struct DailySummaryBuilder: Sendable {
  /// One row is kept for each.
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

  /// Start with no sessions.
  ///
  /// - Parameters:
  ///   - device: The child's machine the sessions are of.
  ///   - boundary: The family's days.
  public init(device: DeviceID, boundary: DayBoundary) {
    self.device = device
    self.boundary = boundary
  }

  /// Count a session in the days it lies in.
  ///
  /// Points earned are those its record froze at the time, divided among its days. What reward use cost follows from its
  /// time and rate, rounded up over each day. Sums that no 64 bits hold stay at the greatest number there is.
  ///
  /// - Parameter isDoubtful: Whether the session's record cannot be true; it is counted all the same.
  public mutating func add(_ session: UsageSlice, isDoubtful: Bool = false) {
    for (day, slice) in boundary.slices(of: session) {
      if isDoubtful { doubtful[day, default: 0] += 1 }
      let key = Key(day: day, appID: slice.appID, category: slice.category)
      var row = rows[key] ?? Row(displayName: slice.displayName, namedAt: slice.start)
      // The name an application had last is the one people know it by; of two at once, the order must not decide.
      if (slice.start, slice.displayName) > (row.namedAt, row.displayName) {
        (row.displayName, row.namedAt) = (slice.displayName, slice.start)
      }
      let active = min(max(slice.activeMilliseconds, 0), PointsArithmetic.longestMilliseconds)
      row.activeMilliseconds = Self.sum(row.activeMilliseconds, active)
      switch slice.category {
      case .learning: row.milliPoints = Self.sum(row.milliPoints, max(slice.earnedMilliPoints, 0))
      case .reward:
        let cost = PointsArithmetic.cost(activeMilliseconds: active, rate: slice.rate, carry: &row.carry)
        row.milliPoints = Self.sum(row.milliPoints, cost)
      case .neutral: break
      }
      rows[key] = row
    }
  }

  /// Give a summary for each day that has use, the newest first; in each, the most used application first.
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
