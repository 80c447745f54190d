import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of new keys for the remaining devices.
@Suite struct RotationTests {
  private let coding = MessageBodyCoding()

  private func record(_ rig: StoreRig, _ device: DeviceID) async throws -> PeerRecord {
    try #require(try await rig.store.peers().first { $0.device.deviceID == device })
  }

  /// Creates a parent with its household and children.
  private func family(_ count: Int) async throws -> (rig: StoreRig, children: [DeviceID]) {
    let rig = try StoreRig()
    try await rig.store.keepFirst(discoveryKey: [UInt8](repeating: 1, count: 32))
    var children: [DeviceID] = []
    for _ in 0..<count { children.append(try await rig.paired()) }
    return (rig, children)
  }

  /// Returns the key rotations that are pending for a device.
  private func rotations(_ rig: StoreRig, _ device: DeviceID) async throws -> [KeyRotation] {
    guard let position = try await rig.store.outboxPositions(device)[.control] else { return [] }
    return try await rig.store.load(
      device, .control, epoch: position.epoch, from: position.storedThrough + 1, items: 100, bytes: 1 << 20
    ).filter { $0.kind == .keyRotation }.map { try coding.rotation($0.body) }
  }

  /// Reports everything in the control stream as stored by the device.
  @discardableResult
  private func store(_ rig: StoreRig, _ device: DeviceID) async throws -> StoredResult {
    let position = try #require(try await rig.store.outboxPositions(device)[.control])
    return try await rig.store.forget(
      device, StreamPosition(streamClass: .control, epoch: position.epoch, through: position.last), at: 5)
  }

  private func generations(_ rig: StoreRig) throws -> [Int64] {
    try rig.look { try Int64.fetchAll($0, sql: "SELECT generation FROM discovery_key ORDER BY 1") }
  }

  @Test(
    "A removal gives the remaining devices new keys in one transaction, and the old keys are valid until they are stored"
  )
  func removal() async throws {
    let (rig, children) = try await family(3)
    let old = try await record(rig, children[1]).pairwiseKey
    let removed = try await rig.store.remove(children[0], removal: [1], itemID: rig.random.bytes(16), at: 3)
    #expect(Set(removed.rotations.map(\.device)) == Set(children.dropFirst()))
    try rig.reopen()
    let waiting = try await rotations(rig, children[1])
    #expect(waiting.map(\.generation) == [1])
    #expect(waiting[0].replaces == TestKeys().keyID(of: old))
    let other = try #require(try await rotations(rig, children[2]).first)
    #expect(waiting[0].discoveryKey == other.discoveryKey && waiting[0].pairwiseKey != other.pairwiseKey)
    var peer = try await record(rig, children[1])
    #expect(peer.sessionKey == old && peer.callingKeys == [old, waiting[0].pairwiseKey] && peer.isRotating)
    #expect(peer.marks == [.neverConnected, .rotationOutstanding])
    #expect(try await rig.store.discoveryKeys().first == waiting[0].discoveryKey)

    let stored = try await store(rig, children[1])
    #expect(stored.hasNewKeys && stored.change == nil)
    peer = try await record(rig, children[1])
    #expect(peer.callingKeys == [waiting[0].pairwiseKey] && !peer.isRotating)
    // The other device, and the removed one that does not know of it, still announce themselves
    // with the first key.
    #expect(try generations(rig) == [0, 1])
    try await store(rig, children[2])
    #expect(try generations(rig) == [0, 1])
    try await rig.store.removalTold(children[0])
    #expect(try generations(rig) == [1])
    #expect(try await rig.store.discoveryKeys() == [waiting[0].discoveryKey])
  }

  @Test("While keys are in flight no others are sent; a change in the meantime follows later")
  func oneAtATime() async throws {
    let (rig, children) = try await family(5)
    let last = children[4]
    for child in children.prefix(4) {
      _ = try await rig.store.remove(child, removal: nil, itemID: [], at: 3)
      #expect(try await rotations(rig, last).map(\.generation) == [1])
    }
    #expect(try generations(rig) == [0, 1, 4])
    let stored = try await store(rig, last)
    #expect(stored.hasNewKeys && stored.change?.device == last)
    #expect(try await rotations(rig, last).map(\.generation) == [4])
    #expect(try generations(rig) == [1, 4])
    let second = try await store(rig, last)
    #expect(second.hasNewKeys && second.change == nil)
    #expect(try generations(rig) == [4])
    #expect(try await rotations(rig, last).isEmpty)
    // The same report again changes nothing.
    let keys = try await record(rig, last).keys
    try await store(rig, last)
    #expect(try await record(rig, last).keys == keys)
  }

