import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import LatchkeyWire
import Testing

/// Tests that a child's statement about rules is compared with the command, and changes none of this parent's rules.
@Suite struct ReceiptTests {
  private let rig: StoreRig
  private let child: DeviceID
  private let app = "org.example.One"
  private static let day: Int64 = 86_400_000
  private static let now: Int64 = 1_800_000_000_000

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64, level: Int64 = 1, author: DeviceID? = nil) -> SampleRule {
    SampleRule(app, level: level, modified: HybridTimestamp(wall: wall, counter: 0, author: author ?? rig.own))
  }

  /// Everything that a child's word must not change.
  private struct Kept: Equatable {
    var rules: [SampleRule]
    var clock: [Int64]
  }

  private func kept() throws -> Kept {
    let clock = try rig.look { try Row.fetchOne($0, sql: "SELECT wall, counter FROM hybrid_clock") }
    return Kept(
      rules: try rig.samples().map(\.rule), clock: clock.map { [$0["wall"], $0["counter"]] } ?? [])
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

  /// Returns a command with the store's own reading of its hybrid clock; IDs sort in the order of the commands.
  private func issue(
    to device: DeviceID? = nil, _ make: @escaping @Sendable (HybridTimestamp) -> CommandPayload
  ) async throws -> (id: CommandID, payload: CommandPayload) {
    let given = try await rig.store.commands(device: nil, limit: 100).count
    let id = CommandID(milliseconds: Self.now + Int64(given), random: rig.random.bytes(10))
    let issued = try await rig.store.issue(id, to: device ?? child, at: Self.now) { _, clock in
      make(try clock())
    }
    return (issued.command.commandID, issued.command.payload)
  }

  private static let atTheEnd = HybridTimestamp(
    wall: HybridTimestamp.wallLimit - 1, counter: 0, author: Fixed.device(9))

  private func issueRule(level: Int64 = 1) async throws -> (id: CommandID, rule: SampleRule) {
    let own = rule(0, level: level)
    let (id, payload) = try await issue { modified in
      var rule = own
      rule.modified = modified
      return .sample(rule)
    }
    guard let rule = payload.as(SetSample.self)?.rule else { throw StoreError.unexpected("another payload") }
    return (id, rule)
  }

  @Test("A receipt with exactly the requested state is executed, and its enforcement is stored")
  func exact() async throws {
    let (id, rule) = try await issueRule()
    let before = try kept()
    try await answer(1, id, .executed(.sample(rule, .enforced)))
    #expect(try await rig.store.command(id)?.status == .executed)
    #expect(try rig.samples(on: child).map(\.enforcement) == [.enforced])
    #expect(try kept() == before)
  }

  @Test(
    "An executed receipt with another state is a failure with a reason, and changes no rule",
    arguments: [0, 1, 2, 3, 4, 5])
  func contradiction(which: Int) async throws {
    _ = try await issue { .sample(SampleRule("family", level: 7, modified: $0)) }
    let (id, rule) = try await issueRule()
    let before = try kept()
    var changed = rule
    changed.level = 0
    var later = changed
    later.modified.wall = HybridTimestamp.wallLimit - 1
    var other = rule
    other.id = "org.example.Other"
    let states: [StateInForce] = [
      .sample(changed, .enforced), .sample(later, .enforced), .sample(other, .enforced),
      .sample(SampleRule("family", level: 9, modified: Self.atTheEnd)),
      .sample(.removal(of: app, modified: later.modified)), .messageStored,
    ]
    try await answer(1, id, .executed(states[which]))
    let command = try #require(try await rig.store.command(id))
    #expect(command.status == .failed)
    #expect(command.reason?.hasSuffix(".") == true)
    #expect(command.stateInForce == states[which])
    #expect(try kept() == before)
  }

  @Test("Family settings that were cancelled too late are shown again if newer ones are cancelled, too")
  func familySettingsTakenBackTooLate() async throws {
    let away = try await rig.paired()
    func settings(_ level: Int64, to device: DeviceID) async throws -> (id: CommandID, set: SampleRule) {
      let (id, payload) = try await issue(to: device) { .sample(SampleRule("family", level: level, modified: $0)) }
      guard let set = payload.as(SetSample.self)?.rule else {
        throw StoreError.unexpected("another payload")
      }
      return (id, set)
    }
    let first = try await settings(1, to: child)
    try await answer(1, first.id, .executed(.sample(first.set)))
    let second = try await settings(2, to: child)
    let third = try await settings(3, to: away)
    #expect(try await rig.store.cancel(second.id, at: 1)?.1 == true)
    #expect(try rig.family() == third.set)
    // It was on its way already.
    try await answer(2, second.id, .executed(.sample(second.set)))
    #expect(try rig.family() == third.set)
    #expect(try await rig.store.cancel(third.id, at: 2)?.1 == true)
    #expect(try rig.family() == second.set)
  }

  @Test("Another parent's later state does not become this parent's, whose next command is later than it")
  func overtaken() async throws {
    let (id, rule) = try await issueRule()
    var theirs = rule
    theirs.level = 0
    theirs.modified = HybridTimestamp(wall: Self.now + 5_000, counter: 3, author: Fixed.device(9))
    try await answer(1, id, .superseded(.sample(theirs, .recorded)))
    #expect(try await rig.store.command(id)?.status == .superseded)
    #expect(try rig.sample(app, on: child) == rule)
    // The next reading is later than what the child holds, so that a new command counts there.
    let (next, again) = try await issueRule()
    #expect(again.modified > theirs.modified && again.level == 1)
    try await answer(2, next, .executed(.sample(again, .recorded)))
  }

  @Test(
    "A time up to a day ahead advances the clock, a later one does not, and the two are distinguished",
    arguments: [Self.day - 1, Self.day, Self.day + 1, HybridTimestamp.wallLimit - 1 - Self.now])
  func clock(ahead: Int64) async throws {
    let (id, rule) = try await issueRule()
    let before = try kept()
    var theirs = rule
    theirs.level = 0
    theirs.modified = HybridTimestamp(wall: Self.now + ahead, counter: 0, author: Fixed.device(9))
    try await answer(1, id, .superseded(.sample(theirs, .recorded)))
    #expect(try kept().clock == (ahead <= Self.day ? [Self.now + ahead, 0] : before.clock))
  }

  @Test("Two edits of the family's rules never have the same time, even if the wall clock is set back")
  func times() async throws {
    var times: [HybridTimestamp] = []
    for wall in [Self.now, Self.now, Self.now - 1_000 * Self.day] {
      let id = CommandID(milliseconds: Self.now + Int64(times.count), random: rig.random.bytes(10))
      let issued = try await rig.store.issue(id, to: child, at: wall) { _, clock in
        .sample(SampleRule("family", modified: try clock()))
      }
      guard let set = issued.command.payload.as(SetSample.self)?.rule else { continue }
      times.append(set.modified)
    }
    #expect(times.map(\.wall) == [Self.now, Self.now, Self.now] && times.map(\.counter) == [0, 1, 2])
    #expect(try rig.family()?.modified == times.last)
  }

  @Test("A rule that the child refuses stays as this parent set it, with the child's reason beside the command")
  func refused() async throws {
    let (first, rule) = try await issueRule()
    try await answer(1, first, .executed(.sample(rule, .recorded)))
    let (second, newer) = try await issueRule(level: 0)
    try await answer(2, second, .failed(reason: "no"))
    #expect(try await rig.store.command(second)?.status == .failed)
    #expect(try rig.sample(app, on: child) == newer)
  }

  @Test("A removal by another parent does not remove this parent's rule", arguments: [Int64(-10), 10])
  func removedByAnother(distance: Int64) async throws {
    let (id, rule) = try await issueRule()
    let removal = HybridTimestamp(
      wall: rule.modified.wall + distance, counter: 0, author: Fixed.device(9))
    try await answer(1, id, .superseded(.sample(.removal(of: app, modified: removal))))
    #expect(try rig.sample(app, on: child) == rule)
    // An older one is no reason for a child to have kept this command from holding.
    #expect(try await rig.store.command(id)?.status == (distance > 0 ? .superseded : .failed))
  }

  @Test("The answer to an earlier command does not show what the child holds after a later one")
  func late() async throws {
    let (first, _) = try await issueRule()
    let (second, rule) = try await issueRule()
    try await answer(1, second, .executed(.sample(rule, .recorded)))
    try await answer(2, first, .failed(reason: "no"))
    #expect(try await rig.store.command(first)?.status == .failed)
  }

  @Test("A receipt of another child for a command changes nothing")
  func anotherChild() async throws {
    let other = try await rig.paired()
    let (id, rule) = try await issueRule()
    try await answer(1, id, .executed(.sample(rule, .enforced)), from: other)
    #expect(try await rig.store.command(id)?.status == .queued)
    #expect(try rig.samples(on: child).map(\.enforcement) == [nil])
    #expect(try rig.samples(on: other).isEmpty)
  }

  @Test("Refused items are counted with their reason, until the pairing ends")
  func unusable() async throws {
    let (id, _) = try await issueRule()
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
    var rules = [1, 2].map { rule(Self.now + $0 * 20 * year, author: parent) }
    rules[1].level = 0
    let items = [rules[1], rules[0]].enumerated().map {
      child.item(UInt64($0.offset + 1), .sample($0.element), from: parent)
    }
    #expect(try await child.receive(items, from: parent).appliedCommands == 2)
    #expect(try child.sample(app, on: child.own) == rules[1])
    let clock = try child.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hybrid_clock") }
    #expect(clock == 0)
  }
}
