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
  private let app = Fixed.app("org.example.One")
  private static let day: Int64 = 86_400_000
  private static let now: Int64 = 1_800_000_000_000

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64, isBlocked: Bool = true, author: DeviceID? = nil) -> AppConfiguration {
    AppConfiguration(
      appID: app, displayName: "One", category: .reward, milliPointsPerMinute: 2_000, isBlocked: isBlocked,
      modified: HybridTimestamp(wall: wall, counter: 0, author: author ?? rig.own))
  }

  /// Everything that a child's word must not change.
  private struct Kept: Equatable {
    var apps: [AppConfiguration]
    var settings: FamilySettings?
    var clock: [Int64]
  }

  private func kept() async throws -> Kept {
    let clock = try rig.look { try Row.fetchOne($0, sql: "SELECT wall, counter FROM hybrid_clock") }
    return Kept(
      apps: try await rig.store.apps(device: nil).map(\.configuration), settings: try await rig.store.settings(),
      clock: clock.map { [$0["wall"], $0["counter"]] } ?? [])
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

  private func discrepancies() async throws -> [Discrepancy] {
    try await rig.store.discrepancies(device: child, limit: 100)
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

  private func issueRule(isBlocked: Bool = true) async throws -> (id: CommandID, rule: AppConfiguration) {
    let own = rule(0, isBlocked: isBlocked)
    let (id, payload) = try await issue { modified in
      var rule = own
      rule.modified = modified
      return .setApp(rule)
    }
    guard let rule = payload.as(SetApp.self)?.configuration else { throw StoreError.unexpected("another payload") }
    return (id, rule)
  }

  @Test("A receipt with exactly the requested state is executed, and its enforcement is stored")
  func exact() async throws {
    let (id, rule) = try await issueRule()
    let before = try await kept()
    try await answer(1, id, .executed(.app(rule, .enforced)))
    #expect(try await rig.store.command(id)?.status == .executed)
    #expect(try await rig.store.apps(device: child).map(\.enforcement) == [.enforced])
    #expect(try await kept() == before)
    #expect(try await discrepancies().isEmpty)
  }

  @Test(
    "An executed receipt with another state is a failure with a reason, shown as the child's report, and changes no rule",
    arguments: [0, 1, 2, 3, 4, 5, 6])
  func contradiction(which: Int) async throws {
    _ = try await issue { .setFamilySettings(FamilySettings(minutesPerPoint: 7, modified: $0)) }
    let (id, rule) = try await issueRule()
    let before = try await kept()
    var unblocked = rule
    unblocked.isBlocked = false
    var later = unblocked
    later.modified.wall = HybridTimestamp.wallLimit - 1
    var other = rule
    other.appID = Fixed.app("org.example.Other")
    let wild = FamilySettings(
      defaultMilliPointsPerMinute: 999_999_999, modified: Self.atTheEnd)
    let states: [StateInForce] = [
      .app(unblocked, .enforced), .app(later, .enforced), .app(other, .enforced), .familySettings(wild),
      .appRemoved(app, modified: later.modified), .messageStored,
      .report(
        DeviceReport(version: "1", enforcement: .enforced, apps: [later], familySettings: wild, usageRecords: 0)),
    ]
    try await answer(1, id, .executed(states[which]))
    let command = try #require(try await rig.store.command(id))
    #expect(command.status == .failed)
    #expect(command.reason?.hasSuffix(".") == true)
    #expect(command.stateInForce == states[which])
    #expect(try await kept() == before)
    let found = try #require(try await discrepancies().first)
    #expect(found.state == states[which] && found.commandID == id && found.displayName == "One")
    #expect(found.isFarAhead == [1, 3, 4].contains(which))
    #expect(try await rig.store.apps(device: child).map { $0.discrepancy?.state } == [states[which]])
  }

  @Test("Family settings that were cancelled too late are shown again if newer ones are cancelled, too")
  func familySettingsTakenBackTooLate() async throws {
    let away = try await rig.paired()
    func settings(_ minutes: Int, to device: DeviceID) async throws -> (id: CommandID, set: FamilySettings) {
      let (id, payload) = try await issue(to: device) {
        .setFamilySettings(FamilySettings(minutesPerPoint: minutes, modified: $0))
      }
      guard let set = payload.as(SetFamilySettings.self)?.settings else {
        throw StoreError.unexpected("another payload")
      }
      return (id, set)
    }
    let first = try await settings(1, to: child)
    try await answer(1, first.id, .executed(.familySettings(first.set)))
    let second = try await settings(2, to: child)
    let third = try await settings(3, to: away)
    #expect(try await rig.store.cancel(second.id, at: 1)?.1 == true)
    #expect(try await rig.store.settings() == third.set)
    // It was on its way already.
    try await answer(2, second.id, .executed(.familySettings(second.set)))
    #expect(try await rig.store.settings() == third.set)
    #expect(try await rig.store.cancel(third.id, at: 2)?.1 == true)
    #expect(try await rig.store.settings() == second.set)
  }

  @Test(
    "Another parent's later state is shown as the child's report, and this parent's next command does not start from it"
  )
  func overtaken() async throws {
    let (id, rule) = try await issueRule()
    var theirs = rule
    theirs.isBlocked = false
    theirs.modified = HybridTimestamp(wall: Self.now + 5_000, counter: 3, author: Fixed.device(9))
    try await answer(1, id, .superseded(.app(theirs, .recorded)))
    #expect(try await rig.store.command(id)?.status == .superseded)
    #expect(try await rig.store.app(app, device: child) == rule)
    #expect(try await discrepancies().map(\.state) == [.app(theirs, .recorded)])
    // The next reading is later than what the child holds, so that a new command counts there.
    let (next, again) = try await issueRule()
    #expect(again.modified > theirs.modified && again.isBlocked)
    #expect(try await discrepancies().isEmpty, "the answer to the new command will tell")
    try await answer(2, next, .executed(.app(again, .recorded)))
    #expect(try await discrepancies().isEmpty)
  }

  @Test("The same state set by another parent is not a discrepancy, nor is its removal of a rule that is removed here")
  func sameByAnother() async throws {
    let (id, rule) = try await issueRule()
    var theirs = rule
    theirs.modified = HybridTimestamp(wall: Self.now + 1, counter: 0, author: Fixed.device(9))
    try await answer(1, id, .superseded(.app(theirs, .recorded)))
    #expect(try await discrepancies().isEmpty)
    let app = app
    let (removal, _) = try await issue { .removeApp(app, modified: $0) }
    let later = HybridTimestamp(wall: Self.now + Self.day / 2, counter: 0, author: Fixed.device(9))
    try await answer(2, removal, .superseded(.appRemoved(app, modified: later)))
    #expect(try await discrepancies().isEmpty)
    #expect(try await rig.store.app(app, device: child) == nil)
  }

  @Test(
    "A time up to a day ahead advances the clock, a later one does not, and the two are distinguished",
    arguments: [Self.day - 1, Self.day, Self.day + 1, HybridTimestamp.wallLimit - 1 - Self.now])
  func clock(ahead: Int64) async throws {
    let (id, rule) = try await issueRule()
    let before = try await kept()
    var theirs = rule
    theirs.isBlocked = false
    theirs.modified = HybridTimestamp(wall: Self.now + ahead, counter: 0, author: Fixed.device(9))
    try await answer(1, id, .superseded(.app(theirs, .recorded)))
    #expect(try await kept().clock == (ahead <= Self.day ? [Self.now + ahead, 0] : before.clock))
    #expect(try await discrepancies().map(\.isFarAhead) == [ahead > Self.day])
  }

  @Test("The family's rules stay this parent's, whatever time a child reports", arguments: [false, true])
  func familySettings(isExecuted: Bool) async throws {
    let (id, payload) = try await issue {
      .setFamilySettings(FamilySettings(minutesPerPoint: 7, modified: $0))
    }
    guard let own = payload.as(SetFamilySettings.self)?.settings else { return }
    let before = try await kept()
    let theirs = FamilySettings(
      defaultMilliPointsPerMinute: 999_999_999, minutesPerPoint: 1_440, modified: Self.atTheEnd)
    try await answer(
      1, id, isExecuted ? .executed(.familySettings(theirs)) : .superseded(.familySettings(theirs)))
    #expect(try await kept() == before)
    #expect(try await rig.store.settings() == own)
    let found = try #require(try await discrepancies().first)
    #expect(found.appID == nil && found.displayName == nil && found.isFarAhead)
    #expect(found.state == .familySettings(theirs))
  }

  @Test("Two edits of the family's rules never have the same time, even if the wall clock is set back")
  func times() async throws {
    var times: [HybridTimestamp] = []
    for wall in [Self.now, Self.now, Self.now - 1_000 * Self.day] {
      let id = CommandID(milliseconds: Self.now + Int64(times.count), random: rig.random.bytes(10))
      let issued = try await rig.store.issue(id, to: child, at: wall) { _, clock in
        .setFamilySettings(FamilySettings(modified: try clock()))
      }
      guard let settings = issued.command.payload.as(SetFamilySettings.self)?.settings else { continue }
      times.append(settings.modified)
    }
    #expect(times.map(\.wall) == [Self.now, Self.now, Self.now] && times.map(\.counter) == [0, 1, 2])
    #expect(try await rig.store.settings()?.modified == times.last)
  }

  @Test("A rule that the child refuses stays as this parent set it, with the child's reason beside it")
  func refused() async throws {
    let (first, rule) = try await issueRule()
    try await answer(1, first, .executed(.app(rule, .recorded)))
    let (second, newer) = try await issueRule(isBlocked: false)
    try await answer(2, second, .failed(reason: "no"))
    #expect(try await rig.store.command(second)?.status == .failed)
    #expect(try await rig.store.app(app, device: child) == newer)
    #expect(try await discrepancies().map(\.reason) == ["no"])
  }

  @Test("A removal by another parent does not remove this parent's rule", arguments: [Int64(-10), 10])
  func removedByAnother(distance: Int64) async throws {
    let (id, rule) = try await issueRule()
    let removal = HybridTimestamp(
      wall: rule.modified.wall + distance, counter: 0, author: Fixed.device(9))
    try await answer(1, id, .superseded(.appRemoved(app, modified: removal)))
    #expect(try await rig.store.app(app, device: child) == rule)
    // An older one is no reason for a child to have kept this command from holding.
    #expect(try await rig.store.command(id)?.status == (distance > 0 ? .superseded : .failed))
    #expect(try await discrepancies().count == 1)
  }

  @Test("The answer to an earlier command does not show what the child holds after a later one")
  func late() async throws {
    let (first, _) = try await issueRule()
    let (second, rule) = try await issueRule()
    try await answer(1, second, .executed(.app(rule, .recorded)))
    try await answer(2, first, .failed(reason: "no"))
    #expect(try await rig.store.command(first)?.status == .failed)
    #expect(try await discrepancies().isEmpty)
  }

  @Test("A receipt of another child for a command changes nothing")
  func anotherChild() async throws {
    let other = try await rig.paired()
    let (id, rule) = try await issueRule()
    try await answer(1, id, .executed(.app(rule, .enforced)), from: other)
    #expect(try await rig.store.command(id)?.status == .queued)
    #expect(try await rig.store.apps(device: child).map(\.enforcement) == [nil])
    #expect(try await rig.store.apps(device: other).isEmpty)
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
    let found = try #require(try await rig.store.unusableItems().first)
    #expect(found.device == child && found.items == 2 && found.reason.hasSuffix("."))
    _ = try await rig.store.remove(child, removal: nil, itemID: rig.random.bytes(16), at: 5)
    #expect(try await rig.store.unusableItems().isEmpty)
    #expect(try await discrepancies().isEmpty)
    let rows = try rig.look {
      try Int.fetchOne($0, sql: "SELECT (SELECT COUNT(*) FROM discrepancy) + (SELECT COUNT(*) FROM unusable_item)")
    }
    #expect(rows == 0)
  }

  @Test("A child executes commands that are years ahead of its clock, in the order of hybrid times")
  func yearsBehind() async throws {
    let child = try StoreRig(seed: 2)
    let parent = try await child.paired(.parent)
    let year = 365 * Self.day
    var rules = [1, 2].map { rule(Self.now + $0 * 20 * year, author: parent) }
    rules[1].isBlocked = false
    let items = [rules[1], rules[0]].enumerated().map {
      child.item(UInt64($0.offset + 1), .setApp($0.element), from: parent)
    }
    #expect(try await child.receive(items, from: parent).appliedCommands == 2)
    #expect(try await child.store.app(app, device: child.own) == rules[1])
    let clock = try child.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hybrid_clock") }
    #expect(clock == 0)
  }
}
