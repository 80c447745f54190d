import Foundation
import GRDB
import LatchkeyModel

/// What sessions of one application left over below one milli-point on one day, or paid in advance.
///
/// Spec: Protocol/11-rules.md §6.
public struct PointsCarry: Hashable, Sendable {
  /// The application.
  public var app: AppID
  /// Whether it earns or costs.
  public var category: AppCategory
  /// The family's day.
  public var day: FamilyDay
  /// The remainder.
  public var remainder: PointsRemainder

  /// Creates a remainder.
  public init(app: AppID, category: AppCategory, day: FamilyDay, remainder: PointsRemainder) {
    self.app = app
    self.category = category
    self.day = day
    self.remainder = remainder
  }
}

extension DatabaseEffects {
  /// Returns the remainders of a child's sessions on this machine.
  public func carries(of child: ChildID) throws -> [PointsCarry] {
    try database.rows("SELECT * FROM carry WHERE child = ?", [Data(child.bytes)]).map { row in
      guard let app = AppID(row["app_id"]), let category = AppCategory(rawValue: row["category"]),
        let day = FamilyDay(row["day"]), let remainder = PointsRemainder(parts: row["parts"])
      else { throw StoreError.unexpected("a remainder of points") }
      return PointsCarry(app: app, category: category, day: day, remainder: remainder)
    }
  }

  /// Keeps the remainders of a child's sessions in place of those before.
  public mutating func setCarries(_ carries: [PointsCarry], of child: ChildID) throws {
    try database.run("DELETE FROM carry WHERE child = ?", [child.bytes])
    for carry in carries where carry.remainder.parts > 0 {
      try database.run(
        "INSERT INTO carry VALUES (?, ?, ?, ?, ?)",
        [child.bytes, carry.app.text, carry.category.rawValue, carry.day.description, carry.remainder.parts])
    }
  }
}

extension DatabaseEffects {
  /// Returns for how long at most a reward was active on this machine beside a session, in milliseconds by the wall clock.
  public func rewardMilliseconds(beside record: UsageRecord) throws -> Int64 {
    try database.first(
      """
      SELECT coalesce(MAX(min(ends, ?3) - max(starts, ?2)), 0) FROM (
        SELECT started_at AS starts, ?3 AS ends FROM open_session
        WHERE category = ?4 AND record_id <> ?5 AND started_at < ?3
        UNION ALL
        SELECT session_start, session_end FROM usage_record
        WHERE device_id = ?1 AND category = ?4 AND session_start < ?3 AND session_end > ?2 AND session_start >= ?2
          - coalesce((SELECT milliseconds FROM usage_longest WHERE device_id = ?1), 0))
      """,
      [
        own.bytes, record.sessionStart, record.sessionEnd, AppCategory.reward.rawValue, record.recordID.bytes,
      ], { $0.integer(0) }) ?? 0
  }
}
