import GRDBSQLite
import LatchkeyModel

/// The columns of the row that a statement stands at, read where SQLite has them; not to be kept beyond that.
struct Columns {
  let statement: OpaquePointer

  func isNull(_ index: CInt) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

  func integer(_ index: CInt) -> Int64 { sqlite3_column_int64(statement, index) }

  /// An epoch or number, kept as the signed integer of the same bits.
  func unsigned(_ index: CInt) -> UInt64 { UInt64(bitPattern: integer(index)) }

  func bytes(_ index: CInt) -> [UInt8] {
    guard let start = sqlite3_column_blob(statement, index) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }

  func deviceID(_ index: CInt) throws -> DeviceID {
    guard let id = DeviceID(bytes: bytes(index)) else { throw StoreError.unexpected("a device ID") }
    return id
  }
}
