import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of every transition of a peer's state.
@Suite struct PairingStateTests {
  private func state(_ rig: StoreRig, _ device: RegisteredDevice) async throws -> PeerRecord? {
    try await rig.store.peers().first { $0.device.deviceID == device.deviceID }
  }

  private func pend(_ rig: StoreRig, _ device: RegisteredDevice, key: UInt8, invitation: String? = nil) async throws {
    try await rig.store.savePending(
      device, pairwiseKey: [UInt8](repeating: key, count: 32), invitation: invitation, bootID: "boot",
      now: BootInstant(milliseconds: 5))
  }

  private func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

  @Test("A first pairing is pending, then active, and leaves no trace if it is rolled back")
  func first() async throws {
    let rig = try StoreRig()
    let device = rig.device()
    try await pend(rig, device, key: 1)
    let pending = try #require(try await state(rig, device))
    #expect(pending.state == .pending)
    #expect(pending.sessionKey == key(1))
    #expect(pending.pendingSince == BootInstant(milliseconds: 5))
    try await rig.store.discardPending(device.deviceID)
    #expect(try await state(rig, device) == nil)
    #expect(try await rig.store.promote(device.deviceID, at: 1) == false)

    try await pend(rig, device, key: 2)
    try rig.reopen()
    #expect(try await rig.store.promote(device.deviceID, at: 9))
    let active = try #require(try await state(rig, device))
    #expect(active.state == .active)
    #expect(active.sessionKey == key(2))
    #expect(active.pendingKey == nil && active.pendingSince == nil)
    #expect(active.device.pairedAt == 9)
    // Neither a second promotion nor a late roll-back changes the device.
    #expect(try await rig.store.promote(device.deviceID, at: 10) == false)
    try await rig.store.discardPending(device.deviceID)
    #expect(try await state(rig, device) == active)
  }

  @Test("A new pairing of an active device keeps the old key and its streams until the new key is confirmed")
  func again() async throws {
    let rig = try StoreRig()
    let device = rig.device()
    try await pend(rig, device, key: 1)
    _ = try await rig.store.promote(device.deviceID, at: 1)
    try await rig.command(to: device.deviceID)
    try await pend(rig, device, key: 2)
    let pending = try #require(try await state(rig, device))
    #expect((pending.state, pending.pairwiseKey, pending.sessionKey) == (.active, key(1), key(2)))
    try await rig.store.discardPending(device.deviceID)
    #expect(try await state(rig, device)?.sessionKey == key(1))
    try await pend(rig, device, key: 3)
    #expect(try await rig.store.promote(device.deviceID, at: 2))
    #expect(try await state(rig, device)?.sessionKey == key(3))
    #expect(try await rig.store.outboxPositions(device.deviceID)[.command]?.last == 1)
  }

  @Test(
    "A removed device keeps its key until it has been told, its commands are cancelled, and its streams are closed")
  func removal() async throws {
    let rig = try StoreRig()
    let device = rig.device()
    try await pend(rig, device, key: 1)
    _ = try await rig.store.promote(device.deviceID, at: 1)
    let (command, _) = try await rig.command(to: device.deviceID)
    let removed = try await rig.store.remove(device.deviceID, removal: [1, 2, 3], itemID: rig.random.bytes(16), at: 2)
    #expect(removed.cancelled == [command.commandID])
    #expect(removed.change?.streamClass == .control)
    #expect(try await rig.store.command(command.commandID)?.status == .cancelled)
    let untold = try #require(try await state(rig, device))
    #expect((untold.state, untold.sessionKey, untold.device.state) == (.removedUntold, key(1), .removed))
    #expect(try await rig.store.outboxPositions(device.deviceID).keys.sorted() == [.control])
    await #expect(throws: StoreError.noSuchPeer) { try await rig.command(to: device.deviceID) }
    try rig.reopen()
    try await rig.store.removalTold(device.deviceID)
    let gone = try #require(try await state(rig, device))
    #expect((gone.state, gone.sessionKey, gone.pairwiseKey) == (.removed, nil, key(0)))
    #expect(try await rig.store.outboxPositions(device.deviceID).isEmpty)
  }

