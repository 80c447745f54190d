import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the list of a child machine's parents, which the machine sends to each of them.
@Suite struct ParentListTests {
  /// Returns the lists that are pending for a parent.
  private func lists(_ rig: StoreRig, for parent: DeviceID) async throws -> [[DeviceID]] {
    guard let position = try await rig.store.outboxPositions(parent)[.control] else { return [] }
    return try await rig.store.load(
      parent, .control, epoch: position.epoch, from: 1, items: 100, bytes: 1 << 20, at: 5
    ).compactMap { item in
      guard item.kind == .inventory else { return nil }
      let list = try rig.coding.inventory(item.body)
      return list.kind == PairedParent.inventory.name
        ? list.entries.compactMap { PairedParent(text: $0)?.deviceID } : nil
    }
  }

  /// Returns when the parents in the list that is pending for a parent left.
  private func left(_ rig: StoreRig, for parent: DeviceID) async throws -> [DeviceID: Int64] {
    let position = try #require(try await rig.store.outboxPositions(parent)[.control])
    let items = try await rig.store.load(
      parent, .control, epoch: position.epoch, from: 1, items: 100, bytes: 1 << 20, at: 5
    ).filter { $0.kind == .inventory }
    let parents =
      try items.last.map { try rig.coding.inventory($0.body).entries.compactMap { PairedParent(text: $0) } } ?? []
    return Dictionary(
      uniqueKeysWithValues: parents.compactMap { parent in parent.leftAt.map { (parent.deviceID, $0) } })
  }

  @Test func eachParentHearsOfTheOthersAndOfThoseThatLeave() async throws {
    let rig = try StoreRig()
    let first = try await rig.paired(.parent)
    #expect(try await lists(rig, for: first).isEmpty, "there is nobody to tell of")
    let second = try await rig.paired(.parent)
    for parent in [first, second] {
      #expect(try await lists(rig, for: parent).map(Set.init) == [[first, second]])
    }
    // The next list replaces an earlier one that is pending.
    let third = try await rig.paired(.parent)
    #expect(try await lists(rig, for: first).map(Set.init) == [[first, second, third]])
    let removed = try await rig.store.remove(third, removal: [1], itemID: rig.random.bytes(16), at: 6)
    #expect(Set(removed.rotations.map(\.device)) == [first, second])
    // A parent that was paired while another was off, and has left, is in the list with both times.
    #expect(try await lists(rig, for: first).map(Set.init) == [[first, second, third]])
    #expect(try await left(rig, for: first) == [third: 6])
    let changes = try await rig.store.controlToParents()
    #expect(Set(changes.map(\.device)) == [first, second] && changes.allSatisfy { $0.streamClass == .control })
    // A parent that leaves on its own is also reported.
    let result = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [DeliveryItem(sequence: 1, kind: .removal, itemID: rig.random.bytes(16), body: [1])])
      ], from: second, role: .parent, enforcement: .recorded, at: 7)
    #expect(result.wasRemoved && result.changes.map(\.device) == [first])
    #expect(try await lists(rig, for: first).map(Set.init) == [[first, second, third]])
    #expect(try await left(rig, for: first) == [second: 7, third: 6])
    // After the node has run for a week, they are no longer in the list.
    rig.clock.advance(7 * 86_400_000)
    // A parent that has lost its stored data learns of the others again.
    _ = try await rig.paired(.parent)
    try await rig.store.forget(
      first,
      StreamPosition(
        streamClass: .control, epoch: try #require(try await rig.store.outboxPositions(first)[.control]?.epoch),
        through: try #require(try await rig.store.outboxPositions(first)[.control]?.last)), at: 8)
    #expect(try await lists(rig, for: first).isEmpty)
    _ = try await rig.store.restart(first, .control, epoch: 9, cause: .peerLost(after: 0), at: 9)
    #expect(try await lists(rig, for: first).count == 1)
  }

  private func receive(
    _ rig: StoreRig, _ parents: [PairedParent], _ sequence: UInt64, from device: DeviceID
  ) async throws -> InboxResult {
    try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [
            DeliveryItem(
              sequence: sequence, kind: .inventory, itemID: rig.random.bytes(16),
              body: rig.coding.encode(EntryList(parents).parts(number: 1)[0]))
          ])
      ], from: device, role: .child, enforcement: .recorded, at: 7)
  }

  @Test func whatAChildSaysIsKeptAndIsNewsForADayOfRunning() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let own = PairedParent(deviceID: rig.own, name: DeviceName(sanitising: "own"), pairedAt: 1)
    var other = PairedParent(
      deviceID: Samples.deviceID(&rig.random), name: DeviceName(sanitising: "Tom's laptop"), pairedAt: 5)
    #expect(try await receive(rig, [own, other], 1, from: child).newParents == [other])
    let told = try #require(try await rig.store.otherParents()[child])
    #expect(told == [OtherParent(parent: other, toldAt: 7, isNews: true)])
    // A parent is news once, even under another name.
    other.name = DeviceName(sanitising: "Tom")
    #expect(try await receive(rig, [other], 2, from: child).newParents.isEmpty)
    #expect(try await rig.store.otherParents()[child]?.map(\.parent) == [other])
    rig.clock.advance(86_400_000)
    #expect(try await rig.store.otherParents()[child]?.map(\.isNews) == [false])
    // The parent has left. This is news for a day, whether the child reports it or only leaves the
    // parent out.
    for (sequence, list) in [
      (UInt64(3), [own]),
      (
        5,
        [
          own,
          {
            var gone = other
            gone.leftAt = 6
            return gone
          }(),
        ]
      ),
    ] {
      #expect(try await receive(rig, list, sequence, from: child).newParents.isEmpty)
      let gone = try #require(try await rig.store.otherParents()[child]?.first)
      #expect(gone.isNews && gone.parent.leftAt == (sequence == 3 ? 7 : 6))
      rig.clock.advance(86_400_000)
      #expect(try await rig.store.otherParents().isEmpty)
      // The parent is back.
      #expect(try await receive(rig, [other], sequence + 1, from: child).newParents.isEmpty)
      #expect(try await rig.store.otherParents()[child] == [OtherParent(parent: other, toldAt: 7, isNews: true)])
    }
    // A parent that came and left while this machine was off is reported as well.
    let twin = PairedParent(
      deviceID: Samples.deviceID(&rig.random), name: DeviceName(sanitising: "Evil twin"), pairedAt: 8, leftAt: 9)
    #expect(try await receive(rig, [own, twin], 7, from: child).newParents == [twin])
    #expect(try await rig.store.otherParents()[child]?.contains { $0.parent == twin && $0.isNews } == true)
    _ = try await rig.store.remove(child, removal: nil, itemID: [], at: 8)
    try await rig.pair(child, .child)
    #expect(try await rig.store.otherParents().isEmpty)
  }
}
