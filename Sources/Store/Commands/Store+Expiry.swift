import Foundation
import GRDB
import LatchkeyModel

/// The expiry of commands. Spec: Protocol/05-delivery.md §10.
extension Store {
  /// Returns the clock by which items age, in milliseconds.
  func age() -> Int64 { ageClock.age(at: clock.now()) }

  /// Removes expired commands from the queues, at most 4,096, and fewer on a full disk.
  ///
  /// - Returns: The commands that ran out.
  @discardableResult
  public func expireDue(at wall: Int64) async throws(StoreError) -> [CommandID] {
    do throws(StoreError) { return try await expireDue(at: wall, limit: 4_096) } catch .diskFull {}
    return try await expireDue(at: wall, limit: 8)
  }

  private func expireDue(at wall: Int64, limit: Int) async throws(StoreError) -> [CommandID] {
    let age = age()
    return try await commits.commit(.upkeep) { [clock] database in
      try database.noteAge(clock)
      let due = try database.rows(
        """
        SELECT * FROM command
        WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? ORDER BY command_id LIMIT ?
        """, [age, limit])
      return try due.compactMap { row in
        try database.take(
          row, to: .expired,
          ToldSentence(Phrase("It expired before the machine was in touch: give it again if it still matters.")),
          at: wall)
        return CommandID(bytes: row["command_id"] as Data)
      }
    }
  }

  /// Returns the time until the next command or pending effect expires, in milliseconds; `nil` if
  /// none can.
  public func untilNextExpiry() async throws(StoreError) -> Int64? {
    let age = age()
    return try await read { database in
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: "SELECT MIN(expires_age) FROM command WHERE status = 'queued' AND expires_age IS NOT NULL"))
      let effect = try Int64.fetchOne(database.cachedStatement(sql: "SELECT MIN(due_age) FROM pending_effect"))
      return [next, effect].compactMap { $0 }.min().map { max(0, $0 - age) }
    }
  }
}

extension Database {
  /// Returns whether expired commands are still in a peer's queue.
  func hasExpired(_ peer: Int64, age: Int64) throws -> Bool {
    try row(
      // The index on expiry is used because few commands expire, while a peer may have a long
      // history.
      "SELECT 1 FROM command WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? AND +peer = ? LIMIT 1",
      [age, peer]) != nil
  }

  /// Removes a queued command from its queue permanently.
  ///
  /// `row` is of the table of commands.
  func take(_ row: Row, to status: CommandStatus, _ reason: ToldSentence?, at wall: Int64) throws {
    let id: Data = row["command_id"]
    try run(
      "UPDATE command SET status = ?, status_at = ?, reason = ?, reason_phrase = ? WHERE command_id = ?",
      [status.rawValue, wall, reason?.english, reason?.storedPhrase, id])
    try withdraw(
      row["peer"], .command, row["seq"], itemID: id, as: DeliveryFate(rawValue: status.rawValue), at: wall)
  }
}
