import Foundation
import GRDBSQLite
import LatchkeyModel

/// A value that can be bound to a statement's parameter.
///
/// GRDB converts each argument and each row into values of its own, which costs several times as
/// much as SQLite's own work for a small row. Statements that run for each message use SQLite
/// directly.
protocol Bindable {
  /// Binds this value to the parameter `index`, counted from 1, and returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt
}

/// The parameters of one statement, in order.
struct Bindings: ExpressibleByArrayLiteral {
  let values: [(any Bindable)?]

  init(arrayLiteral values: (any Bindable)?...) {
    self.values = values
  }
}

/// The parameters of a prepared statement, which are bound one after another.
///
/// Code that runs for each message adds its parameters here. An array would need a copy and memory
/// of its own for each of them.
struct Parameters {
  let statement: OpaquePointer
  /// The number of parameters so far.
  private(set) var count: CInt = 0
  /// SQLite's result code of the first that could not be bound, or `SQLITE_OK`.
  private(set) var code = SQLITE_OK

  init(statement: OpaquePointer) { self.statement = statement }

  mutating func add(_ value: some Bindable) {
    count += 1
    bound(value.bind(to: statement, at: count))
  }

  mutating func add(_ value: (some Bindable)?) { if let value { add(value) } else { addNull() } }

  /// Adds a value of any type.
  mutating func add(any value: (any Bindable)?) { if let value { add(value) } else { addNull() } }

  private mutating func addNull() {
    count += 1
    bound(sqlite3_bind_null(statement, count))
  }

  private mutating func bound(_ result: CInt) { if code == SQLITE_OK { code = result } }
}

/// The value by which SQLite copies the bytes before the call returns.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Bindable where Self: BinaryInteger {
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, Int64(self)) }
}

extension Int64: Bindable {}
extension Int: Bindable {}
extension UInt32: Bindable {}

extension Bool: Bindable {
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self ? 1 : 0) }
}

extension String: Bindable {
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    var text = self
    return text.withUTF8 { bytes in
      // Without a pointer to memory, SQLite would bind NULL.
      guard !bytes.isEmpty else { return sqlite3_bind_text(statement, index, "", 0, copied) }
      return bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(statement, index, $0.baseAddress, CInt($0.count), copied)
      }
    }
  }
}

extension Bindable where Self: ContiguousBytes {
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), copied)
    }
  }
}

extension CommandID: Bindable {
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, CInt($0.count), copied) }
  }
}

extension [UInt8]: Bindable {}
extension Data: Bindable {}
