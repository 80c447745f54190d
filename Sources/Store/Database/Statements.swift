import Foundation
import GRDB
import GRDBSQLite
import Glibc
import LatchkeyModel

extension Database {
  /// Runs a statement that is prepared once and cached.
  func run(_ sql: String, _ bindings: Bindings = []) throws { try each(sql, bindings) { _ in true } }

  /// Returns the first row of a statement that is prepared once and cached; `nil` if there is none.
  ///
  /// The statement runs to its end. Statements that write, and return the written rows, require
  /// this.
  func first<Value>(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Value) throws -> Value? {
    var value: Value?
    try each(sql, bindings) { columns in
      if value == nil { value = try read(columns) }
      return true
    }
    return value
  }

  /// Returns the first column of the first row; `nil` if there is no row.
  func integer(_ sql: String, _ bindings: Bindings = []) throws -> Int64? { try first(sql, bindings) { $0.integer(0) } }

  /// Returns whether there is a row.
  func exists(_ sql: String, _ bindings: Bindings) throws -> Bool { try first(sql, bindings) { _ in true } ?? false }

  /// Returns the value that `read` returns for each row, without `nil`.
  func all<Value>(_ sql: String, _ bindings: Bindings = [], _ read: (Columns) throws -> Value?) throws -> [Value] {
    var values: [Value] = []
    try each(sql, bindings) { columns in
      if let value = try read(columns) { values.append(value) }
      return true
    }
    return values
  }

  /// Reads the rows of a statement that is prepared once and cached, until `read` returns `false`.
  func each(_ sql: String, _ bindings: Bindings, _ read: (Columns) throws -> Bool) throws {
    // GRDB caches the statement and finalizes it with the connection.
    let prepared = try cachedStatement(sql: sql)
    try each(
      prepared, { parameters in for index in bindings.values.indices { parameters.add(any: bindings.values[index]) } },
      read)
  }

  /// Runs a prepared statement; `bind` adds its parameters in order.
  func run(_ prepared: Statement, _ bind: (inout Parameters) -> Void) throws {
    try each(prepared, bind) { _ in true }
  }

  /// Returns the first row of a prepared statement; `nil` if there is none.
  ///
  /// `bind` adds the parameters in order.
  func first<Value>(
    _ prepared: Statement, _ bind: (inout Parameters) -> Void, _ read: (Columns) throws -> Value
  ) throws -> Value? {
    var value: Value?
    try each(prepared, bind) { columns in
      if value == nil { value = try read(columns) }
      return true
    }
    return value
  }

  /// Reads the rows of a prepared statement until `read` returns `false`.
  ///
  /// SQLite's results are read directly.
  private func each(
    _ prepared: Statement, _ bind: (inout Parameters) -> Void, _ read: (Columns) throws -> Bool
  ) throws {
    let statement = prepared.sqliteStatement
    defer { sqlite3_reset(statement) }
    var parameters = Parameters(statement: statement)
    bind(&parameters)
    guard parameters.code == SQLITE_OK else { throw refusal(parameters.code, prepared.sql) }
    assert(parameters.count == sqlite3_bind_parameter_count(statement), "parameters of \(prepared.sql)")
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: guard try read(Columns(statement: statement)) else { return }
      case SQLITE_DONE: return
      case let code: throw refusal(code, prepared.sql)
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

  /// Returns the value that is read from each row of a statement that is prepared once and cached.
  ///
  /// `read` does not keep the row. A row that is kept searches the names of its columns at each
  /// access, and compares them without regard to case. The statement's own row has a table.
  func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = [], _ read: (Row) throws -> Value
  ) throws -> [Value] {
    let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    var values: [Value] = []
    while let row = try cursor.next() { values.append(try read(row)) }
    return values
  }

  /// Writes an audit entry in the transaction that it describes; `action` is a fixed word, such as
  /// `device.paired`.
  func audit(
    _ action: String, of target: String, old: String? = nil, new: String? = nil, by author: DeviceID, at wall: Int64
  ) throws {
    try run(
      "INSERT INTO audit (author, action, target, old, new, at, through) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [author.bytes, action, target, old, new, wall, Through.browser])
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

/// The columns of a statement's current row, read from SQLite's memory.
///
/// They must not be used after the row.
struct Columns {
  let statement: OpaquePointer

  func integer(_ index: CInt) -> Int64 { sqlite3_column_int64(statement, index) }

  /// Returns an epoch or number, which is stored as the signed integer with the same bits.
  func unsigned(_ index: CInt) -> UInt64 { UInt64(bitPattern: integer(index)) }

  func bytes(_ index: CInt) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, index) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }

  func text(_ index: CInt) -> String {
    guard let start = sqlite3_column_blob(statement, index) else { return "" }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text of a column; `nil` for a null.
  func textIfAny(_ index: CInt) -> String? { sqlite3_column_type(statement, index) == SQLITE_NULL ? nil : text(index) }

  /// Returns whether a blob or text has some bytes, without a copy.
  func holds(_ bytes: [UInt8], _ index: CInt) -> Bool {
    guard let start = sqlite3_column_blob(statement, index) else { return bytes.isEmpty }
    return Int(sqlite3_column_bytes(statement, index)) == bytes.count && memcmp(start, bytes, bytes.count) == 0
  }

  func deviceID(_ index: CInt) throws -> DeviceID {
    guard let id = DeviceID(bytes: bytes(index)) else { throw StoreError.unexpected("a device ID") }
    return id
  }
}

extension ToldSentence {
  /// The phrase as it is stored; `nil` if there is none.
  var storedPhrase: String? {
    phrase.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Row {
  /// Returns the sentence of a column in English and a column with the same phrase; `nil` for none.
  func told(_ column: String, _ phrase: String) -> ToldSentence? {
    guard let english = self[column] as String? else { return nil }
    let stored = (self[phrase] as String?).flatMap { try? JSONDecoder().decode(Phrase.self, from: Data($0.utf8)) }
    return ToldSentence(english: english, phrase: stored)
  }
}
