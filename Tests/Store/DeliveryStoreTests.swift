import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Testing

/// Tests of streams in the database: numbers, duplicates, epochs, receipts.
@Suite struct DeliveryStoreTests {
  private let parent = Fixed.device(1)
  private let child = Fixed.device(2)
  private let coding = MessageBodyCoding()

  /// Creates the stores of a parent and a child that are paired.
  private func family() async throws -> (parent: TestStore, child: TestStore) {
    let pair = (parent: try TestStore(own: parent), child: try TestStore(own: child))
    try await pair.parent.pair(child, role: .child)
    try await pair.child.pair(parent, role: .parent)
    return pair
  }

  private func run(_ items: [DeliveryItem], _ streamClass: StreamClass, epoch: UInt64 = 5) -> ItemRun {
    ItemRun(streamClass: streamClass, epoch: epoch, items: items)
  }

  @Test func numbersHaveNoGapsAndOutliveARestart() async throws {
    let family = try await family()
    for number in 1...3 { _ = try await family.parent.send("m\(number)", to: child, number: UInt8(number)) }
    try family.parent.reopen()
    _ = try await family.parent.send("m4", to: child, number: 4)
    #expect(try await family.parent.waiting(child, .command).map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func whatComesTwiceTakesEffectOnce() async throws {
    let family = try await family()
    for number in 1...3 { _ = try await family.parent.send("m\(number)", to: child, number: UInt8(number)) }
    let items = try await family.parent.waiting(child, .command)
    let store = family.child.store
    let first = try await store.receive(
      [run(items, .command)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    #expect(first.appliedCommands == 3)
    let second = try await store.receive(
      [run(items, .command)], from: parent, role: .parent, enforcement: .recorded, at: 2)
    #expect(second.appliedCommands == 0 && second.changes.isEmpty)
    // A sender that was restored from a backup sends the same items in a new epoch: the same
    // receipts, no second effect.
    let third = try await store.receive(
      [run(items, .command, epoch: 6)], from: parent, role: .parent, enforcement: .recorded, at: 3)
    #expect(third.appliedCommands == 0 && third.changes.count == 3)
    #expect(try await store.messages(limit: 10).count == 3)
    #expect(try await store.inboxPositions(parent) == [StreamPosition(streamClass: .command, epoch: 6, through: 3)])
  }

  @Test func aGapIsRefusedAndChangesNothing() async throws {
    let family = try await family()
    for number in 1...3 { _ = try await family.parent.send("m\(number)", to: child, number: UInt8(number)) }
    let items = try await family.parent.waiting(child, .command)
    await #expect(throws: StoreError.self) {
      _ = try await family.child.store.receive(
        [run([items[0], items[2]], .command)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    }
    #expect(try await family.child.store.messages(limit: 10).isEmpty)
    #expect(try await family.child.store.inboxPositions(parent).isEmpty)
  }

  @Test func aBadPayloadFailsWithAReasonAndTheStreamGoesOn() async throws {
    let family = try await family()
    let good = try await family.parent.send("good", to: child, number: 2)
    var items = try await family.parent.waiting(child, .command)
    let bad = Fixed.command(77)
    items.insert(DeliveryItem(sequence: 1, kind: .command, itemID: bad.bytes, body: [0xFF, 0xFF, 0xFF]), at: 0)
    items[1].sequence = 2
    items[1].skipThrough = 2
    let result = try await family.child.store.receive(
      [run(items, .command)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    #expect(result.appliedCommands == 1 && result.faults.count == 1)
    let receipts = try await family.child.waiting(parent, .receipt).map { try coding.receipt($0.body) }
    #expect(receipts.map(\.commandID) == [bad, good])
    guard case .failed(let reason) = receipts[0].outcome else {
      return #expect(Bool(false), "the bad one did not fail")
    }
    #expect(!reason.english.isEmpty)
    #expect(receipts[1].outcome == .executed(.messageStored))
  }

  @Test func onlyAParentsCommandsAreTaken() async throws {
    let family = try await family()
    _ = try await family.parent.send("m", to: child, number: 1)
    let items = try await family.parent.waiting(child, .command)
    let result = try await family.child.store.receive(
      [run(items, .command)], from: parent, role: .child, enforcement: .recorded, at: 1)
    #expect(result.appliedCommands == 0 && result.changes.count == 1)
  }

  @Test func aReceiptMakesACommandExecuted() async throws {
    let family = try await family()
    let id = try await family.parent.send("m", to: child, number: 1)
    let items = try await family.parent.waiting(child, .command)
    _ = try await family.child.store.receive(
      [run(items, .command)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    let position = try #require(try await family.parent.store.outboxPositions(child)[.command])
    try await family.parent.store.forget(
      child, StreamPosition(streamClass: .command, epoch: position.epoch, through: 1), at: 2)
    #expect(try await family.parent.store.command(id)?.status == .stored)
    #expect(try await family.parent.waiting(child, .command).isEmpty)
    let receipts = try await family.child.waiting(parent, .receipt)
    let result = try await family.parent.store.receive(
      [run(receipts, .receipt)], from: child, role: .child, enforcement: .recorded, at: 3)
    #expect(result.commands == [id])
    #expect(try await family.parent.store.command(id)?.status == .executed)
    #expect(try await family.parent.store.command(id)?.stateInForce == .messageStored)
  }

  @Test func aCancelledCommandTravelsAsASkip() async throws {
    let family = try await family()
    _ = try await family.parent.send("one", to: child, number: 1)
    let id = try await family.parent.send("two", to: child, number: 2)
    _ = try await family.parent.send("three", to: child, number: 3)
    let cancelled = try await family.parent.store.cancel(id, at: 5)
    #expect(cancelled?.command.status == .cancelled && cancelled?.wasCancelled == true)
    let items = try await family.parent.waiting(child, .command)
    #expect(items.map(\.kind) == [.command, .skip, .command])
    _ = try await family.child.store.receive(
      [run(items, .command)], from: parent, role: .parent, enforcement: .recorded, at: 1)
    #expect(Set(try await family.child.store.messages(limit: 10).map(\.text)) == ["one", "three"])
    // A second cancellation is distinguished from the first.
    #expect(try await family.parent.store.cancel(id, at: 6)?.wasCancelled == false)
  }

  @Test func aRestartedStreamKeepsWhatWaitsAndWhatIsUnanswered() async throws {
    let family = try await family()
    for number in 1...4 { _ = try await family.parent.send("m\(number)", to: child, number: UInt8(number)) }
    let old = try #require(try await family.parent.store.outboxPositions(child)[.command])
    try await family.parent.store.forget(
      child, StreamPosition(streamClass: .command, epoch: old.epoch, through: 2), at: 2)
    let position = try await family.parent.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 3)
    #expect(position == OutboxPosition(epoch: 99, storedThrough: 0, last: 4))
    let texts = try await family.parent.waiting(child, .command).map { item in
      try coding.command(item.body).payload
    }
    #expect(texts == [.message("m1"), .message("m2"), .message("m3"), .message("m4")])
  }

  @Test func usageArrivingTwiceIsOneRow() async throws {
    let family = try await family()
    let record = Fixed.usage(3, device: child)
    _ = try await family.child.store.record([record, record], at: 1)
    let items = try await family.child.waiting(parent, .usage)
    #expect(items.count == 1)
    let first = try await family.parent.store.receive(
      [run(items, .usage)], from: child, role: .child, enforcement: .recorded, at: 1)
    let again = try await family.parent.store.receive(
      [run(items, .usage, epoch: 8)], from: child, role: .child, enforcement: .recorded, at: 2)
    #expect(first.usageRecords == 1 && again.usageRecords == 0)
    #expect(try await family.parent.store.usageCount(device: child) == 1)
  }

  @Test func usageOfAnotherDeviceIsNotTaken() async throws {
    let family = try await family()
    let record = Fixed.usage(3, device: Fixed.device(5))
    let item = DeliveryItem(
      sequence: 1, kind: .usageRecord, itemID: record.recordID.bytes, body: coding.encode(record))
    let result = try await family.parent.store.receive(
      [run([item], .usage)], from: child, role: .child, enforcement: .recorded, at: 1)
    #expect(result.usageRecords == 0 && result.faults.count == 1)
    // The item does not hold up the stream.
    #expect(try await family.parent.store.inboxPositions(child).first?.through == 1)
  }
}
