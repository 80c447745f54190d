import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns the pending items for a device, most urgent class first, then oldest first.
  ///
  /// `streamClass` and `number` select one class and one item; `nil` selects all.
  public func queue(
    _ device: DeviceID, _ streamClass: StreamClass?, number: UInt64? = nil, limit: Int, at wall: Int64
  ) async throws(StoreError) -> [QueueEntry] {
    let age = age()
    return try await read { [own, coding] database in
      let peer = try database.address(of: device)
      return try database.rows(
        """
        SELECT class, seq, kind, item_id, body, accepted_at, accepted_age FROM outbox_item
        WHERE \(OutboxPlace.peer("?1")) AND (?2 IS NULL OR class = ?2) AND (?3 IS NULL OR seq = ?3)
        ORDER BY place LIMIT ?4
        """,
        [peer.number, streamClass.map { Int64($0.rawValue) }, number.map { Int64(bitPattern: $0) }, limit]
      ).compactMap { row in
        guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { return nil }
        let (id, body) = (row.bytes("item_id"), row.bytes("body"))
        var entry = QueueEntry(
          device: device, streamClass: streamClass, number: row.unsigned("seq"),
          bytes: Int64(id.count + body.count + 16), acceptedAt: row["accepted_at"],
          ageMilliseconds: max(0, (row["accepted_age"] as Int64?).map { age - $0 } ?? wall - row["accepted_at"]),
          content: .unreadable)
        let kind = ItemKind(rawValue: UInt32(clamping: row["kind"] as Int64))
        if let handler = ItemHandlers.all[.init(streamClass: streamClass, kind: kind)] {
          entry.content = try handler.content(.init(id: id, body: body, own: own, coding: coding, database: database))
        }
        if case .command(let command) = entry.content {
          entry.expiresInMilliseconds = try database.first(
            "SELECT expires_age FROM command WHERE command_id = ? AND expires_age IS NOT NULL",
            [command.commandID.bytes], { max(0, $0.integer(0) - age) })
        }
        return entry
      }
    }
  }
}

extension Database {
  /// Removes an item from a queue if it is still pending, and counts its fate.
  ///
  /// Its number is sent as a skip.
  func withdraw(
    _ peer: Int64, _ streamClass: StreamClass, _ sequence: Int64, itemID: Data, as fate: DeliveryFate?, at wall: Int64
  ) throws {
    let freed = try cachedStatement(
      sql: """
        DELETE FROM outbox_item WHERE place = ? AND item_id = ?
        RETURNING length(body) + length(item_id) + 16
        """)
    guard
      let cost = try Int64.fetchOne(
        freed, arguments: [OutboxPlace.of(peer, streamClass, UInt64(bitPattern: sequence)), itemID])
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
  func tally(_ peer: Int64, _ streamClass: StreamClass, _ fate: DeliveryFate, items: Int64, at wall: Int64) throws {
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
