import GRDB
import LatchkeyModel

/// The fractions below one milli-point that earlier sessions left over, read and written in the transaction that ends a
/// session.
public struct RemainderTable {
  let database: Database

  /// Returns the remainder of an application on a day.
  public func load(_ app: AppID, _ day: FamilyDay) throws -> PointsRemainder {
    let row = try database.row(
      "SELECT parts FROM points_remainder WHERE app_id = ? AND day = ?", [app.text, day.description])
    return row.flatMap { PointsRemainder(parts: $0[0]) } ?? PointsRemainder()
  }

  /// Stores the remainder of an application on a day.
  public func save(_ app: AppID, _ day: FamilyDay, _ remainder: PointsRemainder) throws {
    try database.run(
      "INSERT INTO points_remainder VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET parts = excluded.parts",
      [app.text, day.description, remainder.parts])
  }
}
