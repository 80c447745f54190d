import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@testable import LatchkeyStore

/// Tests that received items take effect once.
@Suite struct InboxTests {
  @Test("Repeated items change nothing, whatever part of a run they are in")
  func duplicates() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = (1...6).map { rig.item(UInt64($0), .message("text \($0)"), from: parent) }
    #expect(try await rig.receive(Array(items[..<4]), from: parent).appliedCommands == 4)
    #expect(try await rig.receive(Array(items[..<4]), from: parent) == InboxResult())
    #expect(try await rig.receive(Array(items[2...]), from: parent).appliedCommands == 2)
    try rig.reopen()
    #expect(try await rig.receive(items, from: parent) == InboxResult())
    #expect(try await rig.store.messages(limit: 20).count == 6)
    #expect(try await rig.store.inboxPositions(parent) == [StreamPosition(streamClass: .command, epoch: 7, through: 6)])
    #expect(try await rig.store.outboxPositions(parent)[.receipt]?.last == 6)
  }

  @Test("A few receipts wait for another commit, and nothing else does")
  func mayWait() {
    func run(_ streamClass: StreamClass, _ count: UInt64) -> ItemRun {
      let items = (1...count).map { DeliveryItem(sequence: $0, kind: .receipt, itemID: [], body: []) }
      return ItemRun(streamClass: streamClass, epoch: 1, items: items)
    }
    #expect(Store.mayWait([run(.receipt, 8)]) && Store.mayWait([run(.receipt, 3), run(.receipt, 5)]))
    #expect(!Store.mayWait([run(.receipt, 9)]) && !Store.mayWait([run(.receipt, 4), run(.receipt, 5)]))
    for other in StreamClass.allCases where other != .receipt {
      #expect(!Store.mayWait([run(other, 1)]) && !Store.mayWait([run(.receipt, 1), run(other, 1)]))
    }
  }

  @Test("Bodies that were decoded ahead are not decoded again, unless the body or the kind has changed since")
  func prepared() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = (1...4).map { rig.item(UInt64($0), .message("text \($0)"), from: parent) }
    var run = ItemRun(streamClass: .command, epoch: 7, items: items + [DeliveryItem(skipping: 5...5)])
    rig.store.prepare(&run)
    var ahead = run.items
    #expect(ahead.map { $0.prepared.content != nil } == [true, true, true, true, false])
    #expect(ahead == items + [DeliveryItem(skipping: 5...5)] && Set(ahead) == Set(items + [ahead[4]]))
    // A body that was decoded for another command is recognised by that command's ID.
    ahead[1].prepared = ahead[0].prepared
    ahead[2].kind = ItemKind(rawValue: 99)
    ahead[3].body = [0xFF]
    #expect(ahead[3].prepared.content == nil)
    #expect(try await rig.receive(ahead, from: parent).appliedCommands == 1)
    #expect(try await rig.store.messages(limit: 20).map(\.text) == ["text 1"])
    let epoch = try #require(try await rig.store.outboxPositions(parent)[.receipt]).epoch
    let receipts = try await rig.store.load(
      parent, .receipt, epoch: epoch, from: 1, items: 10, bytes: 1 << 16, at: 5)
    let reasons = try receipts.map { item -> String? in
      guard case .failed(let reason) = try rig.coding.receipt(item.body).outcome else { return nil }
      return reason.english
    }
    #expect(reasons.count == 4 && reasons[0] == nil)
    #expect(reasons[1]?.contains("another ID") == true)
    #expect(reasons[2]?.contains("does not know this kind") == true)
    #expect(reasons[3]?.contains("cannot be read") == true)
  }

  @Test("A run with a gap is refused completely")
  func gap() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = [1, 3].map { rig.item(UInt64($0), .message("text"), from: parent) }
    await #expect(throws: StoreError.self) { try await rig.receive(items, from: parent) }
    #expect(try await rig.store.messages(limit: 20).isEmpty)
    #expect(try await rig.store.inboxPositions(parent).isEmpty)
    #expect(try await rig.store.outboxPositions(parent).isEmpty)
  }

  @Test("Skipped numbers are accepted")
  func skips() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = [
      DeliveryItem(skipping: 1...3), rig.item(4, .message("after"), from: parent), DeliveryItem(skipping: 5...9),
    ]
    #expect(try await rig.receive(items, from: parent).appliedCommands == 1)
    #expect(try await rig.store.inboxPositions(parent).map(\.through) == [9])
    #expect(try await rig.receive([rig.item(10, .message("next"), from: parent)], from: parent).appliedCommands == 1)
  }

  @Test("A new epoch begins at 1, and a command with a known ID gets the same receipt and has no effect")
  func epochs() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let item = rig.item(1, .message("once"), from: parent)
    let first = try await rig.receive([item], from: parent)
    let again = try await rig.receive([item], epoch: 8, from: parent)
    #expect((first.appliedCommands, again.appliedCommands) == (1, 0))
    #expect(again.changes.count == 1)
    #expect(try await rig.store.messages(limit: 20).count == 1)
    let receipts = try await rig.store.load(
      parent, .receipt, epoch: try #require(again.changes.first).epoch, from: 1, items: 10, bytes: 10_000)
    #expect(receipts.count == 2)
    #expect(receipts.first?.body == receipts.last?.body)
    #expect(try await rig.store.inboxPositions(parent).map(\.epoch) == [8])
  }

  @Test("A malformed body, a foreign author and a child's command get a receipt with the reason")
  func faults() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    var damaged = rig.item(1, .message("x"), from: parent)
    damaged.body = [0xFF, 1, 2]
    let forged = rig.item(2, .message("x"), from: rig.own)
    let whole = rig.item(3, .message("whole"), from: parent)
    let result = try await rig.receive([damaged, forged, whole], from: parent)
    #expect((result.appliedCommands, result.faults.count) == (1, 2))
    #expect(try await rig.store.messages(limit: 20).map(\.text) == ["whole"])
    let child = try await rig.paired(.child)
    let impudent = try await rig.store.receive(
      [ItemRun(streamClass: .command, epoch: 7, items: [rig.item(1, .message("x"), from: child)])], from: child,
      role: .child, enforcement: .recorded, at: 4)
    #expect((impudent.appliedCommands, impudent.faults.count) == (0, 1))
    for (device, count) in [(parent, 3), (child, 1)] {
      let position = try #require(try await rig.store.outboxPositions(device)[.receipt])
      let receipts = try await rig.store.load(
        device, .receipt, epoch: position.epoch, from: 1, items: 10, bytes: 10_000)
      let failed = try receipts.map { try MessageBodyCoding().receipt($0.body).outcome }.filter {
        if case .failed(let reason) = $0 { !reason.english.isEmpty } else { false }
      }
      #expect(receipts.count == count)
      #expect(failed.count == (device == parent ? 2 : 1))
    }
  }

  @Test("The later of two edits of one register wins, in whatever order they arrive")
  func laterEditHolds() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    func edit(_ value: String, _ wall: Int64, _ counter: UInt32) -> Register {
      Register(.family, "lock", value, modified: HybridTimestamp(wall: wall, counter: counter, author: parent))
    }
    let (newer, older) = (edit("on", 100, 0), edit("off", 99, 5))
    let items = [newer, older].enumerated().map {
      rig.item(UInt64($0.offset + 1), CommandPayload(Edit([$0.element])), from: parent)
    }
    _ = try await rig.receive(items, from: parent)
    #expect(try await rig.store.registers().registers(in: .family) == [newer])
  }

  @Test("A usage record counts once, and only from the device that was used")
  func usage() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired(.child)
    let record = try rig.session(child, start: 10, end: 20)
    let foreign = try rig.session(rig.own, start: 10, end: 20)
    let items = [record, record, foreign].enumerated().map { index, record in
      DeliveryItem(
        sequence: UInt64(index + 1), kind: .usageRecord, itemID: record.recordID.bytes,
        body: MessageBodyCoding().encode(record))
    }
    let result = try await rig.store.receive(
      [ItemRun(streamClass: .usage, epoch: 3, items: items)], from: child, role: .child, enforcement: .recorded, at: 4)
    #expect((result.usageRecords, result.faults.count) == (1, 1))
    #expect(try await rig.store.usageCount(device: child) == 1)
    #expect(try await rig.store.usageCount(device: rig.own) == 0)
  }
}