  @Test("Discovery keys are kept up to a limit, which always includes the newest")
  func bound() async throws {
    let (rig, children) = try await family(60)
    for (goes, stays) in zip(children.prefix(30), children.suffix(30)) {
      _ = try await rig.store.remove(goes, removal: nil, itemID: [], at: 3)
      // Each time, one more device gets the first keys, and has this round's keys on their way.
      try await store(rig, stays)
      #expect(try await rotations(rig, stays).count <= 1)
    }
    let kept = try generations(rig)
    #expect(kept == Array((30 - Int64(Limits.discoveryKeys) + 1)...30))
    #expect(try await rig.store.discoveryKeys().count == Limits.discoveryKeys)
  }

  @Test(
    "A device paired with a code from before a removal gets the newest keys; one with a later code already has them")
  func pairedMeanwhile() async throws {
    let (rig, children) = try await family(1)
    func invite(_ id: String) async throws {
      try await rig.store.save(
        InvitationRecord(
          pairingID: id, discriminator: 7, secret: rig.random.bytes(16), typedSecret: rig.random.bytes(6), minutes: 5,
          childName: nil,
          acceptsWithoutAsking: true, bootID: "boot", openedAt: BootInstant(milliseconds: 1)))
    }
    func pair(_ device: RegisteredDevice, _ id: String) async throws {
      try await rig.store.savePending(
        device, pairwiseKey: rig.random.bytes(32), invitation: id, bootID: "boot", now: BootInstant(milliseconds: 2))
      #expect(try await rig.store.promote(device.deviceID, at: 3))
    }
    try await invite("before")
    _ = try await rig.store.remove(children[0], removal: nil, itemID: [], at: 3)
    try await invite("after")
    let (early, late) = (rig.device(), rig.device())
    try await pair(early, "before")
    try await pair(late, "after")
    #expect(try await rotations(rig, early.deviceID).map(\.generation) == [1])
    #expect(try await rotations(rig, late.deviceID).isEmpty)
    #expect(try generations(rig) == [0, 1] || generations(rig) == [1])
  }

  @Test("Keys in flight to a device that is paired again are cancelled")
  func takenBack() async throws {
    let (rig, children) = try await family(2)
    _ = try await rig.store.remove(children[0], removal: nil, itemID: [], at: 3)
    let device = try await record(rig, children[1]).device
    let key = rig.random.bytes(32)
    try await rig.store.savePending(
      device, pairwiseKey: key, invitation: nil, bootID: "boot", now: BootInstant(milliseconds: 5))
    #expect(try await rig.store.promote(device.deviceID, at: 6))
    #expect(try await rotations(rig, device.deviceID).isEmpty)
    #expect(try await record(rig, device.deviceID).callingKeys == [key])
    let queue = try #require(try await rig.store.queues(device.deviceID, at: 7).first { $0.streamClass == .control })
    #expect(queue.waitingItems == 0 && queue.waitingBytes == 0)
    // The child has the keys already and says so, so the key of the new pairing stays.
    #expect(try await !store(rig, device.deviceID).hasNewKeys)
    #expect(try await record(rig, device.deviceID).callingKeys == [key])
    #expect(try generations(rig) == [1])
  }

  /// Gives a child new keys.
  private func receive(
    _ rig: StoreRig, _ rotation: KeyRotation, from parent: DeviceID, sequence: UInt64 = 1, role: DeviceRole = .parent
  ) async throws -> InboxResult {
    let item = DeliveryItem(
      sequence: sequence, kind: .keyRotation, itemID: rig.random.bytes(16), body: coding.encode(rotation))
    return try await rig.store.receive(
      [ItemRun(streamClass: .control, epoch: 3, items: [item])], from: parent, role: role, enforcement: .recorded,
      at: 4)
  }

