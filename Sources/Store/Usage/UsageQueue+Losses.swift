import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Returns the usage of other devices that was dropped before it reached this one, as a sum for
  /// each device.
  func losses() throws -> [UsageLoss] {
    try rows(
      """
      SELECT max(loss_id) AS loss_id, device_id, CAST(total(records) AS INTEGER) AS records,
        CAST(total(sessions) AS INTEGER) AS sessions, CAST(total(active) AS INTEGER) AS active,
        CAST(total(earned) AS INTEGER) AS earned, MIN(first_start) AS first_start, MAX(last_end) AS last_end
      FROM usage_loss WHERE peer IS NULL GROUP BY device_id ORDER BY device_id
      """
    ).compactMap { row in
      guard let id = RecordID(bytes: row["loss_id"] as Data) else { return nil }
      return UsageLoss(
        lossID: id, device: try row.deviceID("device_id"), records: row["records"], sessions: row["sessions"],
        activeMilliseconds: row["active"], earnedMilliPoints: row["earned"], firstStart: row["first_start"],
        lastEnd: row["last_end"])
    }
  }

  /// Stores a report of dropped usage once.
  ///
  /// On a child, `parent` is the parent whose queue had no space.
  func keep(_ loss: UsageLoss, parent: Int64?, at wall: Int64) throws {
    try run(
      "INSERT INTO usage_loss VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        Data(loss.lossID.bytes), Data(loss.device.bytes), parent, loss.records, loss.sessions, loss.activeMilliseconds,
        loss.earnedMilliPoints, loss.firstStart, loss.lastEnd, wall,
      ])
    guard changesCount > 0 else { return }
    try audit(
      "usage.dropped", of: loss.lossID.description, new: "\(loss.records) records of \(loss.sessions) sessions",
      by: loss.device, at: wall)
  }
}

extension UsageQueue {
  /// Drops the oldest items, queues a record of the loss, and returns the number of items by which
  /// the queue shrinks.
  ///
  /// The record includes earlier losses that were never passed to a session.
  func drop() throws -> Int64 {
    let most = max(2, min(1_024, store.caps.items / 16))
    let rows = try database.rows(
      """
      SELECT seq, kind, item_id, body FROM outbox_item
      WHERE \(OutboxPlace.stream("?1", .usage)) AND kind = \(ItemNumber.usageRecord) ORDER BY place LIMIT ?
      """, [parent.number, most])
    let words = try database.rows(
      """
      SELECT seq, kind, item_id, body FROM outbox_item
      WHERE \(OutboxPlace.stream("?1", .usage, from: Self.unsent)) AND kind = \(ItemNumber.usageLoss)
      """, [parent.number])
    guard rows.count > 1, let id = RecordID(bytes: store.keys.freshID()) else { return 0 }
    var loss = UsageLoss(
      lossID: id, device: store.own, records: 0, sessions: 0, activeMilliseconds: 0, earnedMilliPoints: 0,
      firstStart: HybridTimestamp.wallLimit - 1, lastEnd: 0)
    for row in rows + words {
      let (itemID, body) = (row["item_id"] as Data, row.bytes("body"))
      if let earlier = try? store.coding.usageLoss(body), row["kind"] as Int64 == 6 {
        loss.add(earlier)
        try database.run("DELETE FROM usage_loss WHERE loss_id = ?", [itemID])
      } else if let record = try? store.coding.usageRecord(body) {
        loss.add(record)
      }
      try database.withdraw(parent.number, .usage, row["seq"], itemID: itemID, as: nil, at: wall)
    }
    try database.tally(parent.number, .usage, .dropped, items: Int64(rows.count), at: wall)
    try database.keep(loss, parent: parent.number, at: wall)
    _ = try database.enqueue(
      parent, .usage, kind: .usageLoss, itemID: id.bytes, body: store.coding.encode(loss), level: 3,
      caps: QueueCaps(items: .max, bytes: .max), in: group, at: wall)
    return Int64(rows.count + words.count - 1)
  }
}

extension UsageLoss {
  fileprivate mutating func add(_ other: UsageLoss) {
    records = min(records + other.records, UsageRecord.mostSessions)
    sessions = min(sessions + other.sessions, UsageRecord.mostSessions)
    activeMilliseconds = min(activeMilliseconds + other.activeMilliseconds, HybridTimestamp.wallLimit - 1)
    earnedMilliPoints = min(
      earnedMilliPoints + min(other.earnedMilliPoints, HybridTimestamp.wallLimit), HybridTimestamp.wallLimit - 1)
    firstStart = min(firstStart, other.firstStart)
    lastEnd = max(lastEnd, other.lastEnd)
  }

  fileprivate mutating func add(_ record: UsageRecord) {
    add(
      UsageLoss(
        lossID: lossID, device: device, records: 1, sessions: record.sessions,
        activeMilliseconds: record.activeMilliseconds, earnedMilliPoints: record.earnedMilliPoints,
        firstStart: record.sessionStart, lastEnd: record.sessionEnd))
  }
}
