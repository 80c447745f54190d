import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that an earlier command comes back when the newer one that had replaced it is taken back.
@Suite struct QueuedAgainTests {
  private let rig: StoreRig
  private let child: DeviceID
  private let app = "org.example.One"

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64) -> SampleRule {
    SampleRule(app, level: wall * 10, modified: HybridTimestamp(wall: wall, counter: 0, author: rig.own))
  }

  private func waiting() async throws -> [DeliveryItem] {
    let position = try #require(try await rig.store.outboxPositions(child)[.command])
    return try await rig.store.load(
      child, .command, epoch: position.epoch, from: position.storedThrough + 1, items: 100, bytes: 1 << 20)
  }

  private func status(_ command: ConfigurationCommand) async throws -> CommandStatus? {
    try await rig.store.command(command.commandID)?.status
  }

  private func answer(_ sequence: UInt64, _ command: ConfigurationCommand, _ outcome: CommandReceipt.Outcome)
    async throws
  {
    let receipt = CommandReceipt(commandID: command.commandID, outcome: outcome, at: 3)
    _ = try await rig.store.receive(
      [ItemRun(streamClass: .receipt, epoch: 5, items: [rig.receipt(sequence, receipt)])], from: child, role: .child,
      enforcement: .recorded, at: 12)
  }

  @Test("The earlier command is queued again as what it was, under the next number, and a restart keeps it")
  func theEarlierOneIsQueuedAgain() async throws {
    let (older, _) = try await rig.command(.sample(rule(1)), to: child)
    let body = try #require(try await waiting().last).body
    let (newer, _) = try await rig.command(.sample(rule(2)), to: child)
    try await rig.command(.message("between"), to: child)
    let taken = try #require(try await rig.store.cancel(newer.commandID, at: 13))
    #expect(taken.result.command.status == .cancelled)
    #expect(taken.result.queuedAgain?.commandID == older.commandID)
    #expect(taken.result.queuedAgain?.status == .queued)
    #expect(taken.result.queuedAgain?.reason?.isEmpty == false)
    #expect(taken.change?.last == 4)
    try rig.reopen()
    #expect(try await waiting().map(\.kind) == [.skip, .command, .command])
    #expect(try await waiting().last?.itemID == older.commandID.bytes)
    #expect(try await waiting().last?.body == body)
    #expect(try rig.sample(app, on: child)?.modified.wall == 1)
    let queue = try #require(try await rig.store.queues(child, at: 20).first)
    #expect(queue.waitingItems == 2)
    #expect(queue.undelivered == [QueueTally(fate: .cancelled, items: 1, lastAt: 13)])
    #expect(queue.waitingBytes == Int64(try await waiting().filter { $0.kind == .command }.reduce(0) { $0 + $1.cost }))
  }

  @Test("An earlier command that has expired in the meantime stays out, and the one before it comes back")
  func anExpiredOneIsPassedOver() async throws {
    let (first, _) = try await rig.command(.sample(rule(1)), to: child)
    let (second, _) = try await rig.command(.sample(rule(2)), to: child, expiresAfter: 5_000)
    let (third, _) = try await rig.command(.sample(rule(3)), to: child)
    rig.clock.advance(6_000)
    let taken = try #require(try await rig.store.cancel(third.commandID, at: 13))
    #expect(taken.result.expired.map(\.commandID) == [second.commandID])
    #expect(taken.result.expired.first?.status == .expired)
    #expect(taken.result.queuedAgain?.commandID == first.commandID)
    #expect(try await waiting().last?.itemID == first.commandID.bytes)
    #expect(try rig.sample(app, on: child)?.modified.wall == 1)
    #expect(
      try await rig.store.queues(child, at: 20).first?.undelivered.map { "\($0.items) \($0.fate.rawValue)" }
        == ["1 cancelled", "1 expired"])
  }

  @Test("A newer command that expires gives its place back, and the link is told of it")
  func expiryGivesThePlaceBack() async throws {
    let (older, _) = try await rig.command(.sample(rule(1)), to: child)
    _ = try await rig.command(.sample(rule(2)), to: child, expiresAfter: 5_000)
    rig.clock.advance(6_000)
    let expired = try await rig.store.expireDue(at: 14)
    #expect(expired.commands.count == 1)
    #expect(expired.changes.map(\.last) == [3])
    #expect(try await waiting().last?.itemID == older.commandID.bytes)
    #expect(try rig.sample(app, on: child)?.modified.wall == 1)
  }

  @Test("What the child has answered is not sent again")
  func answeredOnesStay() async throws {
    let (older, _) = try await rig.command(.sample(rule(1)), to: child)
    let set = try #require(older.payload.as(SetSample.self)).rule
    let (newer, _) = try await rig.command(.sample(rule(2)), to: child)
    // It was on its way when it was replaced.
    try await answer(1, older, .executed(.sample(set, .recorded)))
    let taken = try #require(try await rig.store.cancel(newer.commandID, at: 13))
    #expect(taken.result.queuedAgain == nil && taken.change == nil)
    #expect(try await status(older) == .executed)
    #expect(try rig.sample(app, on: child) == set)
  }

  @Test("A child that had executed the newer command keeps it, and both are told as what they are")
  func takenBackTooLate() async throws {
    let (older, _) = try await rig.command(.sample(rule(1)), to: child)
    let (newer, _) = try await rig.command(.sample(rule(2)), to: child)
    let set = try #require(newer.payload.as(SetSample.self)).rule
    _ = try await rig.store.cancel(newer.commandID, at: 13)
    try await answer(1, newer, .executed(.sample(set, .recorded)))
    try await answer(2, older, .superseded(.sample(set, .recorded)))
    #expect(try await status(newer) == .executed)
    #expect(try await status(older) == .superseded)
    #expect(try rig.sample(app, on: child) == set)
  }

  @Test("A removal that was taken back too late holds, also when an earlier removal is taken back")
  func aRemovalHolds() async throws {
    func removal(_ wall: Int64) -> SampleRule {
      .removal(of: app, modified: HybridTimestamp(wall: wall, counter: 0, author: rig.own))
    }
    let (oldest, _) = try await rig.command(.sample(rule(1)), to: child)
    let (older, _) = try await rig.command(.sample(removal(2)), to: child)
    let (newer, _) = try await rig.command(.sample(removal(3)), to: child)
    _ = try await rig.store.cancel(newer.commandID, at: 13)
    try await answer(1, newer, .executed(.sample(removal(3), .recorded)))
    #expect(try await status(newer) == .executed)
    let taken = try #require(try await rig.store.cancel(older.commandID, at: 14))
    #expect(taken.result.queuedAgain?.commandID == oldest.commandID)
    #expect(try rig.sample(app, on: child) == nil)
    try await answer(2, oldest, .superseded(.sample(removal(3), .recorded)))
    #expect(try rig.sample(app, on: child) == nil)
  }

  @Test("A command that the child had stored and lost comes back when the one that replaced it is taken back")
  func lostOnesComeBack() async throws {
    let (stored, change) = try await rig.command(.sample(rule(1)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (newer, _) = try await rig.command(.sample(rule(2)), to: child)
    _ = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 12)
    #expect(try await status(stored) == .superseded)
    let taken = try #require(try await rig.store.cancel(newer.commandID, at: 13))
    #expect(taken.result.queuedAgain?.commandID == stored.commandID)
    #expect(try await waiting().map(\.itemID).last == stored.commandID.bytes)
    #expect(try rig.sample(app, on: child)?.modified.wall == 1)
  }

  @Test("It comes back though the queue is full: it takes the place of the newer one")
  func aFullQueueKeepsNobodyOut() async throws {
    let (older, _) = try await rig.command(.sample(rule(1)), to: child)
    let (newer, _) = try await rig.command(.sample(rule(2)), to: child)
    rig.store.close()
    try rig.edit(
      "UPDATE outbox_stream SET waiting_items = ?, waiting_bytes = ?", [Limits.queueItems, Limits.queueBytes])
    try rig.reopen()
    await #expect(throws: StoreError.queueFull(.init("command"))) { try await rig.command(to: child) }
    let taken = try #require(try await rig.store.cancel(newer.commandID, at: 13))
    #expect(taken.result.queuedAgain?.commandID == older.commandID)
  }

  @Test("The family's rules that come back take their place among those for other machines")
  func familySettings() async throws {
    let other = try await rig.paired()
    func settings(_ version: Int64) -> SampleRule {
      SampleRule("family", level: version, modified: HybridTimestamp(wall: version, counter: 0, author: rig.own))
    }
    let (here, _) = try await rig.command(.sample(settings(1)), to: child)
    let (there, _) = try await rig.command(.sample(settings(2)), to: other)
    let (newer, _) = try await rig.command(.sample(settings(3)), to: child)
    _ = try await rig.store.cancel(newer.commandID, at: 13)
    #expect(try await status(here) == .queued)
    #expect(try rig.family() == settings(2))
    _ = try await rig.store.cancel(there.commandID, at: 13)
    #expect(try rig.family() == settings(1))
    _ = try await rig.store.cancel(here.commandID, at: 13)
    #expect(try rig.family() == nil)
  }
}
