import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns a peer's streams in both directions; throws `StoreError.noSuchPeer` if the device is
  /// not paired.
  public func streams(with device: DeviceID) async throws(StoreError) -> LinkStreams {
    try await read { database in
      let peer = try database.address(of: device).number
      return LinkStreams(
        outbox: try database.outboxPositions(peer), inbox: try database.inboxPositions(peer),
        held: try database.heldItems(peer))
    }
  }

  /// Returns the classes in which the peer's last item differs from the item with that number here.
  ///
  /// One of the machines was restored to an earlier state and assigned numbers twice.
  public func foreign(_ device: DeviceID, _ hello: Hello) async throws(StoreError) -> Set<StreamClass> {
    guard !hello.held.isEmpty else { return [] }
    return try await read { database in
      let peer = try database.address(of: device)
      return try Set(
        hello.held.filter { held in
          guard let position = hello.incoming.first(where: { $0.streamClass == held.streamClass }),
            let stream = try database.row(
              "SELECT epoch, stored_item, stored_item_id FROM outbox_stream WHERE peer = ? AND class = ?",
              [peer.number, Int64(held.streamClass.rawValue)]), stream.unsigned("epoch") == position.epoch
          else { return false }
          // The numbers after the peer's last item were skips when it stored them.
          let places = OutboxPlace.range(peer.number, held.streamClass, held.sequence, position.through)
          let after = try database.row(
            """
            SELECT 1 FROM outbox_item WHERE place > ?5 AND place <= ?6
            UNION ALL SELECT 1 FROM outbox_stream WHERE peer = ?1 AND class = ?2 AND stored_item > ?3 AND stored_item <= ?4
            LIMIT 1
            """,
            [
              peer.number, Int64(held.streamClass.rawValue), Int64(bitPattern: held.sequence),
              Int64(bitPattern: position.through), places.first, places.last,
            ])
          if after != nil { return true }
          if stream.unsigned("stored_item") == held.sequence { return stream.bytes("stored_item_id") != held.itemID }
          let waiting = try database.row(
            "SELECT item_id FROM outbox_item WHERE place = ? AND seq = ?",
            [places.first, Int64(bitPattern: held.sequence)])
          // A skip proves nothing, since an item may have been stored before it was withdrawn.
          return waiting.map { $0.bytes("item_id") != held.itemID } ?? false
        }.map(\.streamClass))
    }
  }
}

extension Database {
  func outboxPositions(_ peer: Int64) throws -> [StreamClass: OutboxPosition] {
    var positions: [StreamClass: OutboxPosition] = [:]
    for row in try rows("SELECT * FROM outbox_stream WHERE peer = ?", [peer]) {
      guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { continue }
      positions[streamClass] = OutboxPosition(
        epoch: row.unsigned("epoch"), storedThrough: row.unsigned("stored_through"), last: row.unsigned("last"))
    }
    return positions
  }

  func inboxPositions(_ peer: Int64) throws -> [StreamPosition] {
    try rows("SELECT * FROM inbox_stream WHERE peer = ?", [peer]).compactMap { row in
      StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)).map {
        StreamPosition(streamClass: $0, epoch: row.unsigned("epoch"), through: row.unsigned("watermark"))
      }
    }
  }

  func heldItems(_ peer: Int64) throws -> [HeldItem] {
    try rows("SELECT class, item, item_id FROM inbox_stream WHERE peer = ? AND item > 0 ORDER BY class", [peer])
      .compactMap { row in
        StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)).map {
          HeldItem(streamClass: $0, sequence: row.unsigned("item"), itemID: row.bytes("item_id"))
        }
      }
  }
}
