import GRDBSQLite
import Glibc
import LatchkeyModel

/// The columns of a statement's current row, read from SQLite's memory.
///
/// They must not be used after the row.
struct Columns {
  let statement: OpaquePointer

  func isNull(_ index: CInt) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

  func integer(_ index: CInt) -> Int64 { sqlite3_column_int64(statement, index) }

  /// Returns an epoch or number, which is stored as the signed integer with the same bits.
  func unsigned(_ index: CInt) -> UInt64 { UInt64(bitPattern: integer(index)) }

  func bytes(_ index: CInt) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, index) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }

  func text(_ index: CInt) -> String { String(decoding: bytes(index), as: UTF8.self) }

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
