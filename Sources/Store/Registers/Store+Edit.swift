import Foundation
import GRDB
import LatchkeyModel

/// A register that a person sets, without its time.
public struct RegisterChange: Hashable, Sendable {
  public var zone: Zone
  public var key: RegisterKey
  /// The new value; `nil` deletes the register.
  public var value: String?

  public init(_ zone: Zone, _ key: RegisterKey, _ value: String?) {
    (self.zone, self.key, self.value) = (zone, key, value)
  }
}

public struct EditMaker: Sendable {
  public var nextID: @Sendable () -> CommandID
  public var payload: @Sendable ([Register]) -> CommandPayload
  /// Returns the children that a machine serves by the registers of its zone.
  public var children: @Sendable ([Register]) -> [ChildID]
  /// Registers that the first edit of a household sets besides, unless they are set; any other edit
  /// of them wins.
  public var defaults: [RegisterChange]

  public init(
    nextID: @escaping @Sendable () -> CommandID, payload: @escaping @Sendable ([Register]) -> CommandPayload,
    children: @escaping @Sendable ([Register]) -> [ChildID], defaults: [RegisterChange] = []
  ) {
    (self.nextID, self.payload, self.children, self.defaults) = (nextID, payload, children, defaults)
  }
}

public struct EditResult: Sendable {
  /// The commands for the machines that the edit concerns, in the order in which they were given.
  public var commands: [ConfigurationCommand] = []
  public var changes: [OutboxChange] = []
}

/// Edits of the household's desired state, on a parent. Spec: Protocol/10-household.md §2.
extension Store {
  /// Sets registers, and queues the command that carries them for each machine that holds their
  /// zones, in one transaction.
  ///
  /// All changes get one reading of the hybrid clock, and nothing is queued without a change. A
  /// machine that begins to serve a child gets all of the child's registers. `machine` is now
  /// assigned to the child that it was paired for.
  public func edit(
    _ changes: [RegisterChange], _ maker: EditMaker, assigning machine: DeviceID? = nil, at wall: Int64
  ) async throws(StoreError) -> EditResult {
    let age = age()
    return try await commits.commitTogether { database, group in
      if let machine { try database.run("UPDATE peer SET assigned = 2 WHERE device_id = ?", [machine.bytes]) }
      guard !changes.isEmpty else { return EditResult() }
      var edit = EditTransaction(store: self, database: database, group: group, maker: maker, age: age, wall: wall)
      try edit.make(changes)
      return edit.result
    }
  }

  /// Queues for a child's machine all registers of its zones, unless that was done since it was
  /// paired, and since another parent gave a child back to it.
  public func introduce(_ device: DeviceID, _ maker: EditMaker, at wall: Int64) async throws(StoreError) -> EditResult {
    let age = age()
    return try await commits.commitTogether { database, group in
      let peer = try group.active(device, database)
      let isDone = try database.first(
        "SELECT introduced FROM peer WHERE number = ?", [peer.number], { $0.integer(0) != 0 })
      guard isDone == false else { return EditResult() }
      try database.run("UPDATE peer SET introduced = 1 WHERE number = ?", [peer.number])
      var edit = EditTransaction(store: self, database: database, group: group, maker: maker, age: age, wall: wall)
      try edit.give(edit.zones(of: device).flatMap { try database.registers(in: $0) }, to: peer)
      return edit.result
    }
  }

  /// Returns the children's machines that have not got their registers since they were paired.
  public func machinesToIntroduce() async throws(StoreError) -> [DeviceID] {
    try await read { database in
      try database.rows(
        "SELECT device_id FROM peer WHERE state = 2 AND role = ? AND introduced = 0 ORDER BY number",
        [DeviceRole.child.rawValue]
      ).map { try $0.deviceID("device_id") }
    }
  }
}

extension Database {
  /// Returns the children's machines for which a command of a kind is on its way.
  func machinesAwaiting(_ kind: CommandKind) throws -> Set<DeviceID> {
    Set(
      try rows(
        """
        SELECT DISTINCT p.device_id FROM command c JOIN peer p ON p.number = c.peer
        WHERE c.kind = '\(kind.rawValue)' AND c.status IN ('queued', 'stored')
        """
      ).map { try $0.deviceID("device_id") })
  }
}

struct EditTransaction {
  let store: Store
  let database: Database
  let group: WriteGroup
  let maker: EditMaker
  let age: Int64
  let wall: Int64
  var result = EditResult()

  mutating func make(_ changes: [RegisterChange]) throws {
    let modified = try database.tick(wall: wall, author: store.own)
    var registers = changes.map { Register($0.zone, $0.key, $0.value, modified: modified) }
    for preset in maker.defaults where try database.register(preset.key, in: preset.zone) == nil {
      guard !changes.contains(where: { $0.zone == preset.zone && $0.key == preset.key }) else { continue }
      // The earliest time of all, so that a value that another parent has set wins.
      let first = HybridTimestamp(wall: 0, counter: 0, author: store.own)
      registers.append(Register(preset.zone, preset.key, preset.value, modified: first))
    }
    let machines = try database.addresses(role: .child)
    let before = try machines.map { try zones(of: $0.device) }
    var effects = DatabaseEffects(database, store.coding, own: store.own, author: store.own, at: wall)
    for register in registers {
      let known = try effects.registers(in: register.zone).count
      guard try known < Limits.zoneRegisters || effects.register(register.key, in: register.zone) != nil
      else { throw StoreError.unexpected("more than 4,096 settings of one kind: remove some of them first") }
      try effects.save(register)
    }
    for (machine, held) in zip(machines, before) {
      let zones = try zones(of: machine.device)
      let added = zones.filter { !held.contains($0) }
      // A machine that no longer serves a child gets that edit, and then deletes the zone by
      // itself.
      let news = registers.filter { zones.contains($0.zone) && !added.contains($0.zone) }
      try give(news + added.flatMap { try database.registers(in: $0) }, to: machine)
    }
  }

  /// Returns the zones that a child's machine is sent.
  func zones(of device: DeviceID) throws -> [Zone] {
    [.family, .machine(device)] + maker.children(try database.givenZone(of: device)).map { .child($0) }
  }

  mutating func give(_ registers: [Register], to machine: OutboxAddress) throws {
    // The machine's own zone says to which child it belongs. Without that, it takes no data of a
    // child.
    let ordered = registers.sorted { left, _ in if case .machine = left.zone { true } else { false } }
    for batch in ordered.batches {
      let (command, change) = try database.issue(
        maker.nextID(), maker.payload(batch), to: machine, expiresAfter: 0, store, in: group, age: age, at: wall)
      result.commands.append(command)
      result.changes.append(change)
    }
  }
}
