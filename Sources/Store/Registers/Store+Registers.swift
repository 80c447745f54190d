import Foundation
import GRDB
import LatchkeyModel

/// The registers of one moment, as this machine knows them.
public struct KnownRegisters: Sendable {
  /// A number that differs for any other content, accounts included.
  public var edition: Int64
  /// The registers that this machine holds or, on a parent, has set.
  public var own: RegisterMap
  /// The registers that each child's machine holds and this machine has not set or has lost.
  public var told: [DeviceID: RegisterMap]

  public init(edition: Int64, own: RegisterMap, told: [DeviceID: RegisterMap]) {
    (self.edition, self.own, self.told) = (edition, own, told)
  }
}

/// The devices of a household and its registers, read at one moment.
public struct HouseholdReading: Sendable {
  /// A paired machine of a child's.
  public struct Machine: Hashable, Sendable {
    public var device: DeviceID
    public var name: DeviceName
    /// The name of the child that was given when the machine was paired.
    public var childName: String?
    /// A Boolean value that indicates whether it is to become the machine of that child now.
    public var isToBeAssigned: Bool
  }

  /// The children's machines that are paired, in the order in which they were.
  public var machines: [Machine]
  /// Who is there in accounts of this machine that several children share.
  public var present: [PresentChild]
  /// The registers; `nil` if they are those of the edition that the caller knows.
  public var registers: KnownRegisters?
  /// The accounts of children's machines; empty if `registers` is `nil`, since they are the same
  /// then.
  public var accounts: [DeviceID: [Account]] = [:]
}

/// Reading the household. Spec: Protocol/10-household.md §1, §2.
extension Store {
  /// Returns the devices and, unless the caller knows their edition, the accounts and registers.
  public func household(unless known: Int64? = nil) async throws(StoreError) -> HouseholdReading {
    try await read { [coding] database in
      let edition = try database.edition
      var reading = HouseholdReading(machines: try database.childMachines(), present: try database.presentChildren())
      if edition != known {
        reading.registers = KnownRegisters(
          edition: edition, own: RegisterMap(try database.allRegisters()), told: try database.toldRegisters())
        reading.accounts = try database.inventories(Account.self, coding).mapValues { $0.entries.sorted() }
      }
      return reading
    }
  }
}

extension Database {
  fileprivate var edition: Int64 {
    get throws {
      guard let value = try integer("SELECT value FROM edition")
      else { throw StoreError.unexpected("registers without an edition") }
      return value
    }
  }

  /// Returns the children's machines with little detail: this is read after each command and
  /// record.
  fileprivate func childMachines() throws -> [HouseholdReading.Machine] {
    try all(
      """
      SELECT device_id, name, child_name, assigned FROM peer
      WHERE state = \(PeerRecord.State.active.rawValue) AND role = ? ORDER BY number
      """, [DeviceRole.child.rawValue]
    ) { row in
      HouseholdReading.Machine(
        device: try row.deviceID(0), name: DeviceName(sanitising: row.text(1)), childName: row.textIfAny(2),
        isToBeAssigned: row.integer(3) == 1)
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
