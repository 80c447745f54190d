import Foundation
import GRDB
import LatchkeyModel

/// Commands that run out. Spec: Protocol/05-delivery.md §10.
extension Store {
  /// The clock for how long things have waited, in milliseconds.
  func age() -> Int64 { ageClock.age(at: clock.now()) }

  /// Takes what has run out from the queues, durably; at most 4,096 commands, and fewer on a full disk.
  ///
  /// - Returns: the commands that ran out.
  public func expireDue(at wall: Int64) async throws(StoreError) -> [CommandID] {
    do throws(StoreError) { return try await expireDue(at: wall, limit: 4_096) } catch .diskFull {}
    return try await expireDue(at: wall, limit: 8)
  }

  private func expireDue(at wall: Int64, limit: Int) async throws(StoreError) -> [CommandID] {
    let age = age()
    return try await commits.commit(.upkeep) { [own, coding, clock] database in
      try database.noteAge(clock)
      return try database.rows(
        """
        SELECT c.*, p.device_id FROM command c JOIN peer p ON p.number = c.peer
        WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? ORDER BY command_id LIMIT ?
        """, [age, limit]
      ).map { row in
        let command = try ConfigurationCommand(row, author: own, coding)
        try database.take(
          row, to: .expired,
          "It waited longer than it was to, and was not stored by the child: give it again if it still matters.",
          at: wall)
        try database.restoreShown(before: row, coding, by: own, at: wall)
        return command.commandID
      }
    }
  }

  /// Milliseconds until the next command runs out, 0 for at once; nil when none can.
  public func untilNextExpiry() async throws(StoreError) -> Int64? {
    let age = age()
    return try await read { database in
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: "SELECT MIN(expires_age) FROM command WHERE status = 'queued' AND expires_age IS NOT NULL"))
      return next.map { max(0, $0 - age) }
    }
  }
}

extension Database {
  /// Whether commands for a peer have run out that are still in its queue.
  func hasExpired(_ peer: Int64, age: Int64) throws -> Bool {
    try row(
      // By what runs out, of which there is little, and not by the peer, of which there is the whole history.
      "SELECT 1 FROM command WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? AND +peer = ? LIMIT 1",
      [age, peer]) != nil
  }

  /// Take a queued command from its queue for good.
  ///
  /// - Parameter row: of the table of commands.
  func take(_ row: Row, to status: CommandStatus, _ reason: String?, at wall: Int64) throws {
    let id: Data = row["command_id"]
    try run(
      "UPDATE command SET status = ?, status_at = ?, reason = ? WHERE command_id = ?",
      [status.rawValue, wall, reason, id])
    try withdraw(
      row["peer"], .command, row["seq"], itemID: id, as: DeliveryFate(rawValue: status.rawValue), at: wall)
  }

  /// Take from the queue what a newer command for the same thing replaces.
  ///
  /// - Parameter shown: what is shown, which becomes what was shown before the commands that are replaced.
  func supersede(
    _ key: String, for peer: Int64, _ shown: inout ShownState?, _ coding: any BodyCoding, in group: WriteGroup,
    at wall: Int64
  ) throws {
    let superseded = try rows(
      """
      SELECT command_id, peer, seq, kind, body, previous, previous_enforcement FROM command
      WHERE peer = ? AND status = 'queued' AND supersede_key = ? ORDER BY command_id DESC
      """, [peer, key])
    // What is taken from a queue is counted in the database itself.
    if !superseded.isEmpty { try group.settle(self) }
    for row in superseded {
      try take(
        row, to: .superseded, "A newer command for the same thing was given before this one was stored.", at: wall)
      guard row["kind"] == CommandKind.setFamilySettings.rawValue else {
        shown = shownBefore(row)
        continue
      }
      let payload = try coding.command(row.bytes("body")).payload
      try unlink(row, payload, coding)
      if case .setFamilySettings(let settings) = payload, shown?.state == coding.encode(.familySettings(settings)) {
        shown = shownBefore(row)
      }
    }
  }
}
