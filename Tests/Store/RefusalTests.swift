import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that the sender of refused items is told once, durably, and stores the refusal.
@Suite struct RefusalTests {
  private let parent = Fixed.device(1)
  private let child = Fixed.device(2)
  private let coding = MessageBodyCoding()

  private func family() async throws -> (parent: TestStore, child: TestStore) {
    let pair = (parent: try TestStore(own: parent), child: try TestStore(own: child))
    try await pair.parent.pair(child, role: .child)
    try await pair.child.pair(parent, role: .parent)
    return pair
  }

  private func run(_ items: [DeliveryItem], _ streamClass: StreamClass, epoch: UInt64 = 5) -> ItemRun {
    ItemRun(streamClass: streamClass, epoch: epoch, items: items)
  }

  private func usage(_ sequence: UInt64, _ number: Int, name: String, device: DeviceID? = nil) -> DeliveryItem {
    var record = Fixed.usage(number, device: device ?? child)
    record.displayName = name
    return DeliveryItem(
      sequence: sequence, kind: .usageRecord, itemID: record.recordID.bytes, body: coding.encode(record))
  }

  /// Delivers items to the parent, and the parent's notices to the child.
  private func deliver(_ runs: [ItemRun], _ family: (parent: TestStore, child: TestStore)) async throws -> InboxResult {
    let result = try await family.parent.store.receive(
      runs, from: child, role: .child, enforcement: .recorded, at: 20)
    let notices = try await family.parent.waiting(child, .control)
    if !notices.isEmpty {
      let epoch = try #require(try await family.parent.store.outboxPositions(child)[.control]).epoch
      _ = try await family.child.store.receive(
        [run(notices, .control, epoch: epoch)], from: parent, role: .parent, enforcement: .recorded, at: 21)
    }
    return result
  }

