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
  private let app = "org.example.One"

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64, author: DeviceID? = nil) -> SampleRule {
    SampleRule(app, level: wall * 10, modified: HybridTimestamp(wall: wall, counter: 0, author: author ?? rig.own))
  }

  private func shown() throws -> SampleRule? { try rig.sample(app, on: child) }

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
    let (first, change) = try await rig.command(.sample(inForce), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.sample(inForce, .enforced)))
    let (second, _) = try await rig.command(.sample(rule(2)), to: child)
    let (removal, _) = try await rig.command(
      .sample(.removal(of: app, modified: HybridTimestamp(wall: 3, counter: 0, author: rig.own))), to: child)
    let (last, _) = try await rig.command(.sample(rule(4)), to: child)
    #expect(try shown()?.modified.wall == 4)
    _ = try await rig.store.cancel(last.commandID, at: 13)
    #expect(try shown() == nil)
    _ = try await rig.store.cancel(removal.commandID, at: 13)
    #expect(try shown()?.modified.wall == 2)
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try shown() == inForce)
    #expect(try rig.samples(on: child).first?.enforcement == .enforced)
  }

  @Test("A cancelled removal and an expired command restore the rule")
  func removalsAndExpiry() async throws {
    let (_, change) = try await rig.command(.sample(rule(1)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (removal, _) = try await rig.command(
      .sample(.removal(of: app, modified: HybridTimestamp(wall: 2, counter: 0, author: rig.own))), to: child)
    #expect(try shown() == nil)
    _ = try await rig.store.cancel(removal.commandID, at: 13)
    #expect(try shown()?.modified.wall == 1)

    _ = try await rig.command(.sample(rule(2)), to: child, expiresAfter: 5_000)
    rig.clock.advance(6_000)
    #expect(try await rig.store.expireDue(at: 14).commands.count == 1)
    #expect(try shown()?.modified.wall == 1)
  }

  @Test("A removal that was executed although a second one replaced it leaves no rule to restore")
  func removalInForceBeforeASecondOne() async throws {
    let inForce = rule(1)
    let (first, change) = try await rig.command(.sample(inForce), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.sample(inForce, .recorded)))
    func modified(_ wall: Int64) -> HybridTimestamp { HybridTimestamp(wall: wall, counter: 0, author: rig.own) }
    // The first removal is on its way when the second one takes its place in the queue.
    let (removal, _) = try await rig.command(.sample(.removal(of: app, modified: modified(2))), to: child)
    let (second, _) = try await rig.command(.sample(.removal(of: app, modified: modified(3))), to: child)
    #expect(try await rig.store.command(removal.commandID)?.status == .superseded)
    try await report(2, removal.commandID, .executed(.sample(.removal(of: app, modified: modified(2)))))
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try shown() == nil)
  }

  @Test("A rule that did not exist before is no longer shown")
  func nothingBefore() async throws {
    let (only, _) = try await rig.command(.sample(rule(1)), to: child)
    _ = try await rig.store.cancel(only.commandID, at: 13)
    #expect(try shown() == nil)
  }

  @Test("A cancellation restores what this machine set before, whatever another parent has set on the child")
  func anotherParentsRule() async throws {
    let (first, change) = try await rig.command(.sample(rule(10)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (second, _) = try await rig.command(.sample(rule(30)), to: child)
    let theirs = rule(20, author: Fixed.device(9))
    try await report(1, first.commandID, .superseded(.sample(theirs, .recorded)))
    #expect(try shown()?.modified.wall == 30)
    _ = try await rig.store.cancel(second.commandID, at: 13)
    #expect(try shown()?.modified.wall == 10)
  }

  @Test(
    "The family's rules are restored whatever the order in which the commands for two machines are cancelled",
    arguments: [[0, 1], [1, 0]])
  func familySettings(order: [Int]) async throws {
    let other = try await rig.paired()
    func settings(_ version: Int64) -> SampleRule {
      SampleRule("family", level: version, modified: HybridTimestamp(wall: version, counter: 0, author: rig.own))
    }
    let (first, change) = try await rig.command(.sample(settings(1)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    try await report(1, first.commandID, .executed(.sample(settings(1))))
    let ids = [
      try await rig.command(.sample(settings(2)), to: child).0.commandID,
      try await rig.command(.sample(settings(3)), to: other).0.commandID,
    ]
    _ = try await rig.store.cancel(ids[order[0]], at: 13)
    #expect(try rig.family() == settings(order == [0, 1] ? 3 : 2))
    _ = try await rig.store.cancel(ids[order[1]], at: 13)
    #expect(try rig.family() == settings(1))
  }

  @Test("A newer command for the family's rules is based on the state before the one that it replaces")
  func familySettingsReplaced() async throws {
    func settings(_ version: Int64) -> SampleRule {
      SampleRule("family", level: version, modified: HybridTimestamp(wall: version, counter: 0, author: rig.own))
    }
    let (first, _) = try await rig.command(.sample(settings(2)), to: child)
    let (last, _) = try await rig.command(.sample(settings(3)), to: child)
    _ = try await rig.store.cancel(last.commandID, at: 13)
    #expect(try rig.family() == settings(2))
    _ = try await rig.store.cancel(first.commandID, at: 13)
    #expect(try rig.family() == nil)
  }
}
