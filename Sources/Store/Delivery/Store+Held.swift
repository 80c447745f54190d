import Foundation
import GRDB
import LatchkeyModel

extension Store {
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
          // A skip proves nothing, since an item may have been stored before it was withdrawn.
          return waiting.map { $0.bytes("item_id") != held.itemID } ?? false
        }.map(\.streamClass))
    }
  }
}