  @Test("A device removed without notice has no key immediately", arguments: [true, false])
  func pairedAfterRemoval(wasTold: Bool) async throws {
    let rig = try StoreRig()
    let device = rig.device()
    try await pend(rig, device, key: 1)
    _ = try await rig.store.promote(device.deviceID, at: 1)
    let removal: [UInt8]? = wasTold ? nil : [1]
    _ = try await rig.store.remove(device.deviceID, removal: removal, itemID: rig.random.bytes(16), at: 2)
    #expect(try await state(rig, device)?.sessionKey == (wasTold ? nil : key(1)))
    // A new pairing that is rolled back leaves the device removed.
    try await pend(rig, device, key: 2)
    #expect(try await state(rig, device)?.sessionKey == key(2))
    try await rig.store.discardPending(device.deviceID)
    #expect(try await state(rig, device)?.state == (wasTold ? .removed : .removedUntold))
    try await pend(rig, device, key: 3)
    #expect(try await rig.store.promote(device.deviceID, at: 3))
    let active = try #require(try await state(rig, device))
    #expect((active.state, active.sessionKey, active.device.state) == (.active, key(3), .active))
    // Nothing from before is sent in the new pairing, and the removal least of all.
    #expect(try await rig.store.outboxPositions(device.deviceID).isEmpty)
    #expect(try await rig.store.peers().count == 1)
  }

