import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of restored machines: what is recorded, for how long, and which commands are sent again.
@Suite struct SetBackTests {
  /// Returns a command whose ID sorts after the earlier ones, as a node creates it.
  private func give(
    _ rig: StoreRig, _ payload: CommandPayload, to child: DeviceID
  ) async throws -> (ConfigurationCommand, OutboxChange) {
    let count = try await rig.store.commands(device: nil, limit: 1_000).count
    let id = CommandID(milliseconds: Int64(count), random: rig.random.bytes(10))
    let issued = try await rig.store.issue(id, to: child, at: 10) { _, _ in payload }
    return (issued.command, issued.change)
  }

  private func stored(_ rig: StoreRig, _ child: DeviceID, _ change: OutboxChange) async throws {
    try await rig.store.forget(
      child, StreamPosition(streamClass: .command, epoch: change.epoch, through: change.last), at: 11)
  }

  /// Answers commands with the next receipts of a child.
  private func execute(_ rig: StoreRig, _ child: DeviceID, _ ids: [CommandID], after count: Int = 0) async throws {
    var items: [DeliveryItem] = []
    for (index, id) in ids.enumerated() {
      let state: StateInForce =
        try #require(try await rig.store.command(id)).payload.answer
      items.append(
        rig.receipt(UInt64(count + index + 1), CommandReceipt(commandID: id, outcome: .executed(state), at: 3)))
    }
    _ = try await rig.store.receive(
      [ItemRun(streamClass: .receipt, epoch: 5, items: items)], from: child, role: .child, enforcement: .recorded,
      at: 13)
  }

