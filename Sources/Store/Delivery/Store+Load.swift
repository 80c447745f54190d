import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns consecutive items of a stream from a number on: at least one, and no more than the
  /// limits.
  ///
  /// Numbers without an item are returned as skips. Expired items are first removed from the queue,
  /// durably. Once a usage item has been returned, it is never merged into a total any more, since
  /// the peer may have it.
  public func load(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int, bytes: Int,
    at wall: Int64
  ) async throws(StoreError) -> [DeliveryItem] {
    while true {
      switch try await tryLoad(device, streamClass, epoch: epoch, from: from, items: items, bytes: bytes) {
      case .loaded(let loaded): return loaded
      case .hasExpired: _ = try await expireDue(at: wall)
      case .isNotBound(let peer):
        // The bound includes more items than requested, so that a busy stream updates it once in a
        // thousand items.
        let bound = Int64(clamping: from) + Int64(items) + 1_024
        try await commits.commit(.upkeep) { database in
          try database.run(
            "UPDATE outbox_stream SET sent_bound = max(sent_bound, ?) WHERE peer = ? AND class = ? AND epoch = ?",
            [bound, peer, Int64(streamClass.rawValue), Int64(bitPattern: epoch)])
        }
      }
    }
  }

  private enum LoadResult: Sendable {
    case loaded([DeliveryItem])
    /// Expired commands are still in the queue.
    case hasExpired
    /// Some of the items might still be merged into totals.
    case isNotBound(peer: Int64)
  }

  private func tryLoad(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int, bytes: Int
  ) async throws(StoreError) -> LoadResult {
    let age = age()
    return try await read { database in
      guard
        let stream = try database.first(
          """
          SELECT s.peer, s.epoch, s.last, s.sent_bound FROM outbox_stream s JOIN peer p ON p.number = s.peer
          WHERE p.device_id = ? AND s.class = ?
          """, [device.bytes, Int64(streamClass.rawValue)],
          { (peer: $0.integer(0), epoch: $0.unsigned(1), last: $0.unsigned(2), bound: $0.unsigned(3)) }),
        stream.epoch == epoch
      else { return .loaded([]) }
      let peer = stream.peer
      if streamClass == .command, try database.hasExpired(peer, age: age) { return .hasExpired }
      var last = stream.last
      if streamClass == .usage {
        last = min(last, from + UInt64(items) - 1)
        if stream.bound < last { return .isNotBound(peer: peer) }
      }
      return .loaded(
        try database.items(peer, streamClass, from: from, through: last, items: items, bytes: bytes))
    }
  }
}

extension Database {
  /// Returns consecutive items.
  ///
  /// Numbers that are missing between two rows become skips.
  fileprivate func items(
    _ peer: Int64, _ streamClass: StreamClass, from: UInt64, through last: UInt64, items: Int, bytes: Int
  ) throws -> [DeliveryItem] {
    guard from <= last else { return [] }
    let places = OutboxPlace.range(peer, streamClass, from, last)
    var loaded: [DeliveryItem] = []
    // One item waits far more often than many.
    loaded.reserveCapacity(min(items, Int(min(last - from, 511)) + 1))
    var (next, size, found, isFull) = (from, 0, 0, false)
    try each(
      """
      SELECT seq, kind, item_id, body FROM outbox_item WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?
      """,
      [places.first, places.last, items]
    ) { row in
      let item = DeliveryItem(
        sequence: row.unsigned(0), kind: ItemKind(rawValue: UInt32(clamping: row.integer(1))), itemID: row.bytes(2),
        body: row.bytes(3))
      found += 1
      if item.sequence > next {
        let skip = DeliveryItem(skipping: next...(item.sequence - 1))
        isFull = !loaded.isEmpty && size + skip.cost > bytes
        guard !isFull else { return false }
        loaded.append(skip)
        size += skip.cost
      }
      next = item.sequence
      size += item.cost
      isFull = loaded.count >= items || !loaded.isEmpty && size > bytes
      guard !isFull else { return false }
      loaded.append(item)
      next += 1
      return loaded.count < items
    }
    if isFull { return loaded }
    // There are no more rows, so all remaining numbers are skips.
    guard found < items, loaded.count < items, next <= last else { return loaded }
    let skip = DeliveryItem(skipping: next...last)
    if loaded.isEmpty || size + skip.cost <= bytes { loaded.append(skip) }
    return loaded
  }
}
