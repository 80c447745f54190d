import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol

/// Changes to the files of a stopped node by a person with write access.
extension NodeProcess {
  /// Puts an item into the queue for the peer of a child that is stopped.
  nonisolated func forge(_ streamClass: StreamClass, _ kind: ItemKind, id: [UInt8], body: [UInt8]) throws {
    try edit { database in
      let peer = try Int64.fetchOne(database, sql: "SELECT number FROM peer WHERE state = 2")
      let bytes = Int64(body.count + id.count + 16)
      try database.execute(
        sql: """
          INSERT INTO outbox_stream (peer, class, epoch, last, stored_through, waiting_items, waiting_bytes)
          VALUES (?, ?, 77, 1, 0, 1, ?) ON CONFLICT DO UPDATE SET last = last + 1, waiting_items = waiting_items + 1,
            waiting_bytes = waiting_bytes + excluded.waiting_bytes
          """, arguments: [peer, Int64(streamClass.rawValue), bytes])
      try database.execute(
        sql: """
          INSERT INTO outbox_item (place, kind, item_id, body, accepted_at, level)
          SELECT (peer << 43) + (class << 40) + last, ?, ?, ?, 0, 0 FROM outbox_stream WHERE peer = ? AND class = ?
          """,
        arguments: [Int64(kind.rawValue), Data(id), Data(body), peer, Int64(streamClass.rawValue)])
    }
  }

  /// Makes a stopped child's database contain a forged answer to a command.
  nonisolated func forgeAnswer(to command: CommandID, _ body: [UInt8]) throws {
    try edit { database in
      try database.execute(
        sql: """
          INSERT INTO applied_command (command_id, receipt, applied_at, peer, receipt_epoch, receipt_seq)
          SELECT ?, ?, 0, number, 0, 0 FROM peer WHERE state = 2
          """, arguments: [Data(command.bytes), Data(body)])
    }
  }

  /// Changes the receipts that wait on a child that is stopped.
  ///
  /// Gives how many there were.
  nonisolated func alterReceipts(_ alter: (CommandReceipt) throws -> CommandReceipt) throws -> Int {
    var count = 0
    try edit { database in
      let rows = try Row.fetchAll(database, sql: "SELECT seq, body FROM outbox_item WHERE class = 3 AND kind = 2")
      for row in rows {
        let body = MessageBodyCoding().encode(try alter(MessageBodyCoding().receipt([UInt8](row["body"] as Data))))
        try database.execute(
          sql: "UPDATE outbox_item SET body = ? WHERE class = 3 AND seq = ?",
          arguments: [Data(body), row["seq"] as Int64]
        )
      }
      count = rows.count
    }
    return count
  }
}
