import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyStore

/// Tests that the shared state of one transaction's jobs is in the database at the end of the
/// transaction.
///
/// The other work of the transaction must not matter.
struct WriteGroupTests {
  @Test("A note that may wait is committed without another commit, or with the next one")
  func mayWait() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let store = rig.store
    for number in 1...20 as ClosedRange<UInt64> {
      let received = try await rig.receive([rig.item(number, .message("hello"), from: parent)], from: parent)
      let receipt = try #require(received.changes.first { $0.streamClass == .receipt })
      let position = StreamPosition(streamClass: .receipt, epoch: receipt.epoch, through: receipt.last)
      if number % 2 == 0 {
        try await store.forget(parent, position, mayWait: true, at: 11)
      } else {
        async let forgotten = store.forget(parent, position, mayWait: true, at: 11)
        // Other work may come before or after it, and takes it along.
        try await store.set("work", to: "\(number)")
        _ = try await forgotten
      }
      #expect(try await store.outboxPositions(parent)[.receipt]?.storedThrough == receipt.last)
    }
    try expectTrueCounters(rig)
  }

  @Test("The note that commands are stored does not wait for ever while others commit", .timeLimit(.minutes(1)))
  func waitsWithAnEnd() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired(.child)
    let store = rig.store
    let (command, position) = try await issued(rig, to: child)
    // Each transaction ends only when there is work for the next one.
    let isOver = Mutex(false)
    store.beforeEachCommit {
      guard !isOver.withLock({ $0 }) else { return }
      let before = store.commits.waitingJobs
      Task { try await store.commits.commit(.work) { _ in } }
      while store.commits.waitingJobs == before { sched_yield() }
    }
    try await store.commits.commit(.work) { _ in }
    try await store.forget(child, position, mayWait: true, at: 11)
    isOver.withLock { $0 = true }
    #expect(try await store.command(command.commandID)?.status == .stored)
  }

  @Test("A cancellation comes after the note that its command is stored, although the note may wait")
  func cancellationComesAfter() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired(.child)
    let store = rig.store
    for _ in 1...10 {
      let (command, position) = try await issued(rig, to: child)
      let before = store.commitStatistics.writes
      async let forgotten = store.forget(child, position, mayWait: true, at: 11)
      // It waits, or its wait is over.
      while store.commits.waitingJobs == 0, store.commitStatistics.writes == before { await Task.yield() }
      let cancelled = try #require(try await store.cancel(command.commandID, at: 12))
      #expect(!cancelled.wasCancelled && cancelled.command.status == .stored)
      _ = try await forgotten
    }
    try expectTrueCounters(rig)
  }

  @Test("The note that commands are stored waits for their answers, and then changes only commands without one")
  func answersComeFirst() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired(.child)
    let store = rig.store
    let (answered, _) = try await rig.command(to: child)
    let (unanswered, change) = try await rig.command(to: child)
    try rig.edit(
      """
      CREATE TABLE witness (id BLOB, status TEXT);
      CREATE TRIGGER witness AFTER UPDATE OF status ON command
        BEGIN INSERT INTO witness VALUES (NEW.command_id, NEW.status); END;
      """)
    let open = await HeldCommit(store)
    async let forgotten = store.forget(
      child, StreamPosition(streamClass: .command, epoch: change.epoch, through: change.last), mayWait: true, at: 11)
    while store.commits.waitingJobs < 1 { await Task.yield() }
    let receipt = rig.receipt(
      1, CommandReceipt(commandID: answered.commandID, outcome: .executed(answered.payload.answer), at: 3))
    async let received = store.receive(
      [ItemRun(streamClass: .receipt, epoch: 5, items: [receipt])], from: child, role: .child, enforcement: .recorded,
      at: 12)
    while store.commits.waitingJobs < 2 { await Task.yield() }
    try await open.end()
    _ = try await (forgotten, received)
    let changes = try rig.look { try Row.fetchAll($0, sql: "SELECT id, status FROM witness ORDER BY rowid") }
    #expect(changes.map { $0["status"] } == ["executed", "stored"])
    #expect(changes.map { $0["id"] } == [answered, unanswered].map { Data($0.commandID.bytes) })
    try expectTrueCounters(rig)
  }

  @Test("Commands that are issued, cancelled and refused simultaneously leave correct counters")
  func countersAreTrue() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 350))
    let child = try await rig.paired(.child)
    let ids = (0..<400).map { _ in Samples.commandID(&rig.random) }
    let store = rig.store
    let given = await withTaskGroup(of: UInt64?.self) { group in
      for (index, id) in ids.enumerated() {
        group.addTask {
          try? await store.issue(id, to: child, at: 10) { _, _ in .message("number \(index)") }.change.last
        }
        // The cancellation comes between two commands, so that one transaction does both.
        guard index % 5 == 4 else { continue }
        group.addTask {
          _ = try? await store.cancel(ids[index - 3], at: 11)
          return nil
        }
      }
      return await group.reduce(into: [UInt64]()) { if let number = $1 { $0.append(number) } }
    }
    let position = try #require(try await store.outboxPositions(child)[.command])
    // The numbers have no gaps, and each is assigned once. A refused item has none.
    #expect(given.sorted() == Array(1...position.last))
    try expectTrueCounters(rig)
    // Exactly the remaining space.
    let left = 350 - (try await store.queues(child, at: 12).first?.waitingItems ?? 0)
    for _ in 0..<left { try await rig.command(to: child) }
    await #expect(throws: StoreError.queueFull(.command)) { try await rig.command(to: child) }
    try expectTrueCounters(rig)
  }

  @Test("Simultaneous records, receipts and acknowledgements leave correct counters and the longest session")
  func mixture() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let records = try (0..<200).map { index in
      try rig.session(start: 1_000_000 + Int64(index) * 1_000, end: 1_000_000 + Int64(index) * 1_010 + 5)
    }
    let commands = (1...100).map { rig.item(UInt64($0), .message("number \($0)"), from: parent) }
    let store = rig.store
    _ = try await store.record(Array(records[..<100]), at: 3)
    let epoch = try #require(try await store.outboxPositions(parent)[.usage]).epoch
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, record) in records.enumerated().dropFirst(100) {
        group.addTask { _ = try await store.record([record], at: 3) }
        guard index.isMultiple(of: 20) else { continue }
        let run = ItemRun(streamClass: .command, epoch: 7, items: Array(commands[..<(index - 80)]))
        group.addTask {
          _ = try await store.receive([run], from: parent, role: .parent, enforcement: .recorded, at: 4)
        }
        group.addTask {
          _ = try await store.forget(
            parent, StreamPosition(streamClass: .usage, epoch: epoch, through: UInt64(index - 90)), at: 5)
        }
      }
      try await group.waitForAll()
    }
    try expectTrueCounters(rig)
    let positions = try await store.outboxPositions(parent)
    #expect(positions[.usage]?.last == 200)
    #expect(positions[.receipt]?.last == 100)
    let queue = try DatabaseQueue(path: rig.path)
    let longest = try await queue.read { try Int64.fetchOne($0, sql: "SELECT milliseconds FROM usage_longest") }
    #expect(longest == records.map { $0.sessionEnd - $0.sessionStart }.max())
  }

  /// Issues a command, and returns it with the report that it and all before it are stored.
  private func issued(
    _ rig: StoreRig, to child: DeviceID
  ) async throws -> (command: ConfigurationCommand, position: StreamPosition) {
    let (command, change) = try await rig.command(to: child)
    return (command, StreamPosition(streamClass: .command, epoch: change.epoch, through: change.last))
  }

  /// Compares the counters of each stream with its rows.
  private func expectTrueCounters(_ rig: StoreRig) throws {
    let queue = try DatabaseQueue(path: rig.path)
    let wrong = try queue.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT s.* FROM outbox_stream s
          WHERE waiting_items != (SELECT COUNT(*) FROM outbox_item i WHERE i.peer = s.peer AND i.class = s.class)
            OR waiting_bytes != (SELECT coalesce(SUM(length(body) + length(item_id) + 16), 0) FROM outbox_item i
                                 WHERE i.peer = s.peer AND i.class = s.class)
            OR last < (SELECT coalesce(MAX(seq), 0) FROM outbox_item i WHERE i.peer = s.peer AND i.class = s.class)
          """)
    }
    #expect(wrong.isEmpty)
  }
}
