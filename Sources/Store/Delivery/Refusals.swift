import Foundation
import GRDB
import LatchkeyModel

/// The handling of ignored items.
///
/// The refusal for their sender is queued in the same transaction. Spec: Protocol/06-messages.md
/// §9.
extension InboxTransaction {
  /// Ignores an item that cannot be used.
  mutating func passOver(_ item: DeliveryItem, _ streamClass: StreamClass, _ fault: BodyFault) {
    result.faults.append(fault.description)
    // A receipt answers a command; a refusal is never refused, or two machines might never end.
    guard streamClass != .command, item.kind != .refusal else { return }
    refused.append(RefusedItem(streamClass: streamClass, kind: item.kind, itemID: item.itemID, reason: fault.reason))
  }

  /// Queues a refusal of the ignored items.
  ///
  /// Items that do not fit are included in the total that the next refusal states.
  mutating func tellRefusals() throws {
    guard !refused.isEmpty, !result.wasRemoved else { return }
    let total =
      try database.integer(
        """
        INSERT INTO refusal_count VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET here = here + excluded.here RETURNING here
        """, [peer.number, refused.count]) ?? 0
    var waiting =
      try database.integer(
        "SELECT COUNT(*) FROM outbox_item WHERE \(OutboxPlace.stream("?1", .control)) AND kind = ?",
        [peer.number, ItemKind.refusal.rawValue]) ?? 0
    for start in stride(from: 0, to: refused.count, by: Limits.refusalItems) where waiting < Limits.refusalNotices {
      let items = Array(refused[start..<min(start + Limits.refusalItems, refused.count)])
      let body = coding.encode(RefusalNotice(items: items, total: total))
      result.changes.append(
        try database.enqueue(
          peer, .control, kind: .refusal, itemID: keys.freshID(), body: body, in: group, at: wall))
      waiting += 1
    }
  }

  /// Stores which items the peer refused.
  mutating func applyRefusal(_ body: Result<RefusalNotice, BodyFault>) throws {
    let notice = try body.get()
    try database.run(
      "INSERT INTO refusal_count VALUES (?, 0, ?) ON CONFLICT DO UPDATE SET there = max(there, excluded.there)",
      [peer.number, notice.total])
    for refused in notice.items {
      try database.run(
        "INSERT INTO refused_item (peer, kind, item_id, reason, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [peer.number, refused.kind.rawValue, refused.itemID, refused.reason.rawValue, wall])
      guard database.changesCount > 0 else { continue }
      try database.tally(peer.number, refused.streamClass, .refused, items: 1, at: wall)
    }
    try database.run(
      """
      DELETE FROM refused_item WHERE peer = ?1 AND number <=
        (SELECT number FROM refused_item WHERE peer = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
      """, [peer.number, Limits.refusedItems])
  }
}

/// Items of this machine that other devices refused. Spec: Protocol/06-messages.md §9.
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

  /// Returns the numbers of ignored items of each paired device.
  func unusableItems() throws -> [UnusableItems] {
    try rows(
      "SELECT u.*, p.device_id FROM unusable_item u JOIN peer p ON p.number = u.peer WHERE p.state = 2 ORDER BY peer"
    ).map { UnusableItems(device: try $0.deviceID("device_id"), items: $0["items"], reason: $0["reason"]) }
  }

  /// Counts items of a peer that cannot be used; `reason` is the fault of the last one.
  func noteUnusable(_ items: Int, of peer: Int64, _ reason: String, at wall: Int64) throws {
    try run(
      """
      INSERT INTO unusable_item VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET items = items + excluded.items,
        reason = excluded.reason, at = excluded.at
      """, [peer, items, reason, wall])
  }
}

/// The items of a paired device that this machine does not accept (Protocol/06-messages.md §2).
public struct UnusableItems: Hashable, Sendable {
  public var device: DeviceID
  public var items: Int64
  /// The fault of the last one, in one sentence.
  public var reason: String
}
