import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of a full usage queue: hourly totals, then daily ones, and only then a reported loss.
@Suite struct UsageQueueTests {
  private static let hour: Int64 = 3_600_000
  /// Midnight in UTC, 1 November 2026.
  private static let midnight: Int64 = 1_793_491_200_000

  private func record(_ rig: StoreRig, _ start: Int64, minutes: Int64 = 1, app: String = "org.example.App") throws
    -> UsageRecord
  {
    var record = try rig.session(start: start, end: start + minutes * 60_000, app: app)
    record.zone = "UTC"
    (record.category, record.milliPointsPerMinute, record.evidence) = (.learning, 500, .tracked)
    record.earnedMilliPoints = minutes * 500
    (record.account, record.child) = (1_000, ChildID(bytes: [UInt8](repeating: 3, count: 16)))
    return record
  }

  private func waiting(_ rig: StoreRig, _ parent: DeviceID) async throws -> [DeliveryItem] {
    let position = try #require(try await rig.store.outboxPositions(parent)[.usage])
    return try await rig.store.load(
      parent, .usage, epoch: position.epoch, from: position.storedThrough + 1, items: 10_000, bytes: 1 << 30)
  }

  /// Returns the records of a parent that received the items.
  private func delivered(_ rig: StoreRig, _ items: [DeliveryItem]) async throws -> [UsageRecord] {
    try items.filter { $0.kind == .usageRecord }.map { try MessageBodyCoding().usageRecord($0.body) }
  }

