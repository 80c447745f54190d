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
