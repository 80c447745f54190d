import LatchkeyHousehold
import LatchkeyModel

/// A register that a person sets, without its time.
package struct ModelEdit: Sendable {
  package let zone: Zone
  package let key: RegisterKey
  package let value: String?

  package init(_ zone: Zone, _ key: RegisterKey, _ value: String?) {
    self.zone = zone
    self.key = key
    self.value = value
  }
}

/// The registers of the household. Spec: Protocol/10-household.md §2.
extension ModelStore {
  /// Sets registers at a parent, and queues the commands that carry them for each machine that
  /// holds their zones.
  package mutating func edit(
    _ changes: [ModelEdit], nextID: () -> CommandID, at wall: Int64
  ) throws(ModelStoreFault) -> [ModelChange] {
    guard !changes.isEmpty else { return [] }
    let modified = tick(wall)
    let registers = changes.map { Register($0.zone, $0.key, $0.value, modified: modified) }
    let machines = peers.indices.filter { peers[$0].state == .active && peers[$0].role == .child }
    let before = machines.map { zones(of: peers[$0].device) }
    holdings.begin(author: own, at: wall, usage: usage.count)
    for register in registers { inMemory { try holdings.save(register) } }
    var given: [ModelChange] = []
    for (machine, held) in zip(machines, before) {
      let zones = zones(of: peers[machine].device)
      let added = zones.filter { !held.contains($0) }
      let news = registers.filter { zones.contains($0.zone) && !added.contains($0.zone) }
      let all = news + added.flatMap { zone in inMemory { try holdings.registers(in: zone) } }
      // The mistake: a sibling's machine gets the registers of a child that is not its own.
      let leaked = sources.fault == .tellSiblings ? registers.filter { !all.contains($0) } : []
      if sources.fault == .loseEdit, machine != machines.first { continue }
      given += try give(all + leaked, to: machine, nextID: nextID, at: wall)
    }
    return given
  }

  /// Queues for a child's machine all registers that it must hold.
  package mutating func introduce(
    _ device: DeviceID, nextID: () -> CommandID, at wall: Int64
  ) throws(ModelStoreFault) -> [ModelChange] {
    let place = try place(device)
    guard peers[place].state == .active else { throw .noSuchPeer }
    let registers = zones(of: device).flatMap { zone in inMemory { try holdings.registers(in: zone) } }
    return try give(registers, to: place, nextID: nextID, at: wall)
  }

  private func zones(of device: DeviceID) -> [Zone] {
    [.family, .machine(device)] + holdings.given(to: device).map { .child($0) }
  }

  private mutating func give(
    _ registers: [Register], to place: Int, nextID: () -> CommandID, at wall: Int64
  ) throws(ModelStoreFault) -> [ModelChange] {
    guard !registers.isEmpty else { return [] }
    let ordered = registers.sorted { left, _ in if case .machine = left.zone { true } else { false } }
    return [try issue(nextID(), CommandPayload(Edit(ordered)), to: place, expiresAfter: 0, at: wall)]
  }

  /// Applies the registers that a child's machine reports.
  mutating func takeRegisters(
    _ item: DeliveryItem, _ place: Int, _ role: DeviceRole, _ wall: Int64, _ result: inout ModelInboxResult
  ) {
    guard role == .child else { return passOver(item, .control, .role, &result) }
    guard let registers = try? coding.registers(item.body) else {
      return passOver(item, .control, .unreadable, &result)
    }
    let device = peers[place].device
    for case .machine(let machine) in registers.map(\.zone) where machine != device {
      return passOver(item, .control, .foreign, &result)
    }
    note(registers, by: device, at: wall)
  }

  /// Stores the registers that a child's machine reports, and moves the clock past them.
  mutating func note(_ registers: [Register], by device: DeviceID, at wall: Int64) {
    witness(registers, at: wall)
    inMemory { try holdings.note(registers, by: device) }
  }

  /// Moves the clock past registers that a child's machine holds.
  mutating func witness(_ registers: [Register], at wall: Int64) {
    for register in registers {
      let held = inMemory { try holdings.register(register.key, in: register.zone) }
      if register.modified.author == own, let held, !register.holds(over: held) { continue }
      if HybridTimestamp.mayWitness(register.modified.wall, at: wall) {
        witness(register.modified.wall, register.modified.counter)
      }
    }
  }

  /// Queues for this machine's parents what an edit has changed.
  mutating func tellParents(of author: Int, _ result: inout ModelInboxResult) throws(ModelStoreFault) {
    let (told, toldAuthor) = (holdings.told, holdings.toldAuthor)
    for place in peers.indices where peers[place].state == .active && peers[place].role == .parent {
      let registers = place == author ? toldAuthor : told
      guard !registers.isEmpty else { continue }
      if let change = try queueRegisters(registers, for: place) { result.changes.append(change) }
    }
  }

  /// Queues registers for a parent, merged with those of a pending item.
  private mutating func queueRegisters(
    _ registers: [Register], for place: Int
  ) throws(ModelStoreFault) -> ModelChange? {
    var map = RegisterMap(registers)
    for item in peers[place].outgoing[.control]?.items ?? [] where item.kind == .registers {
      for register in (try? coding.registers(item.body)) ?? [] { map.merge(register) }
      withdraw(place, .control, item.sequence, itemID: item.itemID, as: nil)
    }
    return try enqueue(
      place, .control, kind: .registers, itemID: Array(sources.keys.freshKey().prefix(16)),
      body: coding.encode(map.registers), caps: QueueCaps())
  }

  /// Returns the items for a parent with everything that this machine holds.
  func householdItems() -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    let registers = inMemory { try holdings.zones().flatMap { try holdings.registers(in: $0) } }
    var items: [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] = []
    if !registers.isEmpty {
      items.append((.registers, Array(sources.keys.freshKey().prefix(16)), coding.encode(registers), 0))
    }
    return sources.fault == .forgetLists ? items : items + inventoryItems()
  }
}
