import Foundation
import GRDB
import LatchkeyModel

/// The expiry of commands. Spec: Protocol/05-delivery.md §10.
extension Store {
  /// Returns the clock by which items age, in milliseconds.
  func age() -> Int64 { ageClock.age(at: clock.now()) }

  /// Removes expired commands from the queues, at most 4,096, and fewer on a full disk.
  ///
  /// An earlier command that one of them had replaced is queued again.
  ///
  /// - Returns: The commands that ran out, and the streams in which earlier ones are queued again.
  public func expireDue(
    at wall: Int64
  ) async throws(StoreError) -> (commands: [CommandID], changes: [OutboxChange]) {
    do throws(StoreError) { return try await expireDue(at: wall, limit: 4_096) } catch .diskFull {}
    return try await expireDue(at: wall, limit: 8)
  }

  private func expireDue(
    at wall: Int64, limit: Int
  ) async throws(StoreError) -> (commands: [CommandID], changes: [OutboxChange]) {
    let age = age()
    return try await commits.commit(.upkeep) { [own, coding, clock] database in
      try database.noteAge(clock)
      var expired: [CommandID] = []
      var changes: [OutboxChange] = []
      let due = try database.rows(
        """
        SELECT command_id FROM command
        WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? ORDER BY command_id LIMIT ?
        """, [age, limit])
      for found in due {
        // What it stands on may have changed with the one before.
        guard let id = CommandID(bytes: found["command_id"] as Data), let row = try database.commandRow(id) else {
          continue
        }
        var effects = DatabaseEffects(database, coding, own: own, author: own, at: wall)
        let taken = try effects.takeBack(row, to: .expired, DatabaseEffects.expiredReason, age: age)
        expired += [id] + taken.expired
        if let change = taken.change { changes.append(change) }
      }
      return (expired, changes)
    }
  }

  /// Returns the time until the next command or pending effect expires, in milliseconds; `nil` if none can.
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
      // The index on expiry is used because few commands expire, while a peer may have a long history.
      "SELECT 1 FROM command WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? AND +peer = ? LIMIT 1",
      [age, peer]) != nil
  }

  /// Removes a queued command from its queue permanently.
  ///
  /// `row` is of the table of commands; `newer` is the command that takes its place, if there is one.
  func take(
    _ row: Row, to status: CommandStatus, _ reason: String?, replacedBy newer: CommandID? = nil, at wall: Int64
  ) throws {
    let id: Data = row["command_id"]
    try run(
      "UPDATE command SET status = ?, status_at = ?, reason = ?, replaced_by = ? WHERE command_id = ?",
      [status.rawValue, wall, reason, newer?.bytes, id])
    try withdraw(
      row["peer"], .command, row["seq"], itemID: id, as: DeliveryFate(rawValue: status.rawValue), at: wall)
  }
}
