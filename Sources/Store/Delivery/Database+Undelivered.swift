import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Removes one item from a queue.
  ///
  /// Its number is then sent as a skip. Does nothing if the item is no longer there.
  ///
  /// `fate` is counted if it is given.
  func withdraw(
    _ peer: Int64, _ streamClass: StreamClass, _ sequence: Int64, itemID: Data, as fate: DeliveryFate?, at wall: Int64
  ) throws {
    let freed = try cachedStatement(
      sql: """
        DELETE FROM outbox_item WHERE peer = ? AND class = ? AND seq = ? AND item_id = ?
        RETURNING length(body) + length(item_id) + 16
        """)
    guard
      let cost = try Int64.fetchOne(
        freed, arguments: [peer, Int64(streamClass.rawValue), sequence, itemID])
    else { return }
    try release(peer, streamClass, items: 1, bytes: cost)
    if let fate { try tally(peer, streamClass, fate, items: 1, at: wall) }
  }

  /// Records that items have left a queue and its space is free again.
  func release(_ peer: Int64, _ streamClass: StreamClass, items: Int64, bytes: Int64) throws {
    try run(
      """
      UPDATE outbox_stream SET waiting_items = waiting_items - ?, waiting_bytes = waiting_bytes - ?
      WHERE peer = ? AND class = ?
      """, [items, bytes, peer, Int64(streamClass.rawValue)])
  }

  /// Counts items that left a queue without being delivered, so that `status` shows all of them.
  func tally(
    _ peer: Int64, _ streamClass: StreamClass, _ fate: DeliveryFate, items: Int64, at wall: Int64
  ) throws {
    try run(
      """
      INSERT INTO delivery_tally VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET items = items + excluded.items, last_at = excluded.last_at
      """, [peer, Int64(streamClass.rawValue), fate.rawValue, items, wall])
  }

  /// Returns the counts of items that left a peer's queues without being delivered, by class.
  func tallies(_ peer: Int64) throws -> [StreamClass: [QueueTally]] {
    var tallies: [StreamClass: [QueueTally]] = [:]
    for row in try rows("SELECT * FROM delivery_tally WHERE peer = ? ORDER BY class, fate", [peer]) {
      guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)),
        let fate = DeliveryFate(rawValue: row["fate"])
      else { continue }
      tallies[streamClass, default: []].append(QueueTally(fate: fate, items: row["items"], lastAt: row["last_at"]))
    }
    return tallies
  }
}
