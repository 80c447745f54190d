import Foundation
import GRDB
import LatchkeyModel

/// What sessions of one application left over below one milli-point on one day, or paid in advance
/// (Protocol/11-rules.md §6).
public struct PointsCarry: Hashable, Sendable {
  public var app: AppID
  /// Whether it earns or costs.
  public var category: AppCategory
  public var day: FamilyDay
  public var remainder: PointsRemainder

  public init(app: AppID, category: AppCategory, day: FamilyDay, remainder: PointsRemainder) {
    (self.app, self.category, self.day, self.remainder) = (app, category, day, remainder)
  }
}

extension DatabaseEffects {
  public func carries(of child: ChildID) throws -> [PointsCarry] {
    try database.rows("SELECT * FROM carry WHERE child = ?", [Data(child.bytes)]).map { row in
      guard let app = AppID(row["app_id"]), let category = AppCategory(rawValue: row["category"]),
        let day = FamilyDay(row["day"]), let remainder = PointsRemainder(parts: row["parts"])
      else { throw StoreError.unexpected("a remainder of points") }
      return PointsCarry(app: app, category: category, day: day, remainder: remainder)
    }
  }

  public mutating func setCarries(_ carries: [PointsCarry], of child: ChildID) throws {
    try database.run("DELETE FROM carry WHERE child = ?", [child.bytes])
    for carry in carries where carry.remainder.parts > 0 {
      try database.run(
        "INSERT INTO carry VALUES (?, ?, ?, ?, ?)",
        [child.bytes, carry.app.text, carry.category.rawValue, carry.day.description, carry.remainder.parts])
    }
  }

  /// Returns for how long at most a reward of the same child was active on this machine beside a
  /// session, in milliseconds.
  ///
  /// The session lasted for `elapsed` milliseconds. With `inOtherAccounts`, what ran in its own
  /// account is left out, but for unknown programs: the agent does not know that they are rewards.
  public func rewardMilliseconds(
    beside record: UsageRecord, elapsed: Int64, inOtherAccounts: Bool = false
  ) throws -> Int64 {
    let (start, end) = (record.householdStart, record.householdStart + elapsed)
    // No session is taken to be longer than 31 days.
    return try database.integer(
      """
      SELECT coalesce(MAX(min(ends, ?3) - max(starts, ?2)), 0) FROM (
        SELECT household_start AS starts, ?3 AS ends FROM open_session
        WHERE category = ?4 AND child IS ?6 AND record_id <> ?5 AND household_start < ?3
          AND (NOT ?7 OR account IS NOT ?8 OR app_id = ?9)
        UNION ALL
        SELECT household_start, household_start + active FROM usage_record
        WHERE device_id = ?1 AND category = ?4 AND child IS ?6 AND household_start < ?3
          AND household_start + active > ?2 AND household_start >= ?2 - 2678400000
          AND (NOT ?7 OR account IS NOT ?8 OR app_id = ?9))
      """,
      [
        own.bytes, start, end, AppCategory.reward.rawValue, record.recordID.bytes, record.child?.bytes,
        inOtherAccounts ? 1 : 0, record.account, AppID.unknownPrograms.text,
      ]) ?? 0
  }
}
