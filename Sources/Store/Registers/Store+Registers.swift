import Foundation
import GRDB
import LatchkeyModel
import LatchkeyRules

/// The registers of one moment, as this machine knows them.
public struct KnownRegisters: Sendable {
  /// A number that differs for any other content of the household.
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
  /// The child who is there, for each account of this machine that several children share.
  public var present: [PresentChild]
  public var registers: KnownRegisters
  /// The accounts of children's machines.
  public var accounts: [DeviceID: [Account]]
}

/// Reading the household. Spec: Protocol/10-household.md §1, §2.
extension Store {
  /// Returns the household; `nil` if it is as in the edition that the caller knows.
  ///
  /// It is asked for after each change of anything, and then reads one number.
  public func household(unless known: Int64? = nil) async throws(StoreError) -> HouseholdReading? {
    try await read { [coding] database in
      let edition = try database.edition
      guard edition != known else { return nil }
      return HouseholdReading(
        machines: try database.childMachines(), present: try database.presentChildren(),
        registers: KnownRegisters(
          edition: edition, own: RegisterMap(try database.allRegisters()), told: try database.toldRegisters()),
        accounts: try database.inventories(Account.self, coding).mapValues { $0.entries.sorted() })
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

  /// Returns the children's machines with little detail.
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

/// The tables of registers. Spec: Protocol/10-household.md §2.
extension Database {
  func register(_ key: RegisterKey, in zone: Zone) throws -> Register? {
    try row("SELECT * FROM register WHERE zone = ? AND key = ?", [Data(zone.bytes), key.text]).map(Register.init(row:))
  }

  func registers(in zone: Zone) throws -> [Register] {
    try rows("SELECT * FROM register WHERE zone = ? ORDER BY key", [Data(zone.bytes)]).map(Register.init(row:))
  }

  func zones() throws -> [Zone] {
    try rows("SELECT DISTINCT zone FROM register ORDER BY zone").map { row in
      guard let zone = Zone(bytes: row.bytes("zone")) else { throw StoreError.unexpected("a zone of registers") }
      return zone
    }
  }

  func allRegisters() throws -> [Register] { try zones().flatMap { try registers(in: $0) } }

  func save(_ register: Register) throws {
    try run(
      "INSERT OR REPLACE INTO register VALUES (?, ?, ?, ?, ?, ?)",
      [
        register.zone.bytes, register.key.text, register.value, register.modified.wall,
        Int64(register.modified.counter), register.modified.author.bytes,
      ])
  }

  private static let anyDay = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"

  func forgetRegisters(before day: FamilyDay) throws {
    for table in ["register", "told_register"] {
      try run("DELETE FROM \(table) WHERE key GLOB 'today/\(Self.anyDay)/*' AND key < ?", ["today/\(day)"])
      try run(
        """
        DELETE FROM \(table) WHERE key GLOB 'days/\(Self.anyDay)..\(Self.anyDay)/*'
        AND substr(key, length('days/2026-12-23..') + 1, 10) < ?
        """, [day.description])
    }
  }

  /// Keeps the registers that a child's machine holds, unless a later value is known, and sets the
  /// clock to a later time than theirs.
  ///
  /// Registers that this device has set itself are left out, unless it has lost them. So are
  /// registers of days that this device may have forgotten, or is about to forget.
  func note(_ told: [Register], by device: DeviceID, own: DeviceID, at wall: Int64) throws {
    let number = try address(of: device).number
    let today = try DayBoundary(zone: "UTC", dayStartHour: 0).day(containing: wall)
    let forgotten = today.advanced(byDays: 2 - RegisterMap.daysKept)
    var room: (count: Int64, bytes: Int64)?
    for register in told {
      if let day = register.key.lastDay, day < forgotten { continue }
      if register.modified.author == own, let held = try self.register(register.key, in: register.zone),
        !register.holds(over: held)
      {
        continue
      }
      if HybridTimestamp.mayWitness(register.modified.wall, at: wall) {
        try witness(register.modified.wall, register.modified.counter)
      }
      let known = try toldRegister(register.key, in: register.zone, by: number)
      if let known, !register.holds(over: known) { continue }
      // A machine that reports more than a machine can hold is not believed.
      let held = try room ?? toldRegisters(by: number)
      let size = Int64(register.size)
      room = held
      guard known != nil || held.count < Int64(Limits.toldRegisters), held.bytes + size <= Limits.toldRegisterBytes
      else { continue }
      room = (held.count + (known == nil ? 1 : 0), held.bytes + size - Int64(known?.size ?? 0))
      try run(
        "INSERT OR REPLACE INTO told_register VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          number, register.zone.bytes, register.key.text, register.value, register.modified.wall,
          Int64(register.modified.counter), register.modified.author.bytes,
        ])
      if case .machine = register.zone { try noteOwner(register, device, own: own) }
    }
  }

  /// Returns the number of registers that a machine has reported, and the bytes of their keys and
  /// values.
  private func toldRegisters(by peer: Int64) throws -> (count: Int64, bytes: Int64) {
    try first(
      """
      SELECT COUNT(*), coalesce(SUM(length(CAST(key AS BLOB)) + length(CAST(coalesce(value, '') AS BLOB))), 0)
      FROM told_register WHERE peer = ?
      """, [peer], { (count: $0.integer(0), bytes: $0.integer(1)) }) ?? (0, 0)
  }

  private func toldRegister(_ key: RegisterKey, in zone: Zone, by peer: Int64) throws -> Register? {
    try row(
      "SELECT * FROM told_register WHERE peer = ? AND zone = ? AND key = ?", [peer, Data(zone.bytes), key.text]
    ).map(Register.init(row:))
  }

  /// Queues registers for a parent, together with those that are still pending for it.
  ///
  /// The group of the transaction has to be settled before.
  func queue(
    _ registers: [Register], for parent: OutboxAddress, _ store: Store, at wall: Int64
  ) throws -> [OutboxChange] {
    var map = RegisterMap(registers)
    let waiting = try rows(
      "SELECT seq, item_id, body FROM outbox_item WHERE \(OutboxPlace.stream("?1", .control)) AND kind = ?",
      [parent.number, ItemKind.registers.rawValue])
    for item in waiting {
      for register in try store.coding.registers(item.bytes("body")) { map.merge(register) }
      try withdraw(parent.number, .control, item["seq"], itemID: item["item_id"], as: nil, at: wall)
    }
    return try map.registers.batches.map {
      try enqueue(.registers, store.coding.encode($0), for: parent, store.keys, at: wall)
    }
  }
}

extension Register {
  /// Creates a register from a row of either table.
  init(row: Row) throws {
    guard let zone = Zone(bytes: row.bytes("zone")), let key = RegisterKey(row["key"])
    else { throw StoreError.unexpected("the place of a register") }
    self.init(
      zone, key, row["value"],
      modified: HybridTimestamp(
        wall: row["modified_wall"], counter: UInt32(clamping: row["modified_counter"] as Int64),
        author: try row.deviceID("modified_author")))
  }

  /// The bytes of the key and the value.
  var size: Int { key.text.utf8.count + (value?.utf8.count ?? 0) }
}

extension [Register] {
  /// The registers in their order, in batches that each fit one command or item.
  var batches: [[Register]] {
    var batches: [[Register]] = []
    var bytes = 0
    for register in self {
      let isFull = batches.last.map { $0.count >= Limits.editRegisters } ?? true
      if isFull || bytes + register.size > Limits.editBytes {
        batches.append([])
        bytes = 0
      }
      batches[batches.count - 1].append(register)
      bytes += register.size
    }
    return batches
  }
}
