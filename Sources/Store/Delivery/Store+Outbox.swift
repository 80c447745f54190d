import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Where each outgoing stream to a device stands.
  public func outboxPositions(_ device: DeviceID) async throws(StoreError) -> [StreamClass: OutboxPosition] {
    try await read { database in
      let peer = try database.address(of: device)
      var positions: [StreamClass: OutboxPosition] = [:]
      for row in try database.rows("SELECT * FROM outbox_stream WHERE peer = ?", [peer.number]) {
        guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { continue }
        positions[streamClass] = OutboxPosition(
          epoch: row.unsigned("epoch"), storedThrough: row.unsigned("stored_through"), last: row.unsigned("last"))
      }
      return positions
    }
  }

  /// The items of a stream from number `from` on, in a row: at most `items` of at most `bytes` in all, but one at least.
  ///
  /// Numbers that hold nothing any more come as skips.
  public func load(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int, bytes: Int
  ) async throws(StoreError) -> [DeliveryItem] {
    try await read { database in
      guard
        let stream = try database.row(
          """
          SELECT s.peer, s.epoch FROM outbox_stream s JOIN peer p ON p.number = s.peer
          WHERE p.device_id = ? AND s.class = ?
          """, [Data(device.bytes), Int64(streamClass.rawValue)]), stream.unsigned("epoch") == epoch
      else { return [] }
      let statement = try database.cachedStatement(
        sql:
          "SELECT seq, kind, item_id, body FROM outbox_item WHERE peer = ? AND class = ? AND seq >= ? ORDER BY seq LIMIT ?"
      )
      let cursor = try Row.fetchCursor(
        statement,
        arguments: [stream["peer"] as Int64, Int64(streamClass.rawValue), Int64(bitPattern: from), items])
      var loaded: [DeliveryItem] = []
      loaded.reserveCapacity(min(items, 512))
      var size = 0
      while let row = try cursor.next() {
        let sequence = UInt64(bitPattern: row[0])
        let kind = ItemKind(rawValue: UInt32(clamping: row[1] as Int64))
        if kind == .skip {
          if let last = loaded.last, last.kind == .skip {
            loaded[loaded.count - 1] = DeliveryItem(skipping: last.sequence...sequence)
          } else {
            loaded.append(DeliveryItem(skipping: sequence...sequence))
          }
          continue
        }
        let item = DeliveryItem(
          sequence: sequence, kind: kind, itemID: [UInt8](row[2] as Data), body: [UInt8](row[3] as Data))
        size += item.cost
        guard loaded.isEmpty || size <= bytes else { break }
        loaded.append(item)
      }
      return loaded
    }
  }

  /// The peer has stored everything up to a point: forget the items, mark their commands, and bring keys among them into
  /// force.
  @discardableResult
  public func forget(
    _ device: DeviceID, _ stored: StreamPosition, at wall: Int64
  ) async throws(StoreError) -> StoredResult {
    let result = try await commits.commit { [coding, keys] database in
      let peer = try database.address(of: device)
      let classNumber = Int64(stored.streamClass.rawValue)
      let through = Int64(bitPattern: stored.through)
      guard
        let stream = try database.row(
          "SELECT stored_through FROM outbox_stream WHERE peer = ? AND class = ? AND epoch = ?",
          [peer.number, classNumber, Int64(bitPattern: stored.epoch)]), (stream[0] as Int64) < through
      else { return StoredResult() }
      if stored.streamClass == .command {
        try database.run(
          """
          UPDATE command SET status = 'stored', status_at = ? WHERE status = 'queued' AND command_id IN
            (SELECT item_id FROM outbox_item WHERE peer = ? AND class = ? AND seq <= ? AND kind = 1)
          """, [wall, peer.number, classNumber, through])
      }
      try database.run(
        """
        UPDATE outbox_stream SET stored_through = ?3,
          waiting_items = waiting_items - freed.items, waiting_bytes = waiting_bytes - freed.bytes
        FROM (SELECT COUNT(*) AS items, coalesce(SUM(length(body) + length(item_id) + 16), 0) AS bytes
              FROM outbox_item WHERE peer = ?1 AND class = ?2 AND seq <= ?3) AS freed
        WHERE peer = ?1 AND class = ?2
        """, [peer.number, classNumber, through])
      if stored.streamClass == .control {
        // Keys on their way are overwritten before their row goes.
        try database.run(
          "UPDATE outbox_item SET body = zeroblob(length(body)) WHERE peer = ? AND class = 1 AND seq <= ? AND kind = 5",
          [peer.number, through])
      }
      try database.run(
        "DELETE FROM outbox_item WHERE peer = ? AND class = ? AND seq <= ?", [peer.number, classNumber, through])
      guard stored.streamClass == .control else { return StoredResult() }
      let rotation = try database.takeStoredRotation(peer, keys, coding, at: wall)
      return StoredResult(hasNewKeys: rotation.isInForce, change: rotation.next)
    }
    if result.hasNewKeys { await scrub() }
    return result
  }

  /// Give what is left of a stream a new epoch and numbers from 1, because the peer holds another past of it.
  ///
  /// Commands that the peer had stored and not answered are sent again: it knows them by their IDs if it still has them.
  public func restart(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, at wall: Int64
  ) async throws(StoreError) -> OutboxPosition {
    try await commits.commit { database in
      let peer = try database.address(of: device)
      let classNumber = Int64(streamClass.rawValue)
      var items = try database.rows(
        "SELECT kind, item_id, body FROM outbox_item WHERE peer = ? AND class = ? AND kind <> 0 ORDER BY seq",
        [peer.number, classNumber]
      ).map {
        (kind: ItemKind(rawValue: UInt32(clamping: $0[0] as Int64)), id: $0.bytes("item_id"), body: $0.bytes("body"))
      }
      if streamClass == .command {
        let unanswered = try database.rows(
          "SELECT command_id, body FROM command WHERE peer = ? AND status = 'stored' ORDER BY command_id", [peer.number]
        )
        items.insert(contentsOf: unanswered.map { (.command, $0.bytes("command_id"), $0.bytes("body")) }, at: 0)
        try database.run(
          "UPDATE command SET status = 'queued', status_at = ? WHERE peer = ? AND status = 'stored'",
          [wall, peer.number])
      }
      try database.run("DELETE FROM outbox_item WHERE peer = ? AND class = ?", [peer.number, classNumber])
      try database.run("DELETE FROM outbox_stream WHERE peer = ? AND class = ?", [peer.number, classNumber])
      try database.run(
        "INSERT INTO outbox_stream VALUES (?, ?, ?, 0, 0, 0, 0)", [peer.number, classNumber, Int64(bitPattern: epoch)])
      var last: UInt64 = 0
      for item in items {
        last = try database.enqueue(peer, streamClass, kind: item.kind, itemID: item.id, body: item.body, at: wall).last
        if streamClass == .command {
          try database.run("UPDATE command SET seq = ? WHERE command_id = ?", [Int64(bitPattern: last), Data(item.id)])
        }
      }
      return OutboxPosition(epoch: epoch, storedThrough: 0, last: last)
    }
  }

  /// What waits for a device in each class; numbers in flight are the link's to add.
  public func queues(_ device: DeviceID, at wall: Int64) async throws(StoreError) -> [QueueStatus] {
    try await read { database in
      let peer = try database.address(of: device)
      return try database.rows(
        """
        SELECT class, waiting_items, waiting_bytes, stored_through,
          (SELECT accepted_at FROM outbox_item i WHERE i.peer = s.peer AND i.class = s.class ORDER BY seq LIMIT 1) AS oldest
        FROM outbox_stream s WHERE peer = ? ORDER BY class
        """, [peer.number]
      ).compactMap { row in
        guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { return nil }
        return QueueStatus(
          streamClass: streamClass, waitingItems: row["waiting_items"], waitingBytes: row["waiting_bytes"],
          inFlightItems: 0, storedThrough: row.unsigned("stored_through"),
          oldestAgeMilliseconds: (row["oldest"] as Int64?).map { max(0, wall - $0) })
      }
    }
  }
}