  @Test("Invalid records are skipped, later ones are stored, and the child is told which were refused and why")
  func records() async throws {
    let family = try await family()
    let items = [
      usage(1, 1, name: "Chess\0"), usage(2, 2, name: "Chess"), usage(3, 3, name: "Chess", device: parent),
      DeliveryItem(
        sequence: 4, kind: .usageRecord, itemID: [UInt8](repeating: 9, count: 16), body: usage(4, 4, name: "x").body),
      DeliveryItem(sequence: 5, kind: .usageLoss, itemID: [UInt8](repeating: 8, count: 16), body: [0xFF]),
      DeliveryItem(
        sequence: 6, kind: ItemKind(rawValue: 99), itemID: [UInt8](repeating: 7, count: 16), body: []),
      usage(7, 7, name: "Krita"),
    ]
    let result = try await deliver([run(items, .usage)], family)
    #expect(result.usageRecords == 2 && result.faults.count == 5)
    #expect(try await family.parent.store.usageCount(device: child) == 2)
    let told = try await family.child.store.refusals()
    #expect(
      told.map { "\($0.kind.rawValue) \($0.reason) \($0.items)" }.sorted()
        == ["3 foreign 1", "3 unreadable 1", "3 wrongID 1", "6 unreadable 1", "99 unknownKind 1"])
    #expect(told.allSatisfy { $0.device == parent })
    #expect(try await family.child.store.overview().refusedInAll == [parent: 5])
    let records = try await family.child.store.refusedRecords()
    #expect(records[Fixed.usage(1, device: child).recordID] == [parent])
    #expect(records[Fixed.usage(2, device: child).recordID] == nil)
    let usage = try #require(try await family.child.store.queues(parent, at: 30).first { $0.streamClass == .usage })
    #expect(usage.undelivered.map(\.fate) == [.refused] && usage.undelivered.first?.items == 5)
  }

  @Test("An item repeated in another epoch is refused again, and counted once at its sender")
  func once() async throws {
    let family = try await family()
    _ = try await deliver([run([usage(1, 1, name: "\0")], .usage)], family)
    _ = try await deliver([run([usage(1, 1, name: "\0")], .usage, epoch: 6)], family)
    #expect(try await family.child.store.refusals().map(\.items) == [1])
    // Both notices are durable.
    try family.child.reopen()
    #expect(try await family.child.store.refusedRecords().count == 1)
  }

  @Test("A malformed receipt ends its command with a reason, and the child is told")
  func receipt() async throws {
    let family = try await family()
    let id = try await family.parent.send("m", to: child, number: 1)
    let other = try await family.parent.send("n", to: child, number: 2)
    let wrong = CommandReceipt(commandID: other, outcome: .executed(.messageStored), at: 1)
    let items = [
      DeliveryItem(sequence: 1, kind: .receipt, itemID: id.bytes, body: [0xFF]),
      // Its ID is not that of a command.
      DeliveryItem(sequence: 2, kind: .receipt, itemID: Fixed.command(9).bytes, body: coding.encode(wrong)),
    ]
    let result = try await deliver([run(items, .receipt)], family)
    #expect(result.commands == [id])
    let command = try #require(try await family.parent.store.command(id))
    #expect(command.status == .failed && command.reason?.contains("give the command again") == true)
    #expect(try await family.parent.store.command(other)?.status == .queued)
    #expect(
      try await family.child.store.refusals().map { "\($0.kind.rawValue) \($0.reason)" } == [
        "2 unreadable", "2 wrongID",
      ])
  }

  @Test("A malformed refusal is not refused, so that two machines do not refuse each other forever")
  func noLoop() async throws {
    let family = try await family()
    let notice = DeliveryItem(
      sequence: 1, kind: .refusal, itemID: [UInt8](repeating: 1, count: 16), body: [0xFF])
    let result = try await family.child.store.receive(
      [run([notice], .control)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    #expect(result.faults.count == 1 && result.changes.isEmpty)
    #expect(try await family.child.waiting(parent, .control).isEmpty)
  }

  @Test("Many refusals cause few notices, and the last notice states the total")
  func bounded() async throws {
    let family = try await family()
    var sequence: UInt64 = 0
    for _ in 0..<20 {
      let items = (0..<50).map { _ -> DeliveryItem in
        sequence += 1
        return usage(sequence, Int(sequence), name: "\0")
      }
      _ = try await family.parent.store.receive(
        [run(items, .usage)], from: child, role: .child, enforcement: .recorded, at: 1)
    }
    let waiting = try await family.parent.waiting(child, .control)
    #expect(waiting.count == Int(Limits.refusalNotices))
    _ = try await deliver([], family)
    #expect(try await family.child.store.overview().refusedInAll == [parent: 800])
    // A refusal that comes once there is room again states the total.
    let position = try #require(try await family.parent.store.outboxPositions(child)[.control])
    try await family.parent.store.forget(
      child, StreamPosition(streamClass: .control, epoch: position.epoch, through: position.last), at: 2)
    _ = try await deliver([run([usage(sequence + 1, 0, name: "\0")], .usage)], family)
    #expect(try await family.child.store.overview().refusedInAll == [parent: 1_001])
  }

  @Test("Refused items are forgotten with the device")
  func removed() async throws {
    let family = try await family()
    _ = try await deliver([run([usage(1, 1, name: "\0")], .usage)], family)
    _ = try await family.child.store.remove(parent, removal: nil, itemID: [UInt8](repeating: 3, count: 16), at: 30)
    #expect(try await family.child.store.refusals().isEmpty)
    #expect(try await family.child.store.overview().refusedInAll.isEmpty)
    #expect(try await family.child.store.refusedRecords().isEmpty)
  }

  @Test("Every text that a rule permits is stored and read back byte for byte")
  func roundTrip() async throws {
    let family = try await family()
    var random = SeededRandom()
    var sequence: UInt64 = 0
    var names: [RecordID: String] = [:]
    var items: [DeliveryItem] = []
    while items.count < 200 {
      let text = HostileText.text(40, &random)
      guard TextRule.displayName.fault(in: text) == nil else { continue }
      sequence += 1
      var record = Fixed.usage(Int(sequence), device: child)
      record.displayName = text
      names[record.recordID] = text
      items.append(
        DeliveryItem(
          sequence: sequence, kind: .usageRecord, itemID: record.recordID.bytes, body: coding.encode(record)))
    }
    let result = try await family.parent.store.receive(
      [run(items, .usage)], from: child, role: .child, enforcement: .recorded, at: 1)
    #expect(result.usageRecords == 200, "\(random.note)")
    let kept = try await family.parent.store.usage(
      device: child, app: nil, from: 0, to: .max, limit: 1_000, before: nil
    ).map(\.record)
    for record in kept {
      #expect(names[record.recordID].map { Array($0.utf8) } == Array(record.displayName.utf8), "\(random.note)")
    }
    for _ in 0..<100 {
      let text = HostileText.text(40, &random)
      guard TextRule.message.fault(in: text) == nil else { continue }
      let id = Samples.commandID(&random)
      _ = try await family.parent.store.issue(id, to: child, at: 1) { _, _ in .message(text) }
      let kept = try await family.parent.store.command(id)?.payload.as(TextMessage.self)?.text
      #expect(kept.map { Array($0.utf8) } == Array(text.utf8), "\(random.note)")
    }
  }
}
