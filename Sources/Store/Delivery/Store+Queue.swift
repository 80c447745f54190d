import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns the items that wait for a device, most urgent class first, then oldest first.
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
        WHERE peer = ?1 AND (?2 IS NULL OR class = ?2) AND (?3 IS NULL OR seq = ?3) ORDER BY class, seq LIMIT ?4
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
          entry.content = try handler.content(
            .init(id: id, body: body, own: own, coding: coding, database: database))
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
