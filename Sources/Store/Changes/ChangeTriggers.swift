import GRDB
import LatchkeyModel

/// The table of the changes of the database that are reported.
///
/// Triggers of the connection that writes note each change in a table in memory, which is read
/// before the commit. So no writer has to report a change, and without a reader there is no
/// trigger. Spec: Protocol/07-local-api.md §4.
struct ChangeTrigger {
  let about: ChangeEvent.About
  let table: String
  var operations = ["INSERT", "UPDATE"]
  /// The rows that are reported, `nil` for all; `ROW` stands for the new row, or the deleted one.
  var condition: String?
  /// A child's ID, 16 bytes.
  var child = "x''"
  /// A device ID, 20 bytes.
  var device = "x''"
  /// The ID of a request or command, 32 hexadecimal digits.
  var id = "''"
  var change = "''"

  static let all = ofInventories + ofTables

  private static let ofTables = [
    ChangeTrigger(
      about: .request, table: "fact", condition: "ROW.kind IN ('request', 'answer')", child: "ROW.child",
      id: "substr(ROW.identity, 1, 32)", change: "CASE ROW.kind WHEN 'request' THEN 'asked' ELSE 'answered' END"),
    ChangeTrigger(about: .points, table: "fact", condition: "ROW.kind = 'ledger'", child: "ROW.child"),
    // An answer may grant time.
    ChangeTrigger(about: .today, table: "fact", condition: "ROW.kind IN ('answer', 'ledger')", child: "ROW.child"),
    ChangeTrigger(about: .rules, table: "register", condition: "substr(ROW.zone, 1, 1) = x'01'"),
    ChangeTrigger(
      about: .rules, table: "register", condition: "substr(ROW.zone, 1, 1) = x'02'", child: "substr(ROW.zone, 2)"),
    ChangeTrigger(
      about: .member, table: "register", condition: "substr(ROW.zone, 1, 1) = x'03'", device: "substr(ROW.zone, 2)"),
    ChangeTrigger(about: .member, table: "present_child"),
    ChangeTrigger(about: .today, table: "usage_record", condition: "ROW.child IS NOT NULL", child: "ROW.child"),
    ChangeTrigger(
      about: .today, table: "open_session", operations: ["INSERT", "DELETE"], condition: "ROW.child IS NOT NULL",
      child: "ROW.child"),
    ChangeTrigger(
      about: .command, table: "command", device: "(SELECT device_id FROM peer WHERE number = ROW.peer)",
      id: "lower(hex(ROW.command_id))", change: "ROW.status"),
    ChangeTrigger(about: .message, table: "received_message", operations: ["INSERT"], id: "lower(hex(ROW.command_id))"),
    ChangeTrigger(
      about: .device, table: "peer", operations: ["INSERT", "UPDATE OF name, child_name, state, quarantined_at"],
      device: "ROW.device_id"),
    ChangeTrigger(about: .notice, table: "parent_notice", operations: ["INSERT"], child: "ROW.child"),
  ]

  private static let ofInventories = InventoryKind.all.map { $0.inventory }.compactMap { kind in
    kind.about.map {
      ChangeTrigger(about: $0, table: "inventory", condition: "ROW.kind = '\(kind.name)'", device: "ROW.device_id")
    }
  }

  /// The table in memory of noted changes, each once for a transaction.
  static let table = """
    CREATE TEMP TABLE IF NOT EXISTS noted_change (
      about TEXT NOT NULL, child BLOB NOT NULL, device BLOB NOT NULL, id TEXT NOT NULL, change TEXT NOT NULL,
      UNIQUE (about, child, device, id, change)
    );
    """

  /// The names of the triggers with the statements that create them.
  static var statements: [(name: String, sql: String)] {
    all.enumerated().flatMap { number, trigger in
      trigger.operations.enumerated().map { place, operation in
        let name = "noted_\(number)_\(place)"
        let row = operation == "DELETE" ? "OLD" : "NEW"
        let condition = trigger.condition.map { "WHEN \($0) " } ?? ""
        let values = [trigger.child, trigger.device, trigger.id, trigger.change].joined(separator: ", ")
        let body = """
          \(condition)BEGIN
            INSERT OR IGNORE INTO noted_change VALUES ('\(trigger.about.rawValue)', \(values));
          END
          """.replacing("ROW.", with: "\(row).")
        return (name, "CREATE TEMP TRIGGER IF NOT EXISTS \(name) AFTER \(operation) ON main.\(trigger.table) \(body)")
      }
    }
  }
}

extension Database {
  /// Notes the changes of later transactions of this connection, or ceases to.
  func noteChanges(_ isWanted: Bool) throws {
    try execute(sql: ChangeTrigger.table)
    for (name, sql) in ChangeTrigger.statements {
      try execute(sql: isWanted ? sql : "DROP TRIGGER IF EXISTS temp.\(name)")
    }
  }

  /// Returns the transaction's changes so far, in order.
  func takeNotedChanges() throws -> [ChangeEvent] {
    let changes = try all("SELECT about, child, device, id, change FROM noted_change ORDER BY rowid") { columns in
      let word = columns.text(4)
      return ChangeEvent.About(rawValue: columns.text(0)).map { about in
        ChangeEvent(
          about, child: ChildID(bytes: columns.bytes(1)), device: DeviceID(bytes: columns.bytes(2)),
          id: Hexadecimal.decode(columns.text(3)).flatMap { CommandID(bytes: $0) }, change: word.isEmpty ? nil : word)
      }
    }
    if !changes.isEmpty { try run("DELETE FROM noted_change") }
    return changes
  }
}