  @Test("The report of a loss is sent even if the record for which space was made finds none")
  func lossWithoutRoom() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 100, bytes: 380))
    let parent = try await rig.paired(.parent)
    for day in 0..<2 {
      let start = Self.midnight + Int64(day) * 24 * Self.hour
      var small = try record(rig, start, app: "org.example.App\(day)")
      small.displayName = "x"
      _ = try await rig.store.record([small], at: start)
    }
    #expect(try await rig.store.outboxPositions(parent)[.usage]?.last == 2)
    var large = try record(rig, Self.midnight)
    large.displayName = String(repeating: "x", count: 250)
    let changes = try await rig.store.record([large], at: Self.midnight)
    let position = try #require(try await rig.store.outboxPositions(parent)[.usage])
    #expect(position.last > 2)
    #expect(changes.map(\.last) == [position.last])
    #expect(try await waiting(rig, parent).contains { $0.kind == .usageLoss })
  }

  @Test("Time, points and sessions stay exact through hourly and daily totals")
  func totals() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 64))
    let parent = try await rig.paired(.parent)
    var (active, earned) = (Int64(0), Int64(0))
    // 40 days of ten sessions in each of two hours.
    for day in 0..<40 {
      for hour in [9, 15] {
        for minute in 0..<10 {
          let start = Self.midnight + Int64(day) * 24 * Self.hour + Int64(hour) * Self.hour + Int64(minute) * 300_000
          let record = try record(rig, start, minutes: Int64(minute % 3) + 1)
          (active, earned) = (active + record.activeMilliseconds, earned + record.earnedMilliPoints)
          #expect(try await rig.store.record([record], at: start).count == 1)
        }
      }
    }
    let queue = try #require(try await rig.store.queues(parent, at: 1).first)
    #expect(queue.waitingItems <= 64)
    #expect(queue.undelivered.map(\.fate) == [.merged])
    let items = try await waiting(rig, parent)
    let records = try await delivered(rig, items)
    #expect(Int64(records.count) == queue.waitingItems)
    #expect(records.reduce(0) { $0 + $1.activeMilliseconds } == active)
    #expect(records.reduce(0) { $0 + $1.earnedMilliPoints } == earned)
    #expect(records.reduce(0) { $0 + $1.sessions } == 800)
    #expect(records.allSatisfy { $0.fault == nil })
    // Every total lies within one day, and the numbers have no gaps.
    for record in records {
      #expect(
        (record.sessionStart - Self.midnight) / (24 * Self.hour) == (record.sessionEnd - Self.midnight)
          / (24 * Self.hour))
    }
    var next: UInt64 = 1
    for item in items {
      #expect(item.sequence == next)
      next = item.skipThrough + 1
    }
    // This machine's own history is as it was.
    #expect(try await rig.store.usageCount(device: rig.own) == 800)
  }

  @Test("A record that was sent in a session is not merged into a total, since the parent may have it")
  func whatWasSentStays() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 32))
    let parent = try await rig.paired(.parent)
    for minute in 0..<30 {
      _ = try await rig.store.record([try record(rig, Self.midnight + Int64(minute) * 60_000)], at: 1)
    }
    let sent = try await waiting(rig, parent)
    #expect(sent.count == 30)
    // The bound reaches beyond the stored items: these two might also have been given to the
    // session.
    for minute in 30..<60 {
      _ = try await rig.store.record([try record(rig, Self.midnight + Int64(minute) * 60_000)], at: 1)
    }
    let queue = try #require(try await rig.store.queues(parent, at: 1).first)
    #expect(!queue.undelivered.contains { $0.fate == .merged })
    let now = try await waiting(rig, parent)
    let records = try await delivered(rig, now)
    #expect(records.allSatisfy { $0.sessions == 1 })
    // All lost records are reported.
    let losses = try now.filter { $0.kind == .usageLoss }.map { try MessageBodyCoding().usageLoss($0.body) }
    #expect(losses.reduce(0) { $0 + $1.records } + Int64(records.count) == 60)
  }

  @Test("Records that cannot be merged are dropped, oldest first, with a report that the parent keeps")
  func losses() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 32))
    let parent = try await rig.paired(.parent)
    // Each record is of another application, so none can be merged.
    for index in 0..<100 {
      _ = try await rig.store.record(
        [try record(rig, Self.midnight + Int64(index) * 60_000, app: "app\(index)")], at: 1)
    }
    let items = try await waiting(rig, parent)
    #expect(items.filter { $0.kind != .skip }.count <= 32)
    let losses = try items.filter { $0.kind == .usageLoss }.map { try MessageBodyCoding().usageLoss($0.body) }
    #expect(losses.count == 1)
    let records = try await delivered(rig, items)
    #expect((losses.first?.records ?? 0) + Int64(records.count) == 100)
    #expect(losses.first?.firstStart == Self.midnight)
    #expect(records.map(\.appID.text).last == "app99")
    let tally = try #require(try await rig.store.queues(parent, at: 1).first?.undelivered.first { $0.fate == .dropped })
    #expect(tally.items >= losses.first?.records ?? 0)

    let receiver = try StoreRig(seed: 2)
    try await receiver.pair(rig.own, .child)
    for epoch in [UInt64(3), 4] {
      _ = try await receiver.store.receive(
        [ItemRun(streamClass: .usage, epoch: epoch, items: items.renumbered)], from: rig.own, role: .child,
        enforcement: .recorded, at: 9)
    }
    let known = try await receiver.store.overview().losses
    #expect(known.map(\.records) == losses.map(\.records))
    #expect(known.first?.device == rig.own)
    #expect(try await receiver.store.usageCount(device: rig.own) == records.count)
  }

  @Test("Losses with any valid numbers have a sum")
  func theGreatestLosses() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let items = try (1...3).map { number in
      let id = try #require(RecordID(bytes: [UInt8](repeating: UInt8(number), count: 16)))
      let loss = UsageLoss(
        lossID: id, device: child, records: UsageRecord.mostSessions, sessions: UsageRecord.mostSessions,
        activeMilliseconds: HybridTimestamp.wallLimit - 1, earnedMilliPoints: HybridTimestamp.wallLimit - 1,
        firstStart: 0, lastEnd: 1)
      return DeliveryItem(
        sequence: UInt64(number), kind: .usageLoss, itemID: id.bytes, body: MessageBodyCoding().encode(loss))
    }
    let result = try await rig.store.receive(
      [ItemRun(streamClass: .usage, epoch: 3, items: items)], from: child, role: .child, enforcement: .recorded, at: 9)
    #expect(result.faults.isEmpty)
    #expect(try await rig.store.overview().losses.map(\.sessions) == [3 * UsageRecord.mostSessions])
    var beyond = try MessageBodyCoding().usageLoss(items[0].body)
    beyond.activeMilliseconds = HybridTimestamp.wallLimit
    #expect(throws: BodyFault.self) { try MessageBodyCoding().usageLoss(MessageBodyCoding().encode(beyond)) }
  }

  @Test("A parent that lost its records gets them again, or the totals with them, and never both")
  func everythingAgain() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 64))
    let parent = try await rig.paired(.parent)
    for index in 0..<200 {
      _ = try await rig.store.record([try record(rig, Self.midnight + Int64(index) * 120_000)], at: 1)
    }
    let position = try #require(try await rig.store.outboxPositions(parent)[.usage])
    try await rig.store.forget(
      parent, StreamPosition(streamClass: .usage, epoch: position.epoch, through: position.last), at: 2)
    #expect(try await rig.store.queues(parent, at: 3).first?.waitingItems == 0)
    let again = try await rig.store.restart(parent, .usage, epoch: 77, cause: .peerLost(after: 0), at: 4)
    #expect(again.last > 0)
    // The parent may have any of these, so they are not merged, whatever comes after them.
    for index in 200..<300 {
      _ = try await rig.store.record([try record(rig, Self.midnight + Int64(index) * 120_000)], at: 1)
    }
    let all = try await delivered(rig, try await waiting(rig, parent))
    let records = all.filter { $0.sessionEnd <= Self.midnight + 200 * 120_000 }
    #expect(all.reduce(0) { $0 + $1.sessions } == 300)
    #expect(records.reduce(0) { $0 + $1.sessions } == 200)
    #expect(records.reduce(0) { $0 + $1.activeMilliseconds } == 200 * 60_000)
    #expect(Set(records.map(\.recordID)).count == records.count)
  }

  @Test("Records that are queued again after a loss displace no others, and only new ones count against the cap")
  func afterARestart() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 32))
    let parent = try await rig.paired(.parent)
    // Sixty delivered sessions that no total can combine.
    for day in 0..<60 {
      let start = Self.midnight + Int64(day) * 24 * Self.hour
      _ = try await rig.store.record([try record(rig, start)], at: start)
      let position = try #require(try await rig.store.outboxPositions(parent)[.usage])
      _ = try await rig.store.load(
        parent, .usage, epoch: position.epoch, from: position.storedThrough + 1, items: 10, bytes: 1 << 20)
      try await rig.store.forget(
        parent, StreamPosition(streamClass: .usage, epoch: position.epoch, through: position.last), at: start)
    }
    rig.clock.advance(5_000)
    _ = try await rig.store.restart(parent, .usage, epoch: 77, cause: .peerLost(after: 0), at: 4)
    let later = Self.midnight + 100 * 24 * Self.hour
    func add(_ days: Range<Int64>) async throws {
      for day in days {
        let start = later + day * 24 * Self.hour
        #expect(try await rig.store.record([try record(rig, start)], at: start).count == 1)
      }
    }
    try await add(0..<32)
    var queue = try #require(try await rig.store.queues(parent, at: 5).first)
    #expect(queue.waitingItems == 92)
    #expect(queue.undelivered == [])
    #expect(queue.lastStoredAt != nil)
    // Beyond that, the oldest records are dropped, and the loss is reported.
    try await add(32..<40)
    queue = try #require(try await rig.store.queues(parent, at: 5).first)
    #expect(queue.undelivered.map(\.fate) == [.dropped])
    #expect(queue.waitingItems < 100)
  }

  @Test("The age of the oldest item is measured by a clock that does not jump, over restarts of the stream")
  func ageOfTheOldest() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    _ = try await rig.store.record([try record(rig, Self.midnight)], at: 1_000_000)
    rig.clock.advance(5_000)
    // The wall clock was set back by years.
    #expect(try await rig.store.queues(parent, at: 10).first?.oldestAgeMilliseconds == 5_000)
    _ = try await rig.store.restart(parent, .usage, epoch: 77, cause: .peerIsAhead, at: 4)
    rig.clock.advance(1_000)
    #expect(try await rig.store.queues(parent, at: 10).first?.oldestAgeMilliseconds == 6_000)
    #expect(try await rig.store.queue(parent, nil, limit: 5, at: 10).first?.ageMilliseconds == 6_000)
  }
}

extension [DeliveryItem] {
  /// The same items with numbers from 1.
  fileprivate var renumbered: [DeliveryItem] {
    filter { $0.kind != .skip }.enumerated().map {
      DeliveryItem(
        sequence: UInt64($0.offset + 1), kind: $0.element.kind, itemID: $0.element.itemID, body: $0.element.body)
    }
  }
}
