import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the expiry of commands, by a clock that never jumps.
@Suite struct ExpiryTests {
  private let rig: StoreRig
  private let child: DeviceID
  private static let day: Int64 = 86_400_000

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func status(_ id: CommandID) async throws -> CommandStatus? { try await rig.store.command(id)?.status }

  @Test("A command expires after a day or its own lifetime, and never if it is given none")
  func whatIsUsual() async throws {
    let message = try await rig.command(.message("hello"), to: child).0
    let report = try await rig.command(.requestReport, to: child).0
    let edit = CommandPayload(Edit([Samples.register(&rig.random)]))
    let rule = try await rig.command(edit, to: child, expiresAfter: 0).0
    let brief = try await rig.command(.message("brief"), to: child, expiresAfter: 5_000).0
    let lasting = try await rig.command(.message("for ever"), to: child, expiresAfter: 0).0
    #expect([message, report].map(\.expiresAfter) == [Self.day, Self.day])
    #expect([rule, lasting].map(\.expiresAfter) == [nil, nil])
    #expect(try await rig.store.untilNextExpiry() == 5_000)

    rig.clock.advance(4_999)
    #expect(try await rig.store.expireDue(at: 20).isEmpty)
    rig.clock.advance(1)
    #expect(try await rig.store.expireDue(at: 21) == [brief.commandID])
    #expect(try await rig.store.untilNextExpiry() == Self.day - 5_000)
    rig.clock.advance(Self.day)
    #expect(try await Set(rig.store.expireDue(at: 22)) == [message.commandID, report.commandID])
    #expect(try await rig.store.untilNextExpiry() == nil)
    for command in [message, report, brief] { #expect(try await status(command.commandID) == .expired) }
    for command in [rule, lasting] { #expect(try await status(command.commandID) == .queued) }
    let queue = try #require(try await rig.store.queues(child, at: 30).first)
    #expect(queue.waitingItems == 2)
    #expect(queue.undelivered == [QueueTally(fate: .expired, items: 3, lastAt: 22)])
  }

  @Test("Age continues over restarts, sleep and other boots, without the time for which the machine was off")
  func overBoots() async throws {
    let id = try await rig.command(.message("hello"), to: child, expiresAfter: 10_000).0.commandID
    rig.clock.advance(6_000)
    try rig.reopen()
    rig.clock.reboot()
    try rig.reopen()
    rig.clock.advance(3_999)
    #expect(try await rig.store.expireDue(at: 5).isEmpty)
    // A second boot within the time ends with a power cut, so only the noted time counts.
    rig.clock.reboot()
    try rig.reopen()
    #expect(try await status(id) == .queued)
    rig.clock.advance(1)
    #expect(try await rig.store.expireDue(at: 6) == [id])
  }

  @Test("An expired command is never sent, even if the clock was not checked before")
  func loadingLooksAtTheClock() async throws {
    let (first, change) = try await rig.command(.message("late"), to: child, expiresAfter: 1_000)
    let (second, _) = try await rig.command(.message("in time"), to: child)
    rig.clock.advance(1_000)
    let items = try await rig.store.load(
      child, .command, epoch: change.epoch, from: 1, items: 9, bytes: 100_000, at: 44)
    #expect(items.map(\.kind) == [.skip, .command])
    #expect(items.last?.itemID == second.commandID.bytes)
    let expired = try #require(try await rig.store.command(first.commandID))
    #expect((expired.status, expired.statusAt) == (.expired, 44))
    #expect(expired.reason?.isEmpty == false)
  }

  @Test("A stored command does not expire")
  func whatIsStoredStays() async throws {
    let (stored, change) = try await rig.command(.message("hello"), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (waiting, _) = try await rig.command(.message("hello again"), to: child, expiresAfter: 2_000)
    rig.clock.advance(2 * Self.day)
    #expect(try await rig.store.expireDue(at: 20) == [waiting.commandID])
    #expect(try await status(stored.commandID) == .stored)
  }
}
