import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Deletes the items that a peer has stored, updates their commands, and activates keys among
  /// them.
  ///
  /// On a full disk, this happens in steps. Each step frees space for the next one. If a step
  /// fails, the result contains the effects of the earlier steps and the fault. With `mayWait`, it
  /// waits a moment to share the fsync of another commit. The note that commands are stored waits
  /// for their answers, which say more.
  @discardableResult
  public func forget(
    _ device: DeviceID, _ stored: StreamPosition, mayWait: Bool = false, at wall: Int64
  ) async throws(StoreError) -> StoredResult {
    do throws(StoreError) {
      return try await forgetAtOnce(device, stored, mayWait: mayWait, at: wall)
    } catch .diskFull {}
    var result = StoredResult()
    var isBegun = false
    var step = Self.longestStep
    while let known = try await streams(with: device).outbox[stored.streamClass], known.epoch == stored.epoch,
      known.storedThrough < stored.through
    {
      var position = stored
      position.through = known.storedThrough + min(step, stored.through - known.storedThrough)
      do throws(StoreError) {
        let part = try await forgetAtOnce(device, position, at: wall)
        result.hasNewKeys = result.hasNewKeys || part.hasNewKeys
        result.change = part.change ?? result.change
        isBegun = true
      } catch .diskFull where step > 1 {
        step /= 4
      } catch {
        guard isBegun else { throw error }
        result.fault = error
        return result
      }
    }
    return result
  }

  /// The number of items in the first step on a full disk; a power of four.
  private static var longestStep: UInt64 { 64 }

  private func forgetAtOnce(
    _ device: DeviceID, _ stored: StreamPosition, mayWait: Bool = false, at wall: Int64
  ) async throws(StoreError) -> StoredResult {
    let wait: CommitWait = !mayWait ? .none : stored.streamClass == .command ? .forAnswers : .forAnother
    let result = try await commits.commitTogether(.upkeep, wait: wait) { [self] database, group in
      try group.settle(database)
      let peer = try database.address(of: device)
      let classNumber = Int64(stored.streamClass.rawValue)
      let through = Int64(bitPattern: stored.through)
      guard
        let known = try database.first(
          "SELECT stored_through FROM outbox_stream WHERE peer = ? AND class = ? AND epoch = ?",
          [peer.number, classNumber, Int64(bitPattern: stored.epoch)], { $0.integer(0) }), known < through
      else { return StoredResult() }
      let places = OutboxPlace.range(peer.number, stored.streamClass, 0, stored.through)
      let freed = try database.noteStored(
        peer.number, stored.streamClass, places, answered: group.answered[peer.number] ?? [], at: wall)
      // The peer's Hello also names its last item, which reveals that this machine was restored.
      try database.run(
        """
        UPDATE outbox_stream SET stored_through = ?, stored_at = ?, waiting_items = waiting_items - ?,
          waiting_bytes = waiting_bytes - ?, stored_item = coalesce(?, stored_item),
          stored_item_id = coalesce(?, stored_item_id)
        WHERE peer = ? AND class = ?
        """,
        [through, wall, freed.items, freed.bytes, freed.last, freed.lastID, peer.number, classNumber])
      if stored.streamClass == .control {
        // Keys that were sent are overwritten before their row is deleted.
        try database.run(
          "UPDATE outbox_item SET body = zeroblob(length(body)) WHERE place BETWEEN ? AND ? AND kind = \(ItemNumber.keyRotation)",
          [places.first, places.last])
      }
      try database.run(
        "DELETE FROM outbox_item WHERE place BETWEEN ? AND ?", [places.first, places.last])
      guard stored.streamClass == .control else { return StoredResult() }
      let rotation = try database.takeStoredRotation(peer, self, at: wall)
      return StoredResult(hasNewKeys: rotation.isInForce, change: rotation.next)
    }
    if result.hasNewKeys { await scrub() }
    return result
  }

  /// Returns the items that wait for a device in each class.
  ///
  /// The link adds the numbers in flight.
  public func queues(_ device: DeviceID, at wall: Int64) async throws(StoreError) -> [QueueStatus] {
    let age = age()
    return try await read { database in
      let peer = try database.address(of: device)
      var tallies = try database.tallies(peer.number)
      var queues: [QueueStatus] = try database.rows(
        """
        SELECT class, waiting_items, waiting_bytes, stored_through, stored_at,
          (SELECT coalesce(?2 - accepted_age, ?3 - accepted_at) FROM outbox_item i
           WHERE place BETWEEN (s.peer << 43) + (s.class << 40) AND (s.peer << 43) + (s.class + 1 << 40) - 1
           ORDER BY place LIMIT 1) AS oldest
        FROM outbox_stream s WHERE peer = ?1 ORDER BY class
        """, [peer.number, age, wall]
      ).compactMap { row -> QueueStatus? in
        guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { return nil }
        return QueueStatus(
          streamClass: streamClass, waitingItems: row["waiting_items"], waitingBytes: row["waiting_bytes"],
          inFlightItems: 0, storedThrough: row.unsigned("stored_through"),
          oldestAgeMilliseconds: (row["oldest"] as Int64?).map { max(0, $0) }, lastStoredAt: row["stored_at"],
          undelivered: tallies.removeValue(forKey: streamClass) ?? [])
      }
      // A closed stream may have left undelivered items.
      for (streamClass, undelivered) in tallies { queues.append(QueueStatus(closed: streamClass, undelivered)) }
      return queues.sorted { $0.streamClass < $1.streamClass }
    }
  }
}

