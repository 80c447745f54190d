import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Synchronization
import Testing

/// Tests of a parent's edits of registers, and of the registers that children's machines report.
@Suite final class RegisterStoreTests {
  private let rig: StoreRig
  private let emma, tom: ChildID
  private let numbers = Mutex(UInt8(0))

  init() throws {
    rig = try StoreRig()
    emma = try #require(ChildID(bytes: rig.random.bytes(16)))
    tom = try #require(ChildID(bytes: rig.random.bytes(16)))
  }

  private var maker: EditMaker {
    let number = Mutex(numbers.withLock { $0 })
    numbers.withLock { $0 += 40 }
    return EditMaker(
      nextID: {
        number.withLock {
          $0 += 1
          return CommandID(milliseconds: Int64($0), random: [UInt8](repeating: $0, count: 10))
        }
      }, payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
  }

  private func edit(_ changes: [RegisterChange], wall: Int64 = 10) async throws -> EditResult {
    try await rig.store.edit(changes, maker, at: wall)
  }

  private func serve(_ machine: DeviceID, _ child: ChildID) -> RegisterChange {
    RegisterChange(.machine(machine), HouseholdKey.child(child), HouseholdKey.yes)
  }

  private func carried(_ result: EditResult, to machine: DeviceID) -> [RegisterMap.Place] {
    result.commands.filter { $0.target == machine }.flatMap { $0.payload.as(Edit.self)?.registers ?? [] }
      .map { RegisterMap.Place($0.zone, $0.key) }
  }

  @Test("An edit goes to the machines that hold its zone; one that begins to serve a child gets all of the child's")
  func targets() async throws {
    let (emmas, both) = (try await rig.paired(), try await rig.paired())
    #expect(try await edit([.init(.child(emma), "name", "Emma")]).commands.isEmpty, "Nobody serves her yet.")
    let first = try await edit([serve(emmas, emma), serve(both, tom)])
    #expect(carried(first, to: emmas).map(\.key.text) == ["child/\(emma)", "name"])
    #expect(carried(first, to: both).map(\.key.text) == ["child/\(tom)"])
    let lock = try await edit([.init(.child(emma), "lock", "on"), .init(.child(tom), "lock", "off")])
    #expect(carried(lock, to: emmas) == [.init(.child(emma), "lock")])
    #expect(carried(lock, to: both) == [.init(.child(tom), "lock")])
    let joined = try await edit([serve(both, emma)])
    #expect(joined.commands.map(\.target) == [both], "The other machine has nothing new.")
    #expect(Set(carried(joined, to: both).map(\.key.text)) == ["child/\(emma)", "name", "lock"])
    let family = try await edit([.init(.family, "family/zone", "Europe/Berlin")])
    #expect(Set(family.commands.map(\.target)) == [emmas, both])
    // All registers of an edit have one time, and later edits have later times.
    let times = Set(lock.commands.flatMap { $0.payload.as(Edit.self)?.registers.map(\.modified) ?? [] })
    #expect(times.count == 1)
    let map = try await rig.store.registers()
    #expect(map.value(.child(emma), "lock") == "on" && map.value(.child(tom), "lock") == "off")
    try rig.reopen()
    #expect(try await rig.store.registers() == map)
  }

  @Test("A machine that was paired gets what it is to hold once; large registers are split over commands")
  func introduction() async throws {
    let machine = try await rig.paired()
    _ = try await edit([serve(machine, emma)])
    let matchers = String(repeating: "x", count: 9_000)
    _ = try await edit((0..<5).map { .init(.child(emma), RegisterKey("app/a\($0)/name") ?? "name", matchers) })
    _ = try await rig.store.remove(machine, removal: nil, itemID: rig.random.bytes(16), at: 11)
    try await rig.pair(machine, .child)
    #expect(try await rig.store.machinesToIntroduce() == [machine])
    let given = try await rig.store.introduce(machine, maker, at: 12)
    #expect(given.commands.count == 3 && carried(given, to: machine).count == 6)
    #expect(carried(given, to: machine).first?.zone == .machine(machine), "Whose machine it is comes first.")
    #expect(try await rig.store.introduce(machine, maker, at: 13).commands.isEmpty)
    #expect(try await rig.store.machinesToIntroduce().isEmpty)
  }

  @Test("What a machine says that another parent set is kept as its word, and is bounded")
  func told() async throws {
    let machine = try await rig.paired()
    let dad = Samples.deviceID(&rig.random)
    func tell(_ registers: [Register], _ sequence: UInt64, role: DeviceRole = .child) async throws -> InboxResult {
      try await rig.store.receive(
        [
          ItemRun(
            streamClass: .control, epoch: 3,
            items: [
              DeliveryItem(
                sequence: sequence, kind: .registers, itemID: rig.random.bytes(16),
                body: rig.coding.encode(registers))
            ])
        ], from: machine, role: role, enforcement: .recorded, at: 100)
    }
    func register(_ key: RegisterKey, _ wall: Int64, _ author: DeviceID, value: String = "1") -> Register {
      Register(.child(emma), key, value, modified: HybridTimestamp(wall: wall, counter: 0, author: author))
    }
    let later = register("lock", 50, dad, value: "on")
    let lost = register("mode", 1, rig.own)
    #expect(try await tell([later, lost], 1).hasNewHousehold)
    _ = try await tell([register("lock", 40, dad, value: "off")], 2)
    #expect(try await rig.store.toldRegisters()[machine]?.registers == [later, lost], "It may have lost its own edit.")
    #expect(try await rig.store.registers().registers.isEmpty, "A machine's word changes no rule.")
    // The next edit here is later than the reported one.
    _ = try await edit([.init(.child(emma), "lock", "off")], wall: 1)
    #expect(try await rig.store.registers()[.child(emma), "lock"].map { $0.holds(over: later) } == true)
    let foreign = Register(.machine(dad), "x", "1", modified: later.modified)
    #expect(try await tell([foreign], 3).faults.count == 1)
    #expect(try await tell([later], 4, role: .parent).faults.count == 1)

    let value = String(repeating: "v", count: 20_000)
    for number in 0..<900 {
      _ = try await tell([register(RegisterKey("k/\(number)") ?? "k", 60, dad, value: value)], UInt64(number + 5))
    }
    let held = try #require(try await rig.store.toldRegisters()[machine]?.registers)
    let bytes = held.reduce(0) { $0 + $1.key.text.utf8.count + ($1.value?.utf8.count ?? 0) }
    #expect(bytes <= Limits.toldRegisterBytes && bytes > Limits.toldRegisterBytes / 10 * 9, "\(bytes)")
    _ = try await rig.store.remove(machine, removal: nil, itemID: rig.random.bytes(16), at: 101)
    #expect(try await rig.store.toldRegisters().isEmpty)
  }

  @Test(
    "Registers of days long past are forgotten, so that a zone does not fill up; an old one that is told is no news")
  func daysLongPast() async throws {
    let machine = try await rig.paired()
    _ = try await edit([serve(machine, emma)])
    let today = try #require(FamilyDay("2026-11-22"))
    let kept = today.advanced(byDays: -RegisterMap.daysKept)
    let over = kept.advanced(byDays: -1)
    func grant(_ day: String) throws -> RegisterKey { try #require(RegisterKey("today/\(day)/bedtime")) }
    let keys = try ["\(over)", "\(kept)", "\(today)", "0", "later"].map(grant)
    _ = try await edit(keys.map { .init(.child(emma), $0, "20:00") })
    try await rig.store.forgetPast(of: emma, on: today)
    let held = try await rig.store.registers()
    #expect(keys.map { held[.child(emma), $0] != nil } == [false, true, true, true, true])
    // The machine still reports a register that was set here and is deleted.
    let told = Register(.child(emma), keys[0], "20:00", modified: .init(wall: 50, counter: 0, author: rig.own))
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [
            DeliveryItem(
              sequence: 1, kind: .registers, itemID: rig.random.bytes(16), body: rig.coding.encode([told]))
          ])
      ], from: machine, role: .child, enforcement: .recorded, at: 1_795_305_600_000)
    #expect(try await rig.store.toldRegisters().isEmpty)
  }

  @Test func aHouseholdHasTheMachinesOfChildrenThatArePaired() async throws {
    #expect(try await rig.store.household()?.machines.isEmpty == true)
    let machine = try await rig.paired()
    let found = try #require(try await rig.store.household()?.machines.first)
    let record = try #require(try await rig.store.peer(machine))
    #expect(try await rig.store.peers() == [record])
    #expect(found.device == machine && found.name == record.device.name)
    #expect(found.childName == record.device.childName && found.isToBeAssigned == record.isToBeAssigned)
    _ = try await rig.store.remove(machine, removal: nil, itemID: [], at: 20)
    #expect(try await rig.store.household()?.machines.isEmpty == true)
  }

  @Test func accountsAreReadAgainOnceTheyHaveChanged() async throws {
    let before = try #require(try await rig.store.household()).registers
    let accounts = [Account(uid: 1_001, name: "emma", fullName: "Emma")]
    _ = try await rig.store.setAccounts(accounts, at: 10)
    let reading = try #require(try await rig.store.household(unless: before.edition))
    #expect(reading.accounts[rig.own] == accounts)
    let known = reading.registers
    _ = try await rig.store.setAccounts(accounts, at: 20)
    #expect(try await rig.store.household(unless: known.edition) == nil)
    _ = try await rig.store.setAccounts([], at: 30)
    let gone = try #require(try await rig.store.household(unless: known.edition))
    #expect((gone.accounts[rig.own] ?? []).isEmpty)
  }

  @Test("A household is read again once a machine has another name or somebody is there, and not for a sign of life")
  func editionsOfMachines() async throws {
    let machine = try await rig.paired()
    var edition = try #require(try await rig.store.household()).registers.edition
    func read() async throws -> HouseholdReading? {
      let reading = try await rig.store.household(unless: edition)
      if let reading { edition = reading.registers.edition }
      return reading
    }
    try await rig.store.seen(machine, address: nil, synced: true, isSession: true, at: 30)
    #expect(try await read() == nil)
    _ = try await rig.store.rename(machine, to: DeviceName("Emma's tablet"), childName: nil, at: 40)
    #expect(try await read()?.machines.map(\.name.text) == ["Emma's tablet"])
    #expect(try await read() == nil)
    let present = PresentChild(
      account: 1_001, child: emma, bootID: "boot", since: BootInstant(milliseconds: 1),
      changedAt: BootInstant(milliseconds: 1), sessions: [])
    _ = try await rig.store.handOver(1_001, to: present, in: "boot", at: 50) { _, _ in
      throw BodyFault("No session is open.")
    } next: { _, _ in
      nil
    }
    #expect(try await read()?.present == [present])
    #expect(try await read() == nil)
    _ = try await rig.store.remove(machine, removal: nil, itemID: [], at: 60)
    #expect(try await read()?.machines.isEmpty == true)
  }

  @Test("Registers are read again once one has changed, one was told, or a machine has left, and never in between")
  func editions() async throws {
    let machine = try await rig.paired()
    func read(after known: Int64?) async throws -> KnownRegisters? {
      try await rig.store.household(unless: known)?.registers
    }
    var known = try #require(try await read(after: nil))
    _ = try await edit([])
    #expect(try await read(after: known.edition) == nil)
    _ = try await edit([serve(machine, emma)])
    known = try #require(try await read(after: known.edition))
    #expect(known.own.registers.count == 1 && known.told.isEmpty)
    let told = Register(.child(emma), "lock", "on", modified: .init(wall: 50, counter: 0, author: machine))
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [
            DeliveryItem(
              sequence: 1, kind: .registers, itemID: rig.random.bytes(16), body: rig.coding.encode([told]))
          ])
      ], from: machine, role: .child, enforcement: .recorded, at: 100)
    known = try #require(try await read(after: known.edition))
    #expect(known.told[machine]?.registers == [told])
    #expect(try await read(after: known.edition) == nil)
    _ = try await rig.store.remove(machine, removal: nil, itemID: rig.random.bytes(16), at: 101)
    known = try #require(try await read(after: known.edition))
    #expect(known.told.isEmpty)
    try rig.reopen()
    #expect(try await read(after: known.edition) == nil)
  }

  @Test("A child's machine tells each parent what it holds when they are paired, and the others what one has changed")
  func telling() async throws {
    let mum = try await rig.paired(.parent)
    let modified = HybridTimestamp(wall: 5, counter: 0, author: mum)
    let registers = [
      Register(.machine(rig.own), HouseholdKey.child(emma), HouseholdKey.yes, modified: modified),
      Register(.child(emma), "name", "Emma", modified: modified),
    ]
    _ = try await rig.receive([rig.item(1, CommandPayload(Edit(registers)), from: mum)], from: mum)
    var accounts = [Account(uid: 1_000, name: "emma", fullName: "")]
    #expect(try await rig.store.setAccounts(accounts, at: 6).changes.map(\.device) == [mum])
    accounts[0].statedChild = "Emma"
    #expect(try await rig.store.setAccounts(accounts, at: 6).changes.map(\.device) == [mum], "It is news whose it is.")
    #expect(try await rig.store.accounts(of: rig.own) == accounts)
    #expect(try await rig.store.setAccounts(accounts, at: 7).changes.isEmpty, "Nothing has changed.")
    let dad = try await rig.paired(.parent)
    func items(_ parent: DeviceID) async throws -> [DeliveryItem] {
      guard let position = try await rig.store.outboxPositions(parent)[.control] else { return [] }
      return try await rig.store.load(
        parent, .control, epoch: position.epoch, from: 1, items: 100, bytes: 1 << 20, at: 8)
    }
    let first = try await items(dad).filter { [.registers, .inventory].contains($0.kind) }
    #expect(first.map(\.kind) == [.registers, .inventory, .inventory])
    #expect(try Set(rig.coding.registers(first[0].body)) == Set(registers))
    let list = try rig.coding.inventory(first[1].body)
    #expect(list.kind == Account.inventory.name && list.entries == accounts.map(\.text))
    #expect(try await items(mum).allSatisfy { $0.kind != .registers }, "She knows what she has set.")

    var lock = Register(.child(emma), "lock", "on", modified: modified)
    for (number, value) in ["on", "off"].enumerated() {
      lock.value = value
      lock.modified.wall += 1
      let result = try await rig.receive(
        [rig.item(UInt64(number + 2), CommandPayload(Edit([lock])), from: mum)], from: mum)
      #expect(result.changes.contains { $0.device == dad && $0.streamClass == .control })
    }
    // One list is pending, with the last state of each register.
    let waiting = try await items(dad).filter { $0.kind == .registers }
    #expect(waiting.count == 1)
    #expect(try rig.coding.registers(waiting[0].body).first { $0.key == "lock" } == lock)
  }
}
