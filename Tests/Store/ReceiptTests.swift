import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that a child's statement about rules is compared with the command, and does not change
/// this parent's rules.
@Suite struct ReceiptTests {
  private let rig: StoreRig
  private let child: DeviceID
  private let key: RegisterKey = "app/org.example.One/limit"
  private static let day: Int64 = 86_400_000
  private static let now: Int64 = 1_800_000_000_000

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  /// Everything that a child's statement must not change.
  private struct Kept: Equatable {
    var rules: [Register]
    var clock: [Int64]
  }

  private func kept() async throws -> Kept {
    let clock = try rig.look { try Row.fetchOne($0, sql: "SELECT wall, counter FROM hybrid_clock") }
    return Kept(
      rules: try await rig.store.registers().registers, clock: clock.map { [$0["wall"], $0["counter"]] } ?? [])
  }

  private func answer(
    _ sequence: UInt64, _ command: CommandID, _ outcome: CommandReceipt.Outcome, from device: DeviceID? = nil
  ) async throws {
    let result = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .receipt, epoch: 5,
          items: [rig.receipt(sequence, CommandReceipt(commandID: command, outcome: outcome, at: 3))])
      ], from: device ?? child, role: .child, enforcement: .recorded, at: Self.now)
    #expect(result.faults.isEmpty)
  }

  private static func held(_ register: Register, _ enforcement: Enforcement = .recorded) -> StateInForce {
    StateInForce(RegistersInForce([register], enforcement))
  }

  /// Sets a register of the child's machine.
  ///
  /// The IDs of commands sort in the order of the calls.
  private func set(
    _ value: String = "1", wall: Int64 = ReceiptTests.now
  ) async throws -> (id: CommandID, rule: Register) {
    let given = try await rig.store.commands(device: nil, limit: 100).count
    let id = CommandID(milliseconds: Self.now + Int64(given), random: rig.random.bytes(10))
    let maker = EditMaker(
      nextID: { id }, payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
    let edited = try await rig.store.edit([RegisterChange(.machine(child), key, value)], maker, at: wall)
    #expect(edited.commands.map(\.commandID) == [id])
    return (id, try #require(edited.commands.first?.payload.as(Edit.self)?.registers.first))
  }

  @Test("A receipt with exactly the requested state is executed, and its enforcement is stored")
  func exact() async throws {
    let (id, rule) = try await set()
    let before = try await kept()
    try await answer(1, id, .executed(Self.held(rule, .enforced)))
    let command = try #require(try await rig.store.command(id))
    #expect(command.status == .executed && command.stateInForce?.enforcement == .enforced)
    #expect(try await kept() == before)
  }

  @Test(
    "An executed receipt with another state is a failure with a reason, and changes no rule",
    arguments: [0, 1, 2, 3, 4, 5])
  func contradiction(which: Int) async throws {
    let (id, rule) = try await set()
    let before = try await kept()
    let end = HybridTimestamp(wall: HybridTimestamp.wallLimit - 1, counter: 0, author: rule.modified.author)
    let atTheEnd = HybridTimestamp(wall: HybridTimestamp.wallLimit - 1, counter: 0, author: Fixed.device(9))
    let states: [StateInForce] = [
      Self.held(Register(rule.zone, key, "0", modified: rule.modified), .enforced),
      Self.held(Register(rule.zone, key, "0", modified: end), .enforced),
      Self.held(Register(rule.zone, "app/org.example.Other/limit", "1", modified: rule.modified), .enforced),
      Self.held(Register(.family, key, "1", modified: atTheEnd)),
      Self.held(Register(rule.zone, key, nil, modified: end)), .messageStored,
    ]
    try await answer(1, id, .executed(states[which]))
    let command = try #require(try await rig.store.command(id))
    #expect(command.status == .failed)
    #expect(command.reason?.hasSuffix(".") == true)
    #expect(command.stateInForce == states[which])
    #expect(try await kept() == before)
    #expect(try await rig.store.toldRegisters()[child]?.registers ?? [] == [])
  }

  @Test("Another parent's later state does not become this parent's, whose next command is later than it")
  func overtaken() async throws {
    let (id, rule) = try await set()
    let theirs = Register(
      rule.zone, key, "0",
      modified: HybridTimestamp(wall: Self.now + 5_000, counter: 3, author: Fixed.device(9)))
    try await answer(1, id, .superseded(Self.held(theirs)))
    #expect(try await rig.store.command(id)?.status == .superseded)
    #expect(try await kept().rules == [rule])
    #expect(try await rig.store.toldRegisters()[child]?.registers == [theirs])
    // The next reading is later than the one that the child holds, so that a new command is
    // effective there.
    let (next, again) = try await set("2")
    #expect(again.modified > theirs.modified && again.value == "2")
    try await answer(2, next, .executed(Self.held(again)))
    #expect(try await rig.store.command(next)?.status == .executed)
  }

  @Test(
    "A time up to a day ahead advances the clock, a later one does not, and the two are distinguished",
    arguments: [Self.day - 1, Self.day, Self.day + 1, HybridTimestamp.wallLimit - 1 - Self.now])
  func clock(ahead: Int64) async throws {
    let (id, rule) = try await set()
    let before = try await kept()
    let theirs = Register(
      rule.zone, key, "0", modified: HybridTimestamp(wall: Self.now + ahead, counter: 0, author: Fixed.device(9)))
    try await answer(1, id, .superseded(Self.held(theirs)))
    #expect(try await kept().clock == (ahead <= Self.day ? [Self.now + ahead, 0] : before.clock))
  }

  @Test("Two edits of one register never have the same time, even if the wall clock is set back")
  func times() async throws {
    var times: [HybridTimestamp] = []
    for (value, wall) in [("1", Self.now), ("2", Self.now), ("3", Self.now - 1_000 * Self.day)] {
      times.append(try await set(value, wall: wall).rule.modified)
    }
    #expect(times.map(\.wall) == [Self.now, Self.now, Self.now] && times.map(\.counter) == [0, 1, 2])
    #expect(try await kept().rules.map(\.modified) == [times.last])
  }

  @Test("A rule that the child refuses stays as this parent set it, with the child's reason beside the command")
  func refused() async throws {
    let (first, rule) = try await set()
    try await answer(1, first, .executed(Self.held(rule)))
    let (second, newer) = try await set("0")
    try await answer(2, second, .failed(reason: "no"))
    let command = try #require(try await rig.store.command(second))
    #expect(command.status == .failed && command.reason == "no" && command.reasonPhrase == "no")
    #expect(try await kept().rules == [newer])
  }

  @Test("A removal by another parent does not remove this parent's rule", arguments: [Int64(-10), 10])
  func removedByAnother(distance: Int64) async throws {
    let (id, rule) = try await set()
    let removal = Register(
      rule.zone, key, nil,
      modified: HybridTimestamp(wall: rule.modified.wall + distance, counter: 0, author: Fixed.device(9)))
    try await answer(1, id, .superseded(Self.held(removal)))
    #expect(try await kept().rules == [rule])
    // An older register at the child cannot have kept this command from taking effect.
    #expect(try await rig.store.command(id)?.status == (distance > 0 ? .superseded : .failed))
  }

  @Test("The answer to an earlier command is its own, and leaves the later one as it was answered")
  func late() async throws {
    let first = try await set().id
    let (second, rule) = try await set("2")
    try await answer(1, second, .executed(Self.held(rule)))
    try await answer(2, first, .failed(reason: "no"))
    #expect(try await rig.store.command(first)?.status == .failed)
    #expect(try await rig.store.command(second)?.status == .executed)
  }

  @Test("A receipt of another child for a command changes nothing")
  func anotherChild() async throws {
    let other = try await rig.paired()
    let (id, rule) = try await set()
    let before = try await kept()
    try await answer(1, id, .executed(Self.held(rule, .enforced)), from: other)
    let command = try #require(try await rig.store.command(id))
    #expect(command.status == .queued && command.stateInForce == nil)
    #expect(try await kept() == before)
    #expect(try await rig.store.toldRegisters()[other]?.registers ?? [] == [])
  }

  @Test("Refused items are counted with their reason, until the pairing ends")
  func unusable() async throws {
    let id = try await set().id
    try await answer(1, id, .failed(reason: "no"))
    for sequence in [UInt64(2), 3] {
      let item = DeliveryItem(sequence: sequence, kind: .receipt, itemID: rig.random.bytes(16), body: [0xFF, 1])
      _ = try await rig.store.receive(
        [ItemRun(streamClass: .receipt, epoch: 5, items: [item])], from: child, role: .child, enforcement: .recorded,
        at: 4)
    }
    let found = try #require(try await rig.store.overview().unusableItems.first)
    #expect(found.device == child && found.items == 2 && found.reason.hasSuffix("."))
    _ = try await rig.store.remove(child, removal: nil, itemID: rig.random.bytes(16), at: 5)
    #expect(try await rig.store.overview().unusableItems.isEmpty)
    let rows = try rig.look {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM unusable_item")
    }
    #expect(rows == 0)
  }

  @Test("A child executes commands that are years ahead of its clock, in the order of hybrid times")
  func yearsBehind() async throws {
    let child = try StoreRig(seed: 2)
    let parent = try await child.paired(.parent)
    let year = 365 * Self.day
    let rules = [Int64(1), 2].map { number in
      Register(
        .family, key, "\(number)",
        modified: HybridTimestamp(wall: Self.now + number * 20 * year, counter: 0, author: parent))
    }
    let items = rules.reversed().enumerated().map {
      child.item(UInt64($0.offset + 1), CommandPayload(Edit([$0.element])), from: parent)
    }
    #expect(try await child.receive(items, from: parent).appliedCommands == 2)
    #expect(try await child.store.registers().registers == [rules[1]])
    let clock = try child.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hybrid_clock") }
    #expect(clock == 0)
  }
}