  @Test("Only items after the number that a child still has are sent again")
  func afterANumber() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    var ids: [CommandID] = []
    for number in 1...4 {
      let (command, change) = try await give(rig, .message("\(number)"), to: child)
      ids.append(command.commandID)
      try await stored(rig, child, change)
    }
    try await execute(rig, child, ids)
    let position = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 2), at: 14)
    #expect(position.last == 2)
    var status: [CommandStatus?] = []
    for id in ids { status.append(try await rig.store.command(id)?.status) }
    #expect(status == [.executed, .executed, .queued, .queued])
    let lost = try #require(try await rig.store.command(ids[2]))
    #expect(lost.reason?.hasSuffix("has lost data, so this is sent again.") == true)
    #expect(lost.reasonPhrase?.text == "{machine} has lost data, so this is sent again.")
    #expect(lost.stateInForce == nil)

    let (next, change) = try await give(rig, .message("5"), to: child)
    #expect(change.epoch == 99)
    try await stored(rig, child, change)
    try await execute(rig, child, [next.commandID], after: 4)
    #expect(try await rig.store.command(next.commandID)?.status == .executed)
    // A child that holds nothing at all has lost everything.
    _ = try await rig.store.restart(child, .command, epoch: 100, cause: .peerLost(after: 0), at: 15)
    #expect(try await rig.store.command(ids[0])?.status == .queued)
    #expect(try await rig.store.command(next.commandID)?.status == .queued)
  }

  @Test("A pending restart restarts no stream of a device that is removed meanwhile, except for the removal")
  func restartAfterARemoval() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let (command, change) = try await give(rig, .message("1"), to: child)
    try await stored(rig, child, change)
    try await execute(rig, child, [command.commandID])
    _ = try await rig.store.remove(child, removal: [1], itemID: rig.random.bytes(16), at: 14)
    for streamClass in [StreamClass.command, .receipt, .usage] {
      await #expect(throws: StoreError.noSuchPeer) {
        try await rig.store.restart(child, streamClass, epoch: 9, cause: .peerLost(after: 0), at: 15)
      }
    }
    #expect(try await rig.store.command(command.commandID)?.status == .executed)
    let control = try await rig.store.restart(child, .control, epoch: 9, cause: .peerIsAhead, at: 15)
    #expect((control.epoch, control.last) == (9, 1))
    #expect(try await rig.store.outboxPositions(child).keys.sorted() == [.control])
  }

  @Test("A message that is too old to be sent again is no longer shown as executed, with the reason")
  func tooOld() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let (old, change) = try await give(rig, .message("1"), to: child)
    try await stored(rig, child, change)
    rig.clock.advance(86_400_000)
    let (young, later) = try await give(rig, .message("2"), to: child)
    try await stored(rig, child, later)
    try await execute(rig, child, [old.commandID, young.commandID])
    let position = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 14)
    #expect(position.last == 1)
    let lost = try #require(try await rig.store.command(old.commandID))
    #expect(lost.status == .failed && lost.stateInForce == nil)
    #expect(
      lost.reason?.hasSuffix(
        "has lost data and no longer has this: give it again if it still matters.") == true)
    #expect(try await rig.store.command(young.commandID)?.status == .queued)
    // A command that is queued again expires at its original time.
    rig.clock.advance(86_400_000)
    #expect(try await rig.store.expireDue(at: 15) == [young.commandID])
  }

  @Test("A child that has an earlier epoch keeps the items of that epoch")
  func earlierEpoch() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let (first, change) = try await give(rig, .message("1"), to: child)
    let (second, last) = try await give(rig, .message("2"), to: child)
    try await stored(rig, child, last)
    try await execute(rig, child, [first.commandID, second.commandID])
    _ = try await rig.store.restart(child, .command, epoch: 99, cause: .peerIsAhead, at: 14)
    #expect(try await rig.store.command(second.commandID)?.status == .executed)
    let (third, later) = try await give(rig, .message("3"), to: child)
    try await stored(rig, child, later)
    try await execute(rig, child, [third.commandID], after: 2)
    let held = StreamPosition(streamClass: .command, epoch: change.epoch, through: 1)
    _ = try await rig.store.restart(child, .command, epoch: 100, cause: .peerLost(after: 0, earlier: held), at: 15)
    #expect(try await rig.store.command(first.commandID)?.status == .executed)
    #expect(try await rig.store.command(second.commandID)?.status == .queued)
    #expect(try await rig.store.command(third.commandID)?.status == .queued)
  }

  @Test("A repeated receipt for a command that counted as lost makes it executed again")
  func notLostAfterAll() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let register = Register(
      .family, "lock", "on", modified: HybridTimestamp(wall: 1, counter: 0, author: rig.own))
    var ids: [CommandID] = []
    for payload in [CommandPayload(Edit([register])), .message("1")] {
      let (command, change) = try await give(rig, payload, to: child)
      ids.append(command.commandID)
      try await stored(rig, child, change)
    }
    try await execute(rig, child, ids)
    _ = try await rig.store.restart(child, .command, epoch: 99, cause: .peerLost(after: 0), at: 14)
    for id in ids {
      let again = try #require(try await rig.store.command(id))
      #expect(again.status == .queued && again.reason?.hasSuffix("so this is sent again.") == true)
    }
    try await execute(rig, child, ids, after: 2)
    for id in ids {
      let command = try #require(try await rig.store.command(id))
      #expect(command.status == .executed && command.reason == nil)
    }
  }

  @Test("A parent reports that a child was restored until it answers a later request for a report, over restarts")
  func untilAReport() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let (early, change) = try await give(rig, .requestReport, to: child)
    try await stored(rig, child, change)
    try await execute(rig, child, [early.commandID])
    #expect(try await rig.store.overview().setBacks.isEmpty)
    for streamClass in [StreamClass.control, .command] {
      _ = try await rig.store.restart(child, streamClass, epoch: 99, cause: .peerLost(after: 0), at: 14)
    }
    for _ in 1...2 {
      #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerLost])
      try rig.reopen()
    }
    rig.clock.advance(30 * 86_400_000)
    let (late, next) = try await give(rig, .requestReport, to: child)
    try await stored(rig, child, next)
    #expect(try await rig.store.overview().setBacks.map(\.device) == [child])
    try await execute(rig, child, [late.commandID], after: 1)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    // A second restore is reported again.
    _ = try await rig.store.restart(child, .command, epoch: 101, cause: .peerLost(after: 0), at: 14)
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerLost])
    _ = try await rig.store.remove(child, removal: nil, itemID: [UInt8](repeating: 1, count: 16), at: 15)
    #expect(try await rig.store.overview().setBacks.isEmpty)
  }

  @Test("Streams that are unknown to this machine are reported once")
  func unknownStreams() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    func note(_ epoch: UInt64) async throws {
      try await rig.store.noteSetBack(
        child, holding: [StreamPosition(streamClass: .command, epoch: epoch, through: 3)], at: 1)
    }
    try await note(7)
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    let (report, change) = try await give(rig, .requestReport, to: child)
    try await stored(rig, child, change)
    try await execute(rig, child, [report.commandID])
    try await note(7)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    try await note(8)
    #expect(try await rig.store.overview().setBacks.count == 1)
  }

  @Test("A child's machine reports the restoration for a day of running time, over restarts and boots")
  func onAChild() async throws {
    let rig = try StoreRig()
    let parent = try await rig.connected(.parent)
    _ = try await rig.store.restart(parent, .usage, epoch: 77, cause: .peerLost(after: 0), at: 4)
    _ = try await rig.store.restart(parent, .receipt, epoch: 78, cause: .peerIsAhead, at: 4)
    rig.clock.advance(86_399_000)
    try rig.reopen()
    #expect(try await Set(rig.store.overview().setBacks.map(\.cause)) == [.peerLost, .peerIsAhead])
    rig.clock.advance(1_000)
    #expect(try await rig.store.overview().setBacks.isEmpty)
  }

  @Test("Differences in the first session after a pairing are explained by the pairing, and later ones are not")
  func explained() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let streams = [StreamPosition(streamClass: .command, epoch: 4, through: 9)]
    try await rig.store.noteSetBack(child, holding: streams, at: 10)
    _ = try await rig.store.restart(child, .usage, epoch: 8, cause: .peerLost(after: 0), at: 10)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    try await rig.store.seen(child, address: nil, synced: false, isSession: true, at: 11)
    // The same streams, and fewer of them, are no news.
    try await rig.store.noteSetBack(child, holding: streams, at: 12)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    let more = streams + [StreamPosition(streamClass: .control, epoch: 5, through: 1)]
    try await rig.store.noteSetBack(child, holding: more, at: 13)
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    _ = try await rig.store.restart(child, .usage, epoch: 9, cause: .peerLost(after: 0), at: 14)
    #expect(try await Set(rig.store.overview().setBacks.map(\.cause)) == [.peerLost, .peerIsAhead])
    // A new pairing settles both, and so does deleting the device.
    try await rig.pair(child, .child)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    try await rig.store.noteSetBack(child, holding: more, at: 15)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    try await rig.store.seen(child, address: nil, synced: false, isSession: true, at: 16)
    _ = try await rig.store.restart(child, .command, epoch: 10, cause: .peerIsAhead, at: 17)
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    _ = try await rig.store.remove(child, removal: nil, itemID: [], at: 18)
    try await rig.pair(child, .child)
    #expect(try await rig.store.overview().setBacks.isEmpty)
  }

  @Test("A parent that lost its state asks once, and keeps what it had set and the child tells of apart")
  func lost() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let maker = EditMaker(
      nextID: { CommandID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10)) },
      payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
    _ = try await rig.store.edit([RegisterChange(.family, "family/dayStart", "4")], maker, at: 10)
    let first = CommandID(milliseconds: 1_000, random: rig.random.bytes(10))
    #expect(try await !rig.store.askAfterSetBack(child, with: first), "nothing is missing")
    let streams = [StreamPosition(streamClass: .receipt, epoch: 4, through: 9)]
    try await rig.store.noteSetBack(child, holding: streams, at: 10)
    #expect(try await rig.store.askAfterSetBack(child, with: first))
    // A crash came in between, and no command was issued.
    let second = CommandID(milliseconds: 1_001, random: rig.random.bytes(10))
    #expect(try await rig.store.askAfterSetBack(child, with: second))
    let issued = try await rig.store.issue(second, to: child, at: 11) { _, _ in .requestReport }
    #expect(try await !rig.store.askAfterSetBack(child, with: first), "one is on its way")
    try await stored(rig, child, issued.change)

    let stranger = Samples.deviceID(&rig.random)
    func register(_ key: RegisterKey, _ value: String, _ author: DeviceID, _ wall: Int64) -> Register {
      Register(.family, key, value, modified: HybridTimestamp(wall: wall, counter: 0, author: author))
    }
    let lost = register("family/zone", "Europe/Berlin", rig.own, 51)
    let other = register("points/minimumSession", "5", stranger, 52)
    let known = register("family/dayStart", "3", rig.own, 2)
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 5,
          items: [
            DeliveryItem(
              sequence: 1, kind: .registers, itemID: rig.random.bytes(16),
              body: rig.coding.encode([lost, other, known]))
          ])
      ], from: child, role: .child, enforcement: .recorded, at: 13)
    // The child's statement is stored separately and changes nothing by itself. An older edit of
    // this machine's is not stored.
    #expect(try await rig.store.toldRegisters()[child]?.registers == [lost, other])
    #expect(try await rig.store.registers().registers.map(\.value) == ["4"])
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    try await execute(rig, child, [second])
    // Its answer to this machine's own question settles nothing; only a person does.
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    try await rig.store.settleSetBack(child, hasLost: true)
    #expect(try await rig.store.overview().setBacks.isEmpty)
    // A later edit here is later than the reported ones.
    let later = EditMaker(
      nextID: { CommandID(milliseconds: 2_000, random: [UInt8](repeating: 1, count: 10)) },
      payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
    _ = try await rig.store.edit([RegisterChange(.family, "family/zone", "UTC")], later, at: 1)
    let zone = try await rig.store.registers()[.family, "family/zone"]
    #expect(zone.map { $0.holds(over: lost) } == true)
  }

  @Test("Nothing is settled by taking over nothing before the child has said what it holds")
  func adoptedTooEarly() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    try await rig.store.settleSetBack(child, hasLost: false)
    try await rig.store.noteSetBack(
      child, holding: [StreamPosition(streamClass: .receipt, epoch: 4, through: 9)], at: 10)
    await #expect {
      try await rig.store.settleSetBack(child, hasLost: false)
    } throws: { "\($0)".contains("“Emma's PC” has not said yet what it holds") }
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    let (report, change) = try await give(rig, .requestReport, to: child)
    try await stored(rig, child, change)
    try await execute(rig, child, [report.commandID])
    try await rig.store.settleSetBack(child, hasLost: false)
    #expect(try await rig.store.overview().setBacks.isEmpty)
  }

  @Test("A machine whose own backup was used twice knows that it was set back, and the other was not")
  func restoredTwice() async throws {
    let rig = try StoreRig()
    let child = try await rig.connected()
    let (message, change) = try await give(rig, .message("one"), to: child)
    try await stored(rig, child, change)
    try await execute(rig, child, [message.commandID])
    // The child holds an epoch that was assigned after the backup was made.
    let unknown = StreamPosition(streamClass: .command, epoch: 4_711, through: 3)
    _ = try await rig.store.restart(child, .command, epoch: 50, cause: .peerLost(after: 0, earlier: unknown), at: 14)
    #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerIsAhead])
    #expect(try await rig.store.command(message.commandID)?.status == .executed, "the child has it")
    // An epoch that was assigned before is one to which the child was restored.
    for known in [change.epoch, 50] {
      _ = try await rig.store.remove(child, removal: nil, itemID: [], at: 15)
      try await rig.pair(child, .child)
      try await rig.store.seen(child, address: nil, synced: false, isSession: true, at: 16)
      let earlier = StreamPosition(streamClass: .command, epoch: known, through: 1)
      _ = try await rig.store.restart(
        child, .command, epoch: 60 + known % 7, cause: .peerLost(after: 0, earlier: earlier), at: 17)
      #expect(try await rig.store.overview().setBacks.map(\.cause) == [.peerLost])
    }
  }
}
