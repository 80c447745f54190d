import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Run a statement that is prepared once and kept.
  func run(_ sql: String, _ arguments: StatementArguments = []) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
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
