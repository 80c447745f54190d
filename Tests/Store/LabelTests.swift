import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the names of devices: whose names are accepted, and which of two wins.
@Suite struct LabelTests {
  private static func label(_ text: String, _ wall: Int64, _ author: DeviceID, counter: UInt32 = 0) -> DeviceLabel {
    DeviceLabel(DeviceName(sanitising: text), at: HybridTimestamp(wall: wall, counter: counter, author: author))
  }

  private func name(_ rig: StoreRig, _ device: DeviceID) async throws -> String? {
    try await rig.store.peer(device)?.device.name.text
  }

  @Test func aParentsNameForAChildsMachineHoldsAgainstAnEarlierOne() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    #expect(try await rig.store.peer(child)?.label.at == nil)
    #expect(
      try await rig.store.take(SessionLabels(own: Self.label("Own", 50, child)), from: child, at: 60).isPeerRenamed)
    #expect(try await name(rig, child) == "Own")
    try await rig.store.rename(child, to: DeviceName("Parent's"), childName: "Emma", at: 10)
    #expect(try await name(rig, child) == "Parent's")
    let given = try #require(try await rig.store.peer(child)?.label.at)
    #expect(
      given.wall == 50 && given.counter == 1 && given.author == rig.own, "later than what was known, whatever the clock"
    )
    #expect(try await rig.store.peer(child)?.device.childName == "Emma")
    // The child's earlier name changes nothing.
    let old = try await rig.store.take(SessionLabels(own: Self.label("Own", 50, child)), from: child, at: 60)
    #expect(!old.isPeerRenamed && old.own == nil)
    #expect(try await name(rig, child) == "Parent's")
    #expect(
      try await rig.store.take(SessionLabels(own: Self.label("Newer", 70, child)), from: child, at: 60).isPeerRenamed)
    #expect(try await name(rig, child) == "Newer")
    try await rig.store.rename(child, to: nil, childName: "", at: 10)
    #expect(try await rig.store.peer(child)?.device.childName == nil)
    #expect(try await name(rig, child) == "Newer")
  }

  @Test func onlyAParentNamesAnotherMachine() async throws {
    let rig = try StoreRig()
    let (child, parent) = (try await rig.paired(), try await rig.paired(.parent))
    let refused = try await rig.store.take(SessionLabels(yours: Self.label("Mine", 50, child)), from: child, at: 60)
    #expect(refused.own == nil)
    #expect(try await rig.store.ownLabel() == nil)
    let taken = try await rig.store.take(SessionLabels(yours: Self.label("Yours", 50, parent)), from: parent, at: 60)
    #expect(taken.own?.name.text == "Yours" && !taken.isPeerRenamed)
    #expect(try await rig.store.ownLabel() == taken.own)
    // The same label again, and an earlier one.
    for label in [Self.label("Yours", 50, parent), Self.label("Before", 49, parent)] {
      #expect(try await rig.store.take(SessionLabels(yours: label), from: parent, at: 60).own == nil)
    }
    let own = try await rig.store.rename(to: DeviceName("Again"), at: 1)
    #expect(own.replaces(Self.label("Yours", 50, parent)))
    try rig.reopen()
    #expect(try await rig.store.ownLabel() == own)
  }

  @Test func aTimeThatIsFarAheadIsPassedOver() async throws {
    let rig = try StoreRig()
    let (child, parent) = (try await rig.paired(), try await rig.paired(.parent))
    let far = 60 + Limits.aheadMilliseconds + 1
    #expect(
      try await !rig.store.take(SessionLabels(own: Self.label("X", far, child)), from: child, at: 60).isPeerRenamed)
    #expect(
      try await rig.store.take(SessionLabels(yours: Self.label("X", far, parent)), from: parent, at: 60).own == nil)
    let near = SessionLabels(own: Self.label("X", far - 1, child))
    #expect(try await rig.store.take(near, from: child, at: 60).isPeerRenamed)
  }

  @Test func aMachineThatTakesANameInUseGetsANumberAndIsNews() async throws {
    let rig = try StoreRig()
    let (ben, emma) = (try await rig.paired(), try await rig.paired())
    try await rig.store.rename(ben, to: DeviceName("Ben's PC"), childName: nil, at: 1)
    try await rig.store.rename(emma, to: DeviceName("Laptop"), childName: "Emma", at: 2)
    #expect(try await rig.store.overview().renamings.isEmpty, "what is named here is no news")
    for (text, wall, expected) in [("emma", 50, "emma 2"), ("Laptop", 60, "Laptop 2"), ("own", 70, "own 2")] {
      let label = Self.label(text, Int64(wall), ben)
      let taken = try await rig.store.take(
        SessionLabels(own: label), from: ben, calledHere: DeviceName("Own"), at: Int64(wall))
      #expect(taken.isPeerRenamed)
      #expect(try await name(rig, ben) == expected)
      // This machine assigned the name with the number, and it replaces the child's name.
      #expect(try await rig.store.peer(ben)?.label.replaces(label) == true)
    }
    let renamed = try #require(try await rig.store.overview().renamings.first)
    #expect(renamed.device == ben && renamed.before.text == "Ben's PC" && renamed.name.text == "own 2")
    rig.clock.advance(86_400_000)
    #expect(try await rig.store.overview().renamings.isEmpty)
    // A return to the earlier name, and the name that was given here, are no news.
    for (text, wall) in [("Other", 80), ("own 2", 90)] {
      _ = try await rig.store.take(SessionLabels(own: Self.label(text, Int64(wall), ben)), from: ben, at: Int64(wall))
    }
    #expect(try await rig.store.overview().renamings.isEmpty)
    _ = try await rig.store.take(SessionLabels(own: Self.label("Third", 100, ben)), from: ben, at: 100)
    #expect(try await rig.store.overview().renamings.count == 1)
    try await rig.store.rename(ben, to: DeviceName("Ben's PC"), childName: nil, at: 110)
    #expect(try await rig.store.overview().renamings.isEmpty)
  }

  @Test func whoIsPairedNoMoreNamesNobody() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    _ = try await rig.store.remove(parent, removal: [1], itemID: rig.random.bytes(16), at: 5)
    let labels = SessionLabels(own: Self.label("A", 9, parent), yours: Self.label("B", 9, parent))
    let taken = try await rig.store.take(labels, from: parent, at: 60)
    #expect(taken.own == nil && !taken.isPeerRenamed)
  }

  @Test func aNameGivenHereOutlivesANewPairing() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    try await rig.store.rename(child, to: DeviceName("Laptop"), childName: nil, at: 5)
    try await rig.pair(child, .child)
    #expect(try await name(rig, child) == "Laptop")
    _ = try await rig.store.remove(child, removal: nil, itemID: [], at: 6)
    try await rig.pair(child, .child)
    #expect(try await name(rig, child) == "Emma's PC")
  }
}