  private func rotation(_ rig: StoreRig, replacing key: [UInt8]) -> KeyRotation {
    KeyRotation(
      generation: 1, discoveryKey: rig.random.bytes(32), pairwiseKey: rig.random.bytes(32),
      replaces: TestKeys().keyID(of: key))
  }

  @Test("A child stores new keys with the watermark, and keeps the old one until the parent uses the new one")
  func child() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let old = try await record(rig, parent).pairwiseKey
    let new = rotation(rig, replacing: old)
    #expect(try await receive(rig, new, from: parent).hasNewKeys)
    try rig.reopen()
    var peer = try await record(rig, parent)
    #expect((peer.sessionKey, peer.callingKeys) == (new.pairwiseKey, [new.pairwiseKey, old]))
    #expect(try await rig.store.inboxPositions(parent).map(\.through) == [1])
    // The same rotation under another number changes nothing, and neither does one that replaces a
    // past key.
    _ = try await receive(rig, new, from: parent, sequence: 2)
    _ = try await receive(rig, rotation(rig, replacing: old), from: parent, sequence: 3)
    #expect(try await record(rig, parent).keys == peer.keys)

    #expect(try await !rig.store.peer(parent, answersWith: TestKeys().keyID(of: old)))
    #expect(try await rig.store.peer(parent, answersWith: TestKeys().keyID(of: new.pairwiseKey)))
    peer = try await record(rig, parent)
    #expect(peer.callingKeys == [new.pairwiseKey])
    rig.store.close()
    let file = try Data(contentsOf: URL(fileURLWithPath: rig.path))
    #expect(file.range(of: Data(old)) == nil && file.range(of: Data(new.pairwiseKey)) != nil)
  }

  @Test("New keys that replace those of an incomplete pairing prove that it is final")
  func completesPairing() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let device = try await record(rig, parent).device
    let pending = rig.random.bytes(32)
    try await rig.store.savePending(
      device, pairwiseKey: pending, invitation: nil, bootID: "boot", now: BootInstant(milliseconds: 5))
    let new = rotation(rig, replacing: pending)
    let result = try await receive(rig, new, from: parent)
    #expect(result.hasCompletedPairing && result.hasNewKeys)
    let peer = try await record(rig, parent)
    #expect(peer.pendingKey == nil && peer.callingKeys == [new.pairwiseKey, pending])
    #expect(try await rig.store.takesDiscoveryKey(of: parent))
    let other = try await rig.paired(.parent)
    #expect(try await rig.store.takesDiscoveryKey(of: other))
    #expect(try await !rig.store.takesDiscoveryKey(of: parent))
  }

  @Test("New keys from a child are refused, and a child that leaves by itself causes a new household key")
  func fromChild() async throws {
    let (rig, children) = try await family(2)
    let keys = try await record(rig, children[0]).keys
    let result = try await receive(rig, rotation(rig, replacing: keys.present), from: children[0], role: .child)
    #expect(!result.hasNewKeys && result.faults.count == 1)
    #expect(try await record(rig, children[0]).keys == keys)
    let removal = DeliveryItem(sequence: 2, kind: .removal, itemID: rig.random.bytes(16), body: [1])
    let left = try await rig.store.receive(
      [ItemRun(streamClass: .control, epoch: 3, items: [removal])], from: children[0], role: .child,
      enforcement: .recorded, at: 5)
    #expect(left.wasRemoved && left.changes.map(\.device) == [children[1]])
    #expect(try generations(rig) == [0, 1])
  }

  @Test("Removing a device that is not a child, or on a device without a household, changes no key")
  func noHousehold() async throws {
    let rig = try StoreRig()
    let (one, other) = (try await rig.paired(.parent), try await rig.paired(.parent))
    // The remaining parent learns of it, and gets no key.
    let removed = try await rig.store.remove(one, removal: nil, itemID: [], at: 3)
    #expect(removed.rotations.map(\.device) == [other])
    let position = try #require(removed.rotations.first)
    let items = try await rig.store.load(
      other, .control, epoch: position.epoch, from: 1, items: 10, bytes: 1 << 20, at: 3)
    #expect(items.allSatisfy { $0.kind == .inventory || $0.kind == .skip })
    #expect(try await !record(rig, other).isRotating)
  }
}
