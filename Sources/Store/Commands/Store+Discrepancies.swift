import Foundation
import GRDB
import LatchkeyModel

/// The reports and items of other machines that this machine does not accept.
///
/// Spec: Protocol/06-messages.md §2, §4.
extension Store {
  /// Returns the states that a child's machine reports in place of those that this machine set, latest first.
  ///
  /// Things for which a newer command is waiting are omitted, since its answer will replace the report.
  public func discrepancies(device: DeviceID, limit: Int) async throws(StoreError) -> [Discrepancy] {
    try await read { [coding] database in try database.discrepancies(of: device, limit: limit, coding) }
  }

  /// Returns the numbers of ignored items of each paired device.
  public func unusableItems() async throws(StoreError) -> [UnusableItems] {
    try await read { database in
      try database.rows(
        "SELECT u.*, p.device_id FROM unusable_item u JOIN peer p ON p.number = u.peer WHERE p.state = 2 ORDER BY peer"
      ).map { UnusableItems(device: try $0.deviceID("device_id"), items: $0["items"], reason: $0["reason"]) }
    }
  }
}

/// The ignored items of a paired device.
public struct UnusableItems: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The number of items.
  public var items: Int64
  /// The fault of the last one, in one sentence.
  public var reason: String
}

extension Database {
  func discrepancies(of device: DeviceID, limit: Int, _ coding: any BodyCoding) throws -> [Discrepancy] {
    try rows(
      """
      SELECT d.*, app.display_name FROM discrepancy d
        JOIN peer p ON p.number = d.peer AND p.state = 2
        LEFT JOIN app ON app.device_id = p.device_id AND 'app:' || app.app_id = d.thing
      WHERE p.device_id = ? AND NOT EXISTS (SELECT 1 FROM command later WHERE later.peer = d.peer
          AND later.command_id > d.command_id AND later.supersede_key = d.thing AND later.status IN ('queued', 'stored'))
      ORDER BY d.at DESC, d.thing LIMIT ?
      """, [Data(device.bytes), limit]
    ).compactMap { row in
      guard let id = CommandID(bytes: row["command_id"] as Data) else { return nil }
      let thing: String = row["thing"]
      let app = thing.hasPrefix("app:") ? AppID(String(thing.dropFirst(4))) : nil
      return Discrepancy(
        appID: app, displayName: row["display_name"], commandID: id,
        state: try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }, reason: row["reason"],
        isFarAhead: row["is_far_ahead"], at: row["at"])
    }
  }

  /// Counts items of a peer that cannot be used.
  ///
  /// - Parameters:
  ///   - items: The number of items.
  ///   - peer: The row of the peer.
  ///   - reason: The fault of the last one.
  ///   - wall: The time in Unix milliseconds.
  /// - Throws: The database's error.
  func noteUnusable(_ items: Int, of peer: Int64, _ reason: String, at wall: Int64) throws {
    try run(
      """
      INSERT INTO unusable_item VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET items = items + excluded.items,
        reason = excluded.reason, at = excluded.at
      """, [peer, items, reason, wall])
  }

  /// Deletes the reports and counts of a device, since it is no longer paired.
  func forgetWhatWasNotTaken(_ peer: Int64) throws {
    for table in ["discrepancy", "unusable_item"] { try run("DELETE FROM \(table) WHERE peer = ?", [peer]) }
  }
}
