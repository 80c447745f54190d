import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import LatchkeyWire
import Testing

/// Tests that a command which leaves its queue undelivered no longer determines what this machine shows.
@Suite struct TakenBackTests {
  private let rig: StoreRig
  private let child: DeviceID
  private let app = Fixed.app("org.example.One")

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64, author: DeviceID? = nil) -> AppConfiguration {
    var rule = Samples.app(&rig.random)
    rule.appID = app
    rule.modified = HybridTimestamp(wall: wall, counter: 0, author: author ?? rig.own)
    return rule
  }

  private func shown() async throws -> AppConfiguration? { try await rig.store.app(app, device: child) }

  /// Number of the next receipt.
  private static let epoch: UInt64 = 5

  private func report(_ sequence: UInt64, _ command: CommandID, _ outcome: CommandReceipt.Outcome) async throws {
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .receipt, epoch: Self.epoch,
          items: [rig.receipt(sequence, CommandReceipt(commandID: command, outcome: outcome, at: 3))])
      ], from: child, role: .child, enforcement: .recorded, at: 12)
  }

  @Test(
    "After the last of several commands is taken back, what was in force is shown again, as the child reported it")
  func backToWhatWasInForce() async throws {
    let inForce = rule(1)
    let (first, change) = try await rig.command(.setApp(inForce), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.app(inForce, .enforced)))
    let (second, _) = try await rig.command(.setApp(rule(2)), to: child)
    let (removal, _) = try await rig.command(
      .removeApp(app, modified: HybridTimestamp(wall: 3, counter: 0, author: rig.own)), to: child)
    let (last, _) = try await rig.command(.setApp(rule(4)), to: child)
    #expect(try await shown()?.modified.wall == 4)
    _ = try await rig.store.cancel(last.commandID, at: 13)
    #expect(try await shown() == nil)
    _ = try await rig.store.cancel(removal.commandID, at: 13)
    #expect(try await shown()?.modified.wall == 2)
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try await shown() == inForce)
    #expect(try await rig.store.apps(device: child).first?.enforcement == .enforced)
  }

  @Test("A removal that is taken back, and a command that ran out, give the rule back")
  func removalsAndExpiry() async throws {
    let (_, change) = try await rig.command(.setApp(rule(1)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (removal, _) = try await rig.command(
      .removeApp(app, modified: HybridTimestamp(wall: 2, counter: 0, author: rig.own)), to: child)
    #expect(try await shown() == nil)
    _ = try await rig.store.cancel(removal.commandID, at: 13)
    #expect(try await shown()?.modified.wall == 1)

    _ = try await rig.command(.setApp(rule(2)), to: child, expiresAfter: 5_000)
    rig.clock.advance(6_000)
    #expect(try await rig.store.expireDue(at: 14).commands.count == 1)
    #expect(try await shown()?.modified.wall == 1)
  }

  @Test("A removal that was executed though a second one had replaced it leaves nothing to give back")
  func removalInForceBeforeASecondOne() async throws {
    let inForce = rule(1)
    let (first, change) = try await rig.command(.setApp(inForce), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.app(inForce, .recorded)))
    func modified(_ wall: Int64) -> HybridTimestamp { HybridTimestamp(wall: wall, counter: 0, author: rig.own) }
    // The first removal is on its way when the second one takes its place in the queue.
    let (removal, _) = try await rig.command(.removeApp(app, modified: modified(2)), to: child)
    let (second, _) = try await rig.command(.removeApp(app, modified: modified(3)), to: child)
    #expect(try await rig.store.command(removal.commandID)?.status == .superseded)
    try await report(2, removal.commandID, .executed(.appRemoved(app, modified: modified(2))))
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try await shown() == nil)
  }

  @Test("A rule that there was none of before is shown no more")
  func nothingBefore() async throws {
    let (only, _) = try await rig.command(.setApp(rule(1)), to: child)
    _ = try await rig.store.cancel(only.commandID, at: 13)
    #expect(try await shown() == nil)
  }

  @Test("A cancellation shows what this machine set before, whatever the child holds by another parent's word")
  func anotherParentsRule() async throws {
    let (first, change) = try await rig.command(.setApp(rule(10)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (second, _) = try await rig.command(.setApp(rule(30)), to: child)
    let theirs = rule(20, author: Fixed.device(9))
    try await report(1, first.commandID, .superseded(.app(theirs, .recorded)))
    #expect(try await shown()?.modified.wall == 30)
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try await shown()?.modified.wall == 10)
    #expect(try await rig.store.discrepancies(device: child, limit: 9).map(\.state) == [.app(theirs, .recorded)])
  }

  @Test(
    "The family's rules are shown as they were, in whatever order the commands for two machines are taken back",
    arguments: [[0, 1], [1, 0]])
  func familySettings(order: [Int]) async throws {
    let other = try await rig.paired()
    func settings(_ version: Int64, _ zone: String) -> FamilySettings {
      var settings = FamilySettings(zone: zone)
      settings.modified = HybridTimestamp(wall: version, counter: 0, author: rig.own)
      return settings
    }
    let (first, change) = try await rig.command(.setFamilySettings(settings(1, "Europe/Berlin")), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.familySettings(settings(1, "Europe/Berlin"))))
    let ids = [
      try await rig.command(.setFamilySettings(settings(2, "Europe/Paris")), to: child).0.commandID,
      try await rig.command(.setFamilySettings(settings(3, "Europe/Paris")), to: other).0.commandID,
    ]
    _ = try await rig.store.cancel(ids[order[0]], at: 13)
    #expect(try await rig.store.settings()?.zone == "Europe/Paris")
    _ = try await rig.store.cancel(ids[order[1]], at: 13)
    #expect(try await rig.store.settings() == settings(1, "Europe/Berlin"))
  }

  @Test("Of the family's rules a newer command stands on what the one that it replaces stood on")
  func familySettingsReplaced() async throws {
    func settings(_ version: Int64) -> FamilySettings {
      var settings = FamilySettings(zone: "Europe/Paris")
      settings.modified = HybridTimestamp(wall: version, counter: 0, author: rig.own)
      return settings
    }
    let (first, _) = try await rig.command(.setFamilySettings(settings(2)), to: child)
    let (last, _) = try await rig.command(.setFamilySettings(settings(3)), to: child)
    _ = try await rig.store.cancel(last.commandID, at: 13)
    #expect(try await rig.store.settings() == settings(2))
    _ = try await rig.store.cancel(first.commandID, at: 13)
    #expect(try await rig.store.settings() == nil)
  }
}
