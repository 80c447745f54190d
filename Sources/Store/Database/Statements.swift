import Foundation
import GRDB
import GRDBSQLite
import LatchkeyModel

extension Database {
  /// Run a statement that is prepared once and kept.
  func run(_ sql: String, _ bindings: Bindings = []) throws {
    try each(sql, bindings) { _ in true }
  }

  /// Read the first row of a statement that is prepared once and kept; nil when there is none.
  ///
  /// The statement is run to its end, for those that write and return what they wrote.
  func first<Value>(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Value) throws -> Value? {
    var value: Value?
    try each(sql, bindings) { columns in
      if value == nil { value = try read(columns) }
      return true
    }
    return value
  }

  /// Read the rows of a statement that is prepared once and kept, as they come, until `read` answers that it has enough.
  func each(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Bool) throws {
    // GRDB keeps it and finalises it with the connection; what SQLite answers comes here.
    let prepared = try cachedStatement(sql: sql)
    let statement = prepared.sqliteStatement
    defer { sqlite3_reset(statement) }
    var index: CInt = 0
    for value in bindings.values {
      index += 1
      let code = value?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
      guard code == SQLITE_OK else { throw refusal(code, sql) }
    }
    assert(index == sqlite3_bind_parameter_count(statement), "parameters of \(sql)")
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: guard try read(Columns(statement: statement)) else { return }
      case SQLITE_DONE: return
      case let code: throw refusal(code, sql)
      }
    }
  }

  private func refusal(_ code: CInt, _ sql: String) -> DatabaseError {
    let message = sqliteConnection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
  }

  /// The first row of a statement that is prepared once and kept.
  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  /// All rows of a statement that is prepared once and kept.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }

  /// Write an audit entry in the transaction of the act it tells of.
  func audit(_ entry: AuditEntry) throws {
    try run(
      "INSERT INTO audit (author, action, target, old, new, at) VALUES (?, ?, ?, ?, ?, ?)",
      [Data(entry.author.bytes), entry.action, entry.target, entry.old, entry.new, entry.at])
  }
}

extension Row {
  func bytes(_ column: String) -> [UInt8] { [UInt8](self[column] as Data) }

  func deviceID(_ column: String) throws -> DeviceID {
    guard let id = DeviceID(bytes: self[column] as Data) else {
      throw StoreError.unexpected("a device ID in \(column)")
    }
    return id
  }

  func unsigned(_ column: String) -> UInt64 { UInt64(bitPattern: self[column] as Int64) }
}
