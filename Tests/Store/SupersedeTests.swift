import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that only the newer of two commands for one thing is sent.
@Suite struct SupersedeTests {
  private let rig: StoreRig
  private let child: DeviceID

  init() async throws {
    rig = try StoreRig()
    child = try await rig.paired()
  }

  private func rule(_ wall: Int64, app: String = "org.example.One") throws -> CommandPayload {
    .sample(SampleRule(app, level: wall, modified: HybridTimestamp(wall: wall, counter: 0, author: rig.own)))
  }

  private func waiting() async throws -> [DeliveryItem] {
    let position = try #require(try await rig.store.outboxPositions(child)[.command])
    return try await rig.store.load(
      child, .command, epoch: position.epoch, from: position.storedThrough + 1, items: 100, bytes: 1 << 20)
  }

  @Test("Only the newest setting of each application waits; the others become empty numbers, and are counted")
  func theNewestOfEachThing() async throws {
    var ids: [CommandID] = []
    for wall in 1...5 {
      ids.append(try await rig.command(try rule(Int64(wall)), to: child).0.commandID)
      ids.append(try await rig.command(try rule(Int64(wall), app: "org.example.Two"), to: child).0.commandID)
    }
    let removal = try await rig.command(.sample(.removal(of: "org.example.Two", modified: .never)), to: child)
      .0.commandID
    let message = try await rig.command(.message("one-shot"), to: child).0.commandID
    let other = try await rig.command(.message("another"), to: child).0.commandID
    #expect(try await waiting().map(\.kind) == [.skip, .command, .skip, .command, .command, .command])
    #expect(
      try await waiting().filter { $0.kind == .command }.map(\.itemID)
        == [ids[8], removal, message, other].map(\.bytes))
    #expect(try await waiting().last?.sequence == 13)
    for id in ids where id != ids[8] {
      let command = try #require(try await rig.store.command(id))
      #expect(command.status == .superseded)
      #expect(command.reason?.isEmpty == false)
    }
    let queue = try #require(try await rig.store.queues(child, at: 20).first)
    #expect(queue.waitingItems == 4)
    #expect(queue.undelivered == [QueueTally(fate: .superseded, items: 9, lastAt: 10)])
    #expect(queue.waitingBytes == Int64(try await waiting().filter { $0.kind == .command }.reduce(0) { $0 + $1.cost }))
  }

  @Test(
    "Commands that the child has stored are not replaced, and family settings replace each other for each child separately"
  )
  func whatIsStoredStays() async throws {
    let other = try await rig.paired()
    let (first, change) = try await rig.command(.sample(SampleRule("family", level: 1, modified: .never)), to: child)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    let (second, _) = try await rig.command(.sample(SampleRule("family", level: 2, modified: .never)), to: child)
    let (elsewhere, _) = try await rig.command(.sample(SampleRule("family", level: 3, modified: .never)), to: other)
    #expect(try await rig.store.command(first.commandID)?.status == .stored)
    #expect(try await rig.store.command(second.commandID)?.status == .queued)
    #expect(try await rig.store.command(elsewhere.commandID)?.status == .queued)
    #expect(try await waiting().map(\.itemID) == [second.commandID.bytes])
  }

  @Test("A command that was replaced in flight and executed is reported as executed")
  func theChildHasTheLastWord() async throws {
    let (first, _) = try await rig.command(try rule(1), to: child)
    _ = try await rig.command(try rule(2), to: child)
    #expect(try await rig.store.command(first.commandID)?.status == .superseded)
    guard let set = first.payload.as(SetSample.self)?.rule else { return }
    let receipt = CommandReceipt(commandID: first.commandID, outcome: .executed(.sample(set, .recorded)), at: 3)
    for sequence in [UInt64(1), 2] {
      _ = try await rig.store.receive(
        [ItemRun(streamClass: .receipt, epoch: 5, items: [rig.receipt(sequence, receipt)])], from: child, role: .child,
        enforcement: .recorded, at: 12)
      #expect(try await rig.store.command(first.commandID)?.status == .executed)
    }
  }
}
