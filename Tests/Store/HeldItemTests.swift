import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests that numbers which were assigned twice are detected by the last item that the other side
/// holds.
@Suite struct HeldItemTests {
  private func hello(_ epoch: UInt64, _ through: UInt64, _ held: HeldItem) -> Hello {
    Hello(
      runID: [UInt8](repeating: 1, count: 16), name: "x", role: .child, outgoing: [],
      incoming: [StreamPosition(streamClass: .command, epoch: epoch, through: through)], held: [held],
      keyID: [UInt8](repeating: 9, count: 8))
  }

  @Test("The last item in force is stored with the watermark, through skips, restarts and other epochs")
  func theReceiver() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = [rig.item(1, .message("a"), from: parent), rig.item(2, .message("b"), from: parent)]
    _ = try await rig.receive(items + [DeliveryItem(skipping: 3...6)], from: parent)
    let expected = HeldItem(streamClass: .command, sequence: 2, itemID: items[1].itemID)
    #expect(try await rig.store.heldItems(parent) == [expected])
    _ = try await rig.receive([DeliveryItem(skipping: 7...9)], from: parent)
    try rig.reopen()
    #expect(try await rig.store.heldItems(parent) == [expected])
    _ = try await rig.receive([DeliveryItem(skipping: 1...1)], epoch: 8, from: parent)
    #expect(try await rig.store.heldItems(parent).isEmpty)
  }

  @Test(
    "A restored sender sees that the other side has a different item of its number, and only a restored one does")
  func theSender() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    var items: [CommandID] = []
    var epoch: UInt64 = 0
    for index in 1...6 {
      let (command, change) = try await rig.command(.message("\(index)"), to: child)
      items.append(command.commandID)
      epoch = change.epoch
    }
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: epoch, through: 3), at: 11)
    func foreign(_ sequence: UInt64, _ id: [UInt8]) async throws -> Bool {
      try await rig.store.foreign(
        child, hello(epoch, sequence, HeldItem(streamClass: .command, sequence: sequence, itemID: id)))
        == [.command]
    }
    let stranger = [UInt8](repeating: 9, count: 16)
    for number in [3, 4, 6] {
      #expect(try await !foreign(UInt64(number), items[number - 1].bytes))
      #expect(try await foreign(UInt64(number), stranger))
    }
    // A withdrawn number says nothing, since the other side may have stored it before.
    _ = try await rig.store.cancel(items[4], at: 12)
    #expect(try await !foreign(5, items[4].bytes))
    #expect(try await !foreign(5, stranger))
    // Beyond the assigned numbers, the number itself is proof.
    #expect(try await !foreign(7, stranger))
    #expect(
      try await rig.store.foreign(
        child, hello(epoch &+ 1, 3, HeldItem(streamClass: .command, sequence: 3, itemID: stranger))
      ).isEmpty)
  }

  @Test("A child that lost its data gets the executed commands again, and those that it has not answered")
  func everythingAgain() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    var executed: [ConfigurationCommand] = []
    for wall in 1...2 {
      let register = Register(
        .family, "lock", "on", modified: HybridTimestamp(wall: Int64(wall), counter: 0, author: rig.own))
      let (command, change) = try await rig.command(CommandPayload(Edit([register])), to: child, expiresAfter: 0)
      executed.append(command)
      try await rig.store.forget(
        child, StreamPosition(streamClass: .command, epoch: change.epoch, through: change.last), at: 11)
    }
    let (message, change) = try await rig.command(.message("done"), to: child)
    executed.append(message)
    let (open, last) = try await rig.command(.message("not answered"), to: child)
    try await rig.store.forget(
      child, StreamPosition(streamClass: .command, epoch: last.epoch, through: last.last), at: 12)
    #expect(change.last + 1 == last.last)
    let receipts = executed.map {
      CommandReceipt(commandID: $0.commandID, outcome: .executed($0.payload.answer), at: 3)
    }
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .receipt, epoch: 5, items: receipts.enumerated().map { rig.receipt(UInt64($0 + 1), $1) })
      ], from: child, role: .child, enforcement: .recorded, at: 13)
    for command in executed { #expect(try await rig.store.command(command.commandID)?.status == .executed) }

    _ = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 14)
    let items = try await rig.store.load(child, .command, epoch: 99, from: 1, items: 9, bytes: 100_000)
    let again = (executed + [open]).map(\.commandID)
    #expect(items.map(\.itemID) == again.map(\.bytes))
    // The lost commands no longer count as executed.
    for id in again { #expect(try await rig.store.command(id)?.status == .queued) }
  }

  @Test("A command that was stored in time, not answered, and is sent again after a loss does not expire")
  func whatWasStoredInTimeStays() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let (command, change) = try await rig.command(.message("in time"), to: child, expiresAfter: 4_000)
    try await rig.store.forget(child, StreamPosition(streamClass: .command, epoch: change.epoch, through: 1), at: 11)
    rig.clock.advance(86_400_000)
    let position = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 14)
    #expect(try await rig.store.expireDue(at: 15).isEmpty)
    #expect(position.last == 1)
    #expect(try await rig.store.command(command.commandID)?.status == .queued)
  }

  @Test("A window of commands is answered completely even if a cap is below it")
  func answersToAWindow() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 16))
    let parent = try await rig.paired(.parent)
    let items = (1...40).map { rig.item(UInt64($0), .message("\($0)"), from: parent) }
    let result = try await rig.receive(items, from: parent)
    #expect(result.appliedCommands == 40)
    #expect(try await rig.store.queues(parent, at: 5).first?.waitingItems == 40)
  }

  @Test("A parent that lost receipts gets the last of them again, each once")
  func receiptsAgain() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let items = (1...5).map { rig.item(UInt64($0), .message("\($0)"), from: parent) }
    let result = try await rig.receive(items, from: parent)
    let epoch = try #require(result.changes.last?.epoch)
    try await rig.store.forget(parent, StreamPosition(streamClass: .receipt, epoch: epoch, through: 4), at: 5)
    _ = try await rig.store.restart(parent, .receipt, epoch: 9, cause: .peerLost(after: 2), at: 6)
    let again = try await rig.store.load(parent, .receipt, epoch: 9, from: 1, items: 20, bytes: 100_000)
    // The two commands that it has lost, and the one that is still pending.
    #expect(again.count == 3)
    #expect(Set(again.map(\.itemID)) == Set(items[2...].map(\.itemID)))
  }
}
