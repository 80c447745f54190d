import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Returns texts that parents sent, newest first.
  public func messages(limit: Int) async throws(StoreError) -> [ReceivedMessage] {
    try await read { database in try database.messages(limit: limit) }
  }

  /// Marks a message as read, unless it was before, and returns it; `nil` if the ID is unknown.
  public func markRead(_ id: CommandID, at wall: Int64) async throws(StoreError) -> ReceivedMessage? {
    try await commits.commit(.upkeep) { database in
      try database.run(
        """
        INSERT INTO read_message (command_id, read_at) SELECT command_id, ? FROM received_message WHERE command_id = ?
        ON CONFLICT DO NOTHING
        """, [wall, Data(id.bytes)])
      return try database.row(Database.selectMessages + " WHERE command_id = ?", [Data(id.bytes)]).flatMap(
        Database.message)
    }
  }
}

extension Database {
  func messages(limit: Int) throws -> [ReceivedMessage] {
    try rows(Self.selectMessages + " ORDER BY received_at DESC, command_id DESC LIMIT ?", [limit])
      .compactMap(Self.message)
  }

  fileprivate static let selectMessages =
    "SELECT received_message.*, read_at FROM received_message LEFT JOIN read_message USING (command_id)"

  fileprivate static func message(_ row: Row) throws -> ReceivedMessage? {
    guard let id = CommandID(bytes: row["command_id"] as Data) else { return nil }
    return ReceivedMessage(
      commandID: id, author: try row.deviceID("author"), text: row["text"], at: row["received_at"],
      isRead: (row["read_at"] as Int64?) != nil)
  }
}
