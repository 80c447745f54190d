import Foundation
import GRDB
import LatchkeyModel

/// Items of this machine that other devices refused.
///
/// Spec: Protocol/06-messages.md §9.
extension Store {
  /// Returns the number of items of each kind that each paired device has refused by name.
  public func refusals() async throws(StoreError) -> [RefusalTally] {
    try await read { database in
      try database.rows(
        """
        SELECT p.device_id, r.kind, r.reason, COUNT(*) AS items FROM refused_item r JOIN peer p ON p.number = r.peer
        WHERE p.state = 2 GROUP BY r.peer, r.kind, r.reason ORDER BY r.peer, r.kind, r.reason
        """
      ).map { row in
        RefusalTally(
          device: try row.deviceID("device_id"), kind: ItemKind(rawValue: UInt32(clamping: row["kind"] as Int64)),
          reason: RefusalReason(rawValue: UInt32(clamping: row["reason"] as Int64)) ?? .unreadable, items: row["items"])
      }
    }
  }

  /// Returns the usage records of this machine that paired devices have refused, with those
  /// devices.
  public func refusedRecords() async throws(StoreError) -> [RecordID: [DeviceID]] {
    try await read { database in
      var found: [RecordID: [DeviceID]] = [:]
      let rows = try database.rows(
        """
        SELECT r.item_id, p.device_id FROM refused_item r JOIN peer p ON p.number = r.peer
        WHERE r.kind = \(ItemNumber.usageRecord) AND p.state = 2 ORDER BY r.peer
        """)
      for row in rows {
        guard let record = RecordID(bytes: row["item_id"] as Data) else { continue }
        found[record, default: []].append(try row.deviceID("device_id"))
      }
      return found
    }
  }
}

extension Database {
  /// Returns the total number of items of this machine that each paired device reports as refused,
  /// including those it did not name.
  func refusedInAll() throws -> [DeviceID: Int64] {
    let rows = try self.rows(
      "SELECT p.device_id, c.there FROM refusal_count c JOIN peer p ON p.number = c.peer WHERE p.state = 2 AND c.there > 0"
    )
    return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.deviceID("device_id"), $0["there"] as Int64) })
  }

  /// Deletes the refusals between this machine and a device that is no longer paired.
  func forgetRefusals(_ peer: Int64) throws {
    for table in ["refusal_count", "refused_item"] { try run("DELETE FROM \(table) WHERE peer = ?", [peer]) }
  }
}
