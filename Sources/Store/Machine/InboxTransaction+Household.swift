import Foundation
import GRDB
import LatchkeyModel

/// The reports of a child's machine to its parents: its registers and lists. Spec:
/// Protocol/10-household.md §2, Protocol/06-messages.md §10.
extension InboxTransaction {
  mutating func applyRegisters(_ body: Result<[Register], BodyFault>) throws {
    guard peerRole == .child else { throw BodyFault("Only a child's device tells of what it holds.", .role) }
    let registers = try body.get()
    for case .machine(let device) in registers.map(\.zone) where device != peer.device {
      throw BodyFault("The registers are of another device than the one that sent them.", .foreign)
    }
    try database.note(registers, by: peer.device, own: own, at: wall)
    servedChildren = nil
    result.hasNewHousehold = true
  }

  var inventories: Inventories { Inventories(database: database, store: store, wall: wall) }

  /// Takes a part of a list that the sender, a child's machine, gives of itself, or that a parent
  /// forwards.
  mutating func applyInventory(_ body: Result<Inventory, BodyFault>) throws {
    var part = try body.get()
    guard let kind = InventoryKind.entry(of: part.kind)?.inventory else { return }
    let device = part.device ?? peer.device
    part.device = nil
    switch peerRole {
    case .child:
      guard device == peer.device
      else { throw BodyFault("The list is about another device than the one that sent it.", .foreign) }
      // A child is believed of a machine that serves the child.
      if kind.isShared { part = part.naming(try served()) }
    case .parent:
      guard kind.isShared, device != peer.device
      else { throw BodyFault("Only a child's device gives that kind of list of itself.", .role) }
      guard device != own, try hasRoom(for: device), try !isOutdated(part, of: device) else { return }
      part = part.of(try served())
    }
    let before = peerRole == .child ? try conditions() : []
    try inventories.keep(part, of: device, by: peer.device, clock)
    if peerRole == .child { try follow(part, kind, conditionsBefore: before) }
    switch kind.news {
    case .household: result.hasNewHousehold = true
    case .use: result.hasNewUse = true
    case .nothing: break
    }
  }

  /// Acts on a list of the sender, besides keeping it.
  private mutating func follow(_ part: Inventory, _ kind: InventoryKind, conditionsBefore: [MachineCondition]) throws {
    switch kind {
    case MachineCondition.inventory:
      for condition in try conditions() where !conditionsBefore.contains(condition) && condition.weakensRules {
        // A condition that comes and goes is reported once a day.
        let text = condition.lines.joined()
        let key = "weakened/\(Hexadecimal.encode(peer.device.bytes))/\(age / 86_400_000)/\(text)"
        try database.tell(.init(.rulesWeakened, key: key, device: peer.device, detail: text), age: age, at: wall)
      }
    case Account.inventory:
      try database.run("UPDATE peer SET assigned = max(assigned, 1) WHERE number = ?", [peer.number])
    case PairedParent.inventory:
      let parents = part.entries.compactMap { PairedParent(text: $0) }
      let news = try database.take(parents, of: peer, own: own, age: age, at: wall)
      result.newParents += news
      // Those that were there before this machine are no news.
      if let joined = parents.first(where: { $0.deviceID == own })?.pairedAt {
        for parent in news where parent.leftAt == nil && parent.pairedAt > joined {
          let key = "joined/\(Hexadecimal.encode(parent.deviceID.bytes))/\(Hexadecimal.encode(peer.device.bytes))"
          try database.tell(
            .init(.parentJoined, key: key, device: peer.device, detail: parent.name.text), age: age, at: wall)
        }
      }
    default: break
    }
    guard kind.isShared else { return }
    // A machine's own claim that it is a child's forwards nothing to the child's other machines.
    let given = Set(try database.givenChildren(of: peer.device))
    var others: [OutboxAddress] = []
    for child in given.sorted() {
      for other in try database.sharers(of: child, except: peer.device) where !others.contains(other) {
        others.append(other)
      }
    }
    for other in others {
      var passed = part.of(Set(try database.givenChildren(of: other.device)).intersection(given))
      passed.device = peer.device
      result.changes += try inventories.queue([passed], for: other)
    }
  }

  /// Returns the sender's known conditions, which weaken rules on it.
  private func conditions() throws -> [MachineCondition] {
    try database.inventory(MachineCondition.self, of: peer.device, coding)?.entries ?? []
  }

  /// The largest number of machines whose forwarded lists are kept.
  private static var mostMachines: Int64 { 64 }

  /// Returns whether lists of a machine are kept already, or there is room for one more machine.
  private func hasRoom(for device: DeviceID) throws -> Bool {
    try database.first(
      """
      SELECT count(*) < ? OR total(device_id = ?) > 0
      FROM (SELECT DISTINCT device_id FROM inventory WHERE device_id != ?)
      """, [Self.mostMachines, device.bytes, own.bytes], { $0.integer(0) == 1 }) ?? true
  }

  /// The time for which a list from one parent is kept despite an earlier one from another, in
  /// milliseconds.
  private static var recentMilliseconds: Int64 { 300_000 }

  /// Returns whether another parent has lately forwarded a later list.
  ///
  /// A machine may have two parents, and one of them without a connection to it knows an earlier
  /// list.
  private func isOutdated(_ part: Inventory, of device: DeviceID) throws -> Bool {
    guard
      let known = try database.row(
        "SELECT * FROM inventory WHERE kind = ? AND device_id = ?", [part.kind, Data(device.bytes)]),
      try known.deviceID("told_by") != peer.device, known["boot_id"] as String == clock.bootID,
      clock.now() - BootInstant(milliseconds: known["told_boot"] as Int64) < Self.recentMilliseconds
    else { return false }
    // A kept body that cannot be read is no fault of the sender.
    guard let kept = try? coding.inventory(known.bytes("body")) else { return false }
    return part.number < kept.number
  }
}

extension Inventories {
  /// Returns the items with everything that this machine reports to a parent: its registers, then
  /// its lists.
  func householdItems() throws -> [QueuedItem] {
    try database.allRegisters().batches.map {
      QueuedItem(kind: .registers, id: store.keys.freshID(), body: store.coding.encode($0), level: 0)
    } + items()
  }
}
