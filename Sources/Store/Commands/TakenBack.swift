import Foundation
import GRDB
import LatchkeyModel

/// What became of earlier commands when a command for the same thing left its queue undelivered.
struct TakenBack {
  /// The earlier command that is queued again.
  var queuedAgain: CommandID?
  /// Earlier commands that had expired in the meantime, the newest first.
  var expired: [CommandID] = []
  /// The stream in which an earlier command was queued again.
  var change: OutboxChange?
}

/// Commands that are taken back, and the earlier ones that they had replaced.
///
/// Spec: Protocol/05-delivery.md §10.
extension DatabaseEffects {
  /// The reason of a command that has expired in its queue.
  static var expiredReason: String {
    "It expired before the machine was in touch: give it again if it still matters."
  }

  /// Takes a queued command from its queue for good, and queues again the earlier one that it had replaced.
  ///
  /// If the earlier one has expired in the meantime, the one that it had replaced in turn is queued again, and so on.
  ///
  /// `row` is of the table of commands, with the device's ID; `age` is the present reading of the age clock, in milliseconds.
  mutating func takeBack(_ row: Row, to status: CommandStatus, _ reason: String?, age: Int64) throws -> TakenBack {
    var taken = TakenBack()
    var (row, status, reason) = (row, status, reason)
    while true {
      let older = try database.replaced(by: row)
      try database.take(row, to: status, reason, at: wall)
      try restoreShown(before: row, older: older)
      guard let older, let id = CommandID(bytes: older["command_id"] as Data) else { return taken }
      taken.change = try queueAgain(older, since: status, age: age)
      guard let due = older["expires_age"] as Int64?, due <= age, let again = try database.commandRow(id) else {
        taken.queuedAgain = id
        return taken
      }
      taken.expired.append(id)
      (row, status, reason) = (again, .expired, Self.expiredReason)
    }
  }

  /// Queues a command again as what it was.
  ///
  /// It may exceed the limits, since it takes the place of a newer one.
  private func queueAgain(_ row: Row, since status: CommandStatus, age: Int64) throws -> OutboxChange {
    let accepted = (row["expires_age"] as Int64?).flatMap { due in
      (row["expires_after"] as Int64?).map { due.subtractingReportingOverflow($0).partialValue }
    }
    let group = WriteGroup(age: age)
    let id = row.bytes("command_id")
    let change = try database.enqueue(
      OutboxAddress(number: row["peer"], device: try row.deviceID("device_id")), .command, kind: .command, itemID: id,
      body: row.bytes("body"), caps: QueueCaps(items: .max, bytes: .max), since: (row["created_at"], accepted),
      in: group, at: wall)
    try group.settle(database)
    let end = status == .expired ? "has expired" : "was cancelled"
    try database.run(
      """
      UPDATE command SET status = 'queued', status_at = ?, seq = ?, epoch = ?, replaced_by = NULL, reason = ?
      WHERE command_id = ?
      """,
      [
        wall, Int64(bitPattern: change.last), Int64(bitPattern: change.epoch),
        "It is sent after all, since the newer command for the same thing \(end).", id,
      ])
    // A command that a restart had left out was not counted.
    if row["epoch"] as Int64? != nil { try database.untally(row["peer"], .command, .superseded) }
    return change
  }
}

extension Database {
  /// Returns the newest of the unanswered commands whose place a command has taken, and lets it take the place of the others.
  fileprivate func replaced(by row: Row) throws -> Row? {
    let newer: Data = row["command_id"]
    let older = try self.row(
      """
      SELECT c.*, p.device_id FROM command c JOIN peer p ON p.number = c.peer
      WHERE replaced_by = ? AND status = 'superseded' ORDER BY command_id DESC LIMIT 1
      """, [newer])
    guard let older, let id = older["command_id"] as Data? else { return nil }
    try run("UPDATE command SET replaced_by = ?1 WHERE replaced_by = ?2 AND command_id <> ?1", [id, newer])
    return older
  }

  /// Forgets that the commands which a command had replaced may come back, since one of them is answered.
  func settleReplaced(by id: CommandID) throws {
    try run("UPDATE command SET replaced_by = NULL WHERE replaced_by = ?", [id.bytes])
  }
}
