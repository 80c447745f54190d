import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// The last item in force of each stream that comes in from a device.
  public func heldItems(_ device: DeviceID) async throws(StoreError) -> [HeldItem] {
    try await read { database in try database.heldItems(database.address(of: device).number) }
  }

  /// Classes whose last item at a peer is another than the one that was given that number here: one of the two machines was
  /// set back to an older state and gave numbers out a second time.
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
          // What follows the peer's last item held nothing when it took it.
          let after = try database.row(
            """
            SELECT 1 FROM outbox_item WHERE peer = ?1 AND class = ?2 AND seq > ?3 AND seq <= ?4
            UNION ALL SELECT 1 FROM outbox_stream WHERE peer = ?1 AND class = ?2 AND stored_item > ?3 AND stored_item <= ?4
            LIMIT 1
            """,
            [
              peer.number, Int64(held.streamClass.rawValue), Int64(bitPattern: held.sequence),
              Int64(bitPattern: position.through),
            ])
          if after != nil { return true }
          if stream.unsigned("stored_item") == held.sequence { return stream.bytes("stored_item_id") != held.itemID }
          let waiting = try database.row(
            "SELECT item_id FROM outbox_item WHERE peer = ? AND class = ? AND seq = ?",
            [peer.number, Int64(held.streamClass.rawValue), Int64(bitPattern: held.sequence)])
          // A number that holds nothing says nothing: what was taken back may have been stored before.
          return waiting.map { $0.bytes("item_id") != held.itemID } ?? false
        }.map(\.streamClass))
    }
  }
}
