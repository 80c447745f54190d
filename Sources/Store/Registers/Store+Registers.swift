import Foundation
import GRDB
import LatchkeyModel

/// The registers of one moment, as this machine knows them.
public struct KnownRegisters: Sendable {
  /// A number that stands for this content; other content has another one.
  public var edition: Int64
  /// What this machine holds or, on a parent, has set.
  public var own: RegisterMap
  /// What each child's machine says that it holds and this machine has not set or has lost.
  public var told: [DeviceID: RegisterMap]
}

/// Reading registers.
///
/// Spec: Protocol/10-household.md §2.
extension Store {
  /// Returns the registers that this machine knows; `nil` if they are those of an edition that is known to the caller.
  public func knownRegisters(unless known: Int64? = nil) async throws(StoreError) -> KnownRegisters? {
    try await read { database in
      let edition = try database.edition
      guard edition != known else { return nil }
      return KnownRegisters(
        edition: edition, own: RegisterMap(try database.allRegisters()), told: try database.toldRegisters())
    }
  }

  /// Returns the registers that this machine holds or, on a parent, has set.
  public func registers() async throws(StoreError) -> RegisterMap {
    try await read { database in RegisterMap(try database.allRegisters()) }
  }

  /// Returns what each child's machine says that it holds and this machine has not set or has lost.
  public func toldRegisters() async throws(StoreError) -> [DeviceID: RegisterMap] {
    try await read { database in try database.toldRegisters() }
  }
}

extension Database {
  fileprivate var edition: Int64 {
    get throws {
      guard let value = try first("SELECT value FROM edition", [], { $0.integer(0) }) else {
        throw StoreError.unexpected("registers without an edition")
      }
      return value
    }
  }

  fileprivate func toldRegisters() throws -> [DeviceID: RegisterMap] {
    var told: [DeviceID: RegisterMap] = [:]
    let rows = try rows(
      "SELECT p.device_id, t.* FROM told_register t JOIN peer p ON p.number = t.peer WHERE p.state = 2")
    for row in rows { told[try row.deviceID("device_id"), default: RegisterMap()].merge(try Register(row: row)) }
    return told
  }
}