extension QueueStatus {
  fileprivate init(closed streamClass: StreamClass, _ undelivered: [QueueTally]) {
    self.init(
      streamClass: streamClass, waitingItems: 0, waitingBytes: 0, inFlightItems: 0, storedThrough: 0,
      oldestAgeMilliseconds: nil, undelivered: undelivered)
  }
}

extension Database {
  /// The rows that become free when a peer has stored items.
  fileprivate struct Freed {
    var items = 0
    var bytes: Int64 = 0
    var last: Int64?
    var lastID: [UInt8]?
  }

  /// Marks the commands among items of a stream as stored, unless they are answered, and returns
  /// the space that the rows of the items occupy.
  fileprivate func noteStored(
    _ peer: Int64, _ streamClass: StreamClass, _ places: OutboxPlace.Range, answered: [[UInt8]], at wall: Int64
  ) throws -> Freed {
    guard streamClass == .command else { return try freed(places) }
    var freed = Freed()
    var answered = answered[...]
    // With the peer, SQLite knows that there is at most one row.
    let note = try cachedStatement(
      sql: """
        UPDATE command SET status = 'stored', status_at = ? WHERE command_id = ? AND peer = ? AND status = 'queued'
        """)
    try each(
      """
      SELECT seq, kind, item_id, length(body) + length(item_id) + 16 FROM outbox_item
      WHERE place BETWEEN ? AND ? ORDER BY place
      """, [places.first, places.last]
    ) { row in
      let id = row.bytes(2)
      freed.items += 1
      freed.bytes += row.integer(3)
      (freed.last, freed.lastID) = (row.integer(0), id)
      // Answers mostly come in the order of the IDs. For others, the statement changes no row.
      while let answer = answered.first, answer.lexicographicallyPrecedes(id) { answered.removeFirst() }
      if row.integer(1) == Int64(ItemNumber.commandItem), answered.first != id {
        try run(note) {
          $0.add(wall)
          $0.add(id)
          $0.add(peer)
        }
      }
      return true
    }
    return freed
  }

  private func freed(_ places: OutboxPlace.Range) throws -> Freed {
    // With max(), SQLite takes the other column from the row with the maximum.
    try first(
      """
      SELECT count(*), sum(length(body) + length(item_id) + 16), max(seq), item_id FROM outbox_item
      WHERE place BETWEEN ? AND ?
      """, [places.first, places.last]
    ) { row in
      let items = Int(row.integer(0))
      guard items > 0 else { return Freed() }
      return Freed(items: items, bytes: row.integer(1), last: row.integer(2), lastID: row.bytes(3))
    } ?? Freed()
  }

  /// Returns at most 20 devices that are no longer peers and whose queues left undelivered items,
  /// latest first.
  func former() throws -> [FormerPeer] {
    try rows(
      """
      SELECT p.number, p.device_id, p.name, (SELECT MAX(last_at) FROM delivery_tally t WHERE t.peer = p.number) AS latest
      FROM peer p WHERE p.state = 4 ORDER BY coalesce(latest, 0) DESC, p.number DESC LIMIT 100
      """
    ).map { row in
      FormerPeer(
        deviceID: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]),
        queues: try tallies(row["number"]).sorted { $0.key < $1.key }.map { QueueStatus(closed: $0, $1) })
    }
  }
}

/// The result of a peer's report that it has stored items.
public struct StoredResult: Equatable, Sendable {
  /// A Boolean value that indicates whether there were keys among them, which now apply.
  public var hasNewKeys = false
  /// The stream with the next keys, if others became due in the meantime.
  public var change: OutboxChange?
  /// The fault that prevented the rest from being deleted, if the disk had space for a part only.
  ///
  /// The other results are valid nevertheless.
  public var fault: StoreError?
}
