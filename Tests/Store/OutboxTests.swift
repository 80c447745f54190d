import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that sent items are kept until the other side has stored them.
@Suite struct OutboxTests {
  @Test("Numbers are assigned without gaps, and items are loaded in order within the requested bounds")
  func numbersAndLoads() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    var epoch: UInt64 = 0
    for number in 1...10 {
      let (_, change) = try await rig.command(.message("text \(number)"), to: child)
      #expect(change.last == UInt64(number))
      epoch = change.epoch
    }
    let all = try await rig.store.load(child, .command, epoch: epoch, from: 1, items: 100, bytes: 100_000)
    #expect(all.map(\.sequence) == Array(1...10))
    #expect(
      try await rig.store.load(child, .command, epoch: epoch, from: 4, items: 3, bytes: 100_000) == Array(all[3..<6]))
    // A limit below the size of one item still gives that item.
    #expect(try await rig.store.load(child, .command, epoch: epoch, from: 1, items: 9, bytes: 1) == [all[0]])
    let two = all[0].cost + all[1].cost
    #expect(try await rig.store.load(child, .command, epoch: epoch, from: 1, items: 9, bytes: two) == Array(all[..<2]))
    #expect(try await rig.store.load(child, .command, epoch: epoch &+ 1, from: 1, items: 9, bytes: 1_000).isEmpty)
  }

  @Test(
    "Items that the peer stored are deleted and their status is set once; a report about another epoch changes nothing")
  func forgetting() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    var commands: [CommandID] = []
    var epoch: UInt64 = 0
    for _ in 1...4 {
      let (command, change) = try await rig.command(to: child)
      commands.append(command.commandID)
      epoch = change.epoch
    }
    let stale = StreamPosition(streamClass: .command, epoch: epoch &+ 1, through: 4)
    try await rig.store.forget(child, stale, at: 20)
    #expect(try await rig.store.queues(child, at: 30).first?.waitingItems == 4)
    let stored = StreamPosition(streamClass: .command, epoch: epoch, through: 3)
    for _ in 1...2 { try await rig.store.forget(child, stored, at: 20) }
    let queue = try #require(try await rig.store.queues(child, at: 30).first)
    #expect((queue.waitingItems, queue.storedThrough) == (1, 3))
    for (index, id) in commands.enumerated() {
      #expect(try await rig.store.command(id)?.status == (index < 3 ? .stored : .queued))
    }
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: epoch, through: 4), at: 22)
    let empty = try #require(try await rig.store.queues(child, at: 30).first)
    #expect((empty.waitingItems, empty.waitingBytes) == (0, 0))
  }

  @Test("Of many new items, a link is told of the last of each stream")
  func newest() async throws {
    let rig = try StoreRig()
    let (one, other) = (try await rig.paired(), try await rig.paired())
    var changes: [OutboxChange] = []
    for device in [one, other, one, one, other] { changes.append(try await rig.command(to: device).1) }
    #expect(changes.newest == [changes[3], changes[4]])
    #expect([OutboxChange]().newest.isEmpty)
  }

  @Test("A cancelled command is sent as an empty number, and the counts stay correct")
  func cancelling() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let (_, before) = try await rig.command(.message("before"), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: before.epoch, through: 1), at: 11)
    let (second, change) = try await rig.command(.message("unwanted"), to: child)
    try await rig.command(.message("after"), to: child)

    let cancelled = try #require(try await rig.store.cancel(second.commandID, at: 11))
    #expect(cancelled.wasCancelled && cancelled.command.status == .cancelled)
    #expect(try await rig.store.cancel(second.commandID, at: 12)?.wasCancelled == false)
    let items = try await rig.store.load(child, .command, epoch: change.epoch, from: 2, items: 9, bytes: 100_000)
    #expect(items.map(\.kind) == [.skip, .command])
    #expect(items.map(\.skipThrough) == [2, 3])
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 3), at: 13)
    let queue = try #require(try await rig.store.queues(child, at: 30).first)
    #expect((queue.waitingItems, queue.waitingBytes) == (0, 0))
    #expect(try await rig.store.command(second.commandID)?.status == .cancelled)
  }

  @Test(
    "A restarted stream has a new epoch, numbers from 1, and begins with stored commands that were not answered")
  func restarting() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    var ids: [CommandID] = []
    var epoch: UInt64 = 0
    for index in 0..<4 {
      let id = CommandID(milliseconds: Int64(index), random: rig.random.bytes(10))
      epoch = try await rig.store.issue(id, to: child, at: 10) { _, _ in .message("text \(index)") }.change.epoch
      ids.append(id)
    }
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: epoch, through: 2), at: 11)
    _ = try await rig.store.cancel(ids[2], at: 12)
    let position = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 13)
    #expect(position == OutboxPosition(epoch: 99, storedThrough: 0, last: 3))
    let items = try await rig.store.load(child, .command, epoch: 99, from: 1, items: 9, bytes: 100_000)
    #expect(items.map(\.itemID) == [ids[0], ids[1], ids[3]].map(\.bytes))
    #expect(items.map(\.sequence) == [1, 2, 3])
    for id in [ids[0], ids[1], ids[3]] { #expect(try await rig.store.command(id)?.status == .queued) }
    // An item with a new number can be cancelled like any other.
    #expect(try await rig.store.cancel(ids[3], at: 14)?.wasCancelled == true)
    try rig.reopen()
    #expect(try await rig.store.outboxPositions(child)[.command]?.last == 3)
  }

  @Test("A full queue refuses a command to its caller and stores nothing of it")
  func fullQueue() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    try await rig.command(to: child)
    rig.store.close()
    try rig.edit("UPDATE outbox_stream SET waiting_items = ?", [Limits.queueItems])
    try rig.reopen()
    let before = try await rig.store.outboxPositions(child)
    await #expect(throws: StoreError.queueFull(.command)) { try await rig.command(to: child) }
    #expect(try await rig.store.commands(device: child, limit: 9).count == 1)
    #expect(try await rig.store.outboxPositions(child) == before)
  }

  @Test(
    "A parent with a full usage queue is skipped, which the audit records; the record is kept, and other parents get it"
  )
  func fullUsageQueue() async throws {
    let rig = try StoreRig()
    let (one, other) = (try await rig.paired(.parent), try await rig.paired(.parent))
    _ = try await rig.store.record([try rig.session(start: 1, end: 2)], at: 3)
    rig.store.close()
    try rig.edit(
      "UPDATE outbox_stream SET waiting_bytes = ? WHERE peer = (SELECT MIN(number) FROM peer)", [Limits.queueBytes])
    try rig.reopen()
    let changes = try await rig.store.record([try rig.session(start: 3, end: 4)], at: 5)
    #expect(changes.map(\.device) == [other])
    #expect(try await rig.store.usageCount(device: rig.own) == 2)
    #expect(try await rig.store.outboxPositions(one)[.usage]?.last == 1)
    #expect(
      try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM audit WHERE action = 'usage.not-queued'") } == 1)
  }
}