  @Test("A received removal closes all streams, and later items are refused")
  func removedByPeer() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    _ = try await rig.receive([rig.item(1, .message("before"), from: parent)], from: parent)
    let removal = DeliveryItem(sequence: 1, kind: .removal, itemID: rig.random.bytes(16), body: [1])
    let result = try await rig.store.receive(
      [
        ItemRun(streamClass: .control, epoch: 1, items: [removal]),
        ItemRun(streamClass: .command, epoch: 7, items: [rig.item(2, .message("after"), from: parent)]),
      ], from: parent, role: .parent, enforcement: .recorded, at: 5)
    #expect(result.wasRemoved)
    #expect(try await rig.store.messages(limit: 9).map(\.text) == ["before"])
    let record = try #require(try await rig.store.peers().first)
    #expect((record.state, record.sessionKey) == (.removed, nil))
    #expect(try await rig.store.outboxPositions(parent).isEmpty)
    #expect(try await rig.store.inboxPositions(parent).isEmpty)
  }

  @Test("A device that is removed twice is told once, in the stream of the first removal")
  func removedTwice() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    func remove() async throws -> RemovalResult {
      try await rig.store.remove(child, removal: [1], itemID: rig.random.bytes(16), at: 2)
    }
    #expect(try await remove().change != nil)
    let positions = try await rig.store.outboxPositions(child)
    #expect(try await remove().change == nil)
    #expect(try await rig.store.outboxPositions(child) == positions)
    try await rig.store.removalTold(child)
    await #expect(throws: StoreError.noSuchPeer) { try await remove() }
    #expect(try await rig.store.peers().first?.state == .removed)
  }

  private func receiveRemoval(_ rig: StoreRig, _ parent: DeviceID, in key: [UInt8]) async throws -> InboxResult {
    let removal = DeliveryItem(sequence: 1, kind: .removal, itemID: rig.random.bytes(16), body: [1])
    return try await rig.store.receive(
      [ItemRun(streamClass: .control, epoch: 1, items: [removal])], from: parent, role: .parent, in: key,
      enforcement: .recorded, at: 5)
  }

  @Test("A removal in flight during a new pairing does not end the new pairing")
  func removalOfAnEarlierPairing() async throws {
    let rig = try StoreRig()
    let parent = rig.device(.parent)
    try await pend(rig, parent, key: 1)
    _ = try await rig.store.promote(parent.deviceID, at: 1)
    try await pend(rig, parent, key: 2)
    _ = try await rig.store.promote(parent.deviceID, at: 2)
    await #expect(throws: StoreError.noSuchPeer) { try await receiveRemoval(rig, parent.deviceID, in: key(1)) }
    #expect(try await state(rig, parent)?.state == .active)
    #expect(try await receiveRemoval(rig, parent.deviceID, in: key(2)).wasRemoved)
    #expect(try await state(rig, parent)?.state == .removed)
  }

  @Test("A removal received during a new pairing does not affect it")
  func removalBesideAHalfMadePairing() async throws {
    let rig = try StoreRig()
    let parent = rig.device(.parent)
    try await pend(rig, parent, key: 1)
    _ = try await rig.store.promote(parent.deviceID, at: 1)
    try await pend(rig, parent, key: 2)
    #expect(try await receiveRemoval(rig, parent.deviceID, in: key(1)).wasRemoved)
    let removed = try #require(try await state(rig, parent))
    #expect((removed.state, removed.sessionKey, removed.pairwiseKey) == (.removed, key(2), key(0)))
    try rig.reopen()
    #expect(try await rig.store.promote(parent.deviceID, at: 6))
    #expect(try await state(rig, parent)?.state == .active)
  }

  @Test("A removal by the other side of an incomplete pairing leaves no trace of it")
  func removalOfAHalfMadePairing() async throws {
    let rig = try StoreRig()
    let parent = rig.device(.parent)
    try await pend(rig, parent, key: 1)
    #expect(try await receiveRemoval(rig, parent.deviceID, in: key(1)).wasRemoved)
    #expect(try await state(rig, parent) == nil)
  }

  @Test("Items in a session of an incomplete pairing take effect immediately, since its key proves the pairing")
  func itemsOfAHalfMadePairing() async throws {
    let rig = try StoreRig()
    let parent = rig.device(.parent)
    try await pend(rig, parent, key: 1)
    let result = try await rig.receive([rig.item(1, .message("m"), from: parent.deviceID)], from: parent.deviceID)
    #expect(result.appliedCommands == 1)
    #expect(try await state(rig, parent)?.state == .pending)
  }

  @Test(
    "Codes: failures survive a restart, the fifth closes the code, a success uses it up, and secrets are overwritten")
  func invitations() async throws {
    let rig = try StoreRig()
    func invite(_ id: String) async throws {
      try await rig.store.save(
        InvitationRecord(
          pairingID: id, discriminator: 7, secret: [UInt8](repeating: 9, count: 16),
          typedSecret: [UInt8](repeating: 9, count: 6), minutes: 5, childName: "Emma",
          acceptsWithoutAsking: true, bootID: "boot", openedAt: BootInstant(milliseconds: 1)))
    }
    try await invite("guessed")
    for failures in 1...3 { #expect(try await rig.store.countFailure("guessed") == failures) }
    try rig.reopen()
    let open = try #require(try await rig.store.openInvitations().first)
    #expect((open.failures, open.secret, open.childName) == (3, [UInt8](repeating: 9, count: 16), "Emma"))
    for failures in 4...5 { #expect(try await rig.store.countFailure("guessed") == failures) }
    #expect(try await rig.store.openInvitations().isEmpty)
    // A closed code counts as used up by guesses, and stays closed.
    #expect(try await rig.store.countFailure("guessed") == 5)
    #expect(try await rig.store.countFailure("never there") == 5)

    try await invite("used")
    let device = rig.device()
    try await pend(rig, device, key: 1, invitation: "used")
    #expect(try await rig.store.openInvitations().count == 1)
    #expect(try await rig.store.promote(device.deviceID, at: 1))
    #expect(try await rig.store.openInvitations().isEmpty)
    try await invite("cancelled")
    try await rig.store.close("cancelled", .cancelled)
    try await rig.store.close("cancelled", .ok)
    let rows = try rig.look { database in
      try Row.fetchAll(
        database, sql: "SELECT pairing_id, outcome, secret = zeroblob(16) AS erased FROM invitation ORDER BY 1"
      )
      .map { "\($0["pairing_id"] as String) \($0["outcome"] as String) \($0["erased"] as Bool)" }
    }
    #expect(rows == ["cancelled cancelled true", "guessed wrong-code true", "used ok true"])
  }

  @Test(
    "A code pairs one device: a half-paired one is replaced by the next, and a closed code pairs none")
  func oneDeviceEach() async throws {
    let rig = try StoreRig()
    try await rig.store.save(
      InvitationRecord(
        pairingID: "code", discriminator: 7, secret: [UInt8](repeating: 9, count: 16),
        typedSecret: [UInt8](repeating: 9, count: 6), minutes: 5, childName: nil, acceptsWithoutAsking: true,
        bootID: "boot", openedAt: BootInstant(milliseconds: 1)))
    #expect(try await rig.store.openInvitations().first?.pendingDevice == nil)
    let (first, second, third) = (rig.device(), rig.device(), rig.device())
    try await pend(rig, first, key: 1, invitation: "code")
    try await pend(rig, first, key: 2, invitation: "code")
    // A restart finds the device that the code left half paired.
    try rig.reopen()
    #expect(try await rig.store.openInvitations().first?.pendingDevice == first.deviceID)
    try await pend(rig, second, key: 3, invitation: "code")
    #expect(try await state(rig, first) == nil)
    #expect(try await rig.store.openInvitations().first?.pendingDevice == second.deviceID)
    // A session of the second device uses up the code, and another pending device is refused.
    #expect(try await rig.store.promote(second.deviceID, at: 2))
    #expect(try await rig.store.promote(first.deviceID, at: 2) == false)
    await #expect(throws: StoreError.self) { try await pend(rig, third, key: 4, invitation: "code") }
    #expect(try await rig.store.peers().map(\.device.deviceID) == [second.deviceID])
  }
}
