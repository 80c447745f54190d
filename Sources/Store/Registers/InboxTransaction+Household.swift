import Foundation
import GRDB
import LatchkeyModel

/// What a child's machine tells its parents: the registers that it holds, and its accounts.
///
/// Spec: Protocol/10-household.md §2, §3.
extension InboxTransaction {
  mutating func applyRegisters(_ item: DeliveryItem, _ body: Result<[Register], BodyFault>) throws {
    do {
      guard peerRole == .child else { throw BodyFault("Only a child's device tells of what it holds.", .role) }
      let registers = try body.get()
      for case .machine(let device) in registers.map(\.zone) where device != peer.device {
        throw BodyFault("The registers are of another device than the one that sent them.", .foreign)
      }
      try database.note(registers, by: peer.device, own: own, at: wall)
      servedChildren = nil
      result.hasNewHousehold = true
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }

  mutating func applyAccounts(_ item: DeliveryItem, _ body: Result<[Account], BodyFault>) throws {
    do {
      guard peerRole == .child else { throw BodyFault("Only a child's device tells of its accounts.", .role) }
      try database.save(try body.get(), of: peer.device)
      try database.run("UPDATE peer SET assigned = max(assigned, 1) WHERE number = ?", [peer.number])
      result.hasNewHousehold = true
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }
}

extension Database {
  /// Keeps the accounts of a machine in place of those before.
  func save(_ accounts: [Account], of device: DeviceID) throws {
    try run("DELETE FROM account WHERE device_id = ?", [device.bytes])
    for account in accounts {
      try run(
        "INSERT INTO account VALUES (?, ?, ?, ?, ?)",
        [device.bytes, account.uid, account.name, account.fullName, account.statedChild])
    }
  }

  func accounts(of device: DeviceID) throws -> [Account] {
    try rows("SELECT * FROM account WHERE device_id = ? ORDER BY uid", [Data(device.bytes)]).map(Account.init(row:))
  }

  /// Returns the accounts of all machines.
  func accounts() throws -> [DeviceID: [Account]] {
    var accounts: [DeviceID: [Account]] = [:]
    for row in try rows("SELECT * FROM account ORDER BY device_id, uid") {
      accounts[try row.deviceID("device_id"), default: []].append(Account(row: row))
    }
    return accounts
  }

  /// A Boolean value that indicates whether this machine has looked for its accounts.
  var knowsAccounts: Bool {
    get throws { try first("SELECT 1 FROM setting WHERE key = 'accounts'", [], { _ in true }) ?? false }
  }

  /// Returns the items that tell a parent of everything that this machine holds: its registers, then its accounts, its
  /// conditions, what runs, and the applications that it has found.
  func householdItems(
    _ keys: any KeySource, _ coding: any BodyCoding, own: DeviceID
  ) throws -> [QueuedItem] {
    let registers = try allRegisters()
    var bodies = registers.batches.map { (ItemKind.registers, coding.encode($0)) }
    if try knowsAccounts { bodies.append((ItemKind.accounts, coding.encode(try accounts(of: own)))) }
    if let conditions = try knownConditions(of: own) {
      bodies.append((ItemKind.conditions, coding.encode(conditions)))
    }
    if let running = try runningList(of: own, coding) { bodies.append((ItemKind.running, coding.encode(running.list))) }
    let items = bodies.map { kind, body in
      QueuedItem(kind: kind, id: Array(keys.freshKey().prefix(16)), body: body, level: 0)
    }
    return items + (try installedItems(keys, own: own))
  }

  /// Queues these items for a parent that was paired.
  func queueHousehold(
    for parent: OutboxAddress, _ keys: any KeySource, _ coding: any BodyCoding, own: DeviceID, at wall: Int64
  ) throws -> [OutboxChange] {
    try householdItems(keys, coding, own: own).map { item in
      try enqueue(parent, .control, kind: item.kind, itemID: item.id, body: item.body, at: wall)
    }
  }
}

extension Account {
  fileprivate init(row: Row) {
    self.init(
      uid: UInt32(clamping: row["uid"] as Int64), name: row["name"], fullName: row["full_name"],
      statedChild: row["stated_child"])
  }
}
