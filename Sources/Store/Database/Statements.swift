import Foundation
import GRDB
import GRDBSQLite
import LatchkeyModel

extension Database {
  /// Runs a statement that is prepared once and cached.
  func run(_ sql: String, _ bindings: Bindings = []) throws {
    try each(sql, bindings) { _ in true }
  }

  /// Returns the first row of a statement that is prepared once and cached; `nil` if there is none.
  ///
  /// The statement runs to its end, as required for those that write and return what they wrote.
  func first<Value>(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Value) throws -> Value? {
    var value: Value?
    try each(sql, bindings) { columns in
      if value == nil { value = try read(columns) }
      return true
    }
    return value
  }

  /// Reads the rows of a statement that is prepared once and cached, until `read` returns `false`.
  func each(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Bool) throws {
    // GRDB caches the statement and finalizes it with the connection. SQLite's results are read
    // directly.
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

  /// Returns the first row of a statement that is prepared once and cached.
  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  /// Returns all rows of a statement that is prepared once and cached.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }

  /// Writes an audit entry in the transaction that it describes.
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
