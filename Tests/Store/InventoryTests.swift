import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the lists that a child's machine gives of itself: kept, queued for parents, replaced
/// and deleted, whatever their kind.
@Suite final class InventoryTests {
  private let rig: StoreRig
  private static let note = MachineCondition("note", account: 1_000, detail: "docker")

  init() throws { rig = try StoreRig() }

  /// Returns the parts of lists of a kind that are pending for a parent.
  private func waiting(_ kind: InventoryKind, _ parent: DeviceID) async throws -> [Inventory] {
    guard let position = try await rig.store.outboxPositions(parent)[.control] else { return [] }
    return try await rig.store.load(
      parent, .control, epoch: position.epoch, from: 1, items: 100, bytes: 4 << 20, at: 8
    ).filter { $0.kind == .inventory }.map { try rig.coding.inventory($0.body) }.filter { $0.kind == kind.name }
  }

  private func receive(
    _ part: Inventory, _ sequence: UInt64, from machine: DeviceID, role: DeviceRole = .child
  ) async throws -> InboxResult {
    let item = DeliveryItem(
      sequence: sequence, kind: .inventory, itemID: rig.random.bytes(16), body: rig.coding.encode(part))
    return try await rig.store.receive(
      [ItemRun(streamClass: .control, epoch: 3, items: [item])], from: machine, role: role, enforcement: .recorded,
      at: 100)
  }

  private func app(_ id: String, version: String = "1") throws -> InstalledApp {
    InstalledApp(appID: try #require(AppID(id)), name: "A name", version: version, suggestion: .reward)
  }

  @Test("A list is queued for parents when it has changed, in place of one that waits; a new parent gets all lists")
  func telling() async throws {
    let mum = try await rig.paired(.parent)
    let empty = try await rig.store.setInventory(EntryList([MachineCondition]()), at: 6)
    #expect(empty.number == 1 && empty.changes.map(\.device) == [mum], "That there is nothing is news once.")
    #expect(try await rig.store.setInventory(EntryList([Self.note]), at: 6).number == 2)
    let again = try await rig.store.setInventory(EntryList([Self.note, Self.note]), at: 7)
    #expect(again.number == 2 && again.changes.isEmpty, "Nothing has changed.")
    _ = try await rig.store.setInventory(EntryList([try app("b"), try app("a")]), at: 8)
    #expect(
      try await waiting(MachineCondition.inventory, mum) == EntryList([Self.note]).parts(number: 2),
      "The first list is of no use any more.")
    #expect(try await waiting(InstalledApp.inventory, mum).count == 1, "Other kinds are left alone.")
    let dad = try await rig.paired(.parent)
    for kind in [MachineCondition.inventory, InstalledApp.inventory, PairedParent.inventory] {
      for parent in [mum, dad] { #expect(try await waiting(kind, parent).count == 1, "\(kind.name)") }
    }
    try rig.reopen()
    let known = try #require(try await rig.store.inventory(MachineCondition.self, of: rig.own))
    #expect(known.entries == [Self.note] && known.number == 2 && known.toldAt == 6)
    // After a restart of the stream, the parent gets them again.
    let position = try #require(try await rig.store.outboxPositions(mum)[.control])
    try await rig.store.forget(
      mum, StreamPosition(streamClass: .control, epoch: position.epoch, through: position.last), at: 9)
    #expect(try await waiting(MachineCondition.inventory, mum).isEmpty)
    _ = try await rig.store.restart(mum, .control, epoch: 9, cause: .peerLost(after: 0), at: 9)
    for kind in [MachineCondition.inventory, InstalledApp.inventory, PairedParent.inventory] {
      #expect(try await waiting(kind, mum).count == 1, "\(kind.name)")
    }
  }

  @Test("A parent keeps the last list of each machine until the machine is removed")
  func receiving() async throws {
    let (pc, laptop) = (try await rig.paired(), try await rig.paired())
    let padding = String(repeating: "n", count: 200)
    let long = EntryList(try (0..<400).map { try app("org.example.\(padding)\(1_000 + $0)") })
    let parts = long.parts(number: 4)
    #expect(parts.count > 1 && parts.allSatisfy { rig.coding.encode($0).count <= Limits.itemBodyBytes })
    for (number, part) in parts.enumerated() {
      #expect(try await receive(part, UInt64(number + 1), from: pc).faults.isEmpty)
      let isWhole = number == parts.count - 1
      #expect(try await rig.store.inventory(InstalledApp.self, of: pc)?.number == (isWhole ? 4 : 0))
    }
    try rig.reopen()
    #expect(try await rig.store.inventories(InstalledApp.self).mapValues(\.entries) == [pc: long.entries])
    // A shorter list replaces all parts, and so does a list of a machine that was restored.
    let short = EntryList([long.entries[3]]).parts(number: 2)[0]
    _ = try await receive(short, UInt64(parts.count + 1), from: pc)
    let known = try #require(try await rig.store.inventory(InstalledApp.self, of: pc))
    #expect(known.entries == [long.entries[3]] && known.number == 2 && known.toldAt == 100)
    _ = try await receive(EntryList([Self.note]).parts(number: 1)[0], 1, from: laptop)
    _ = try await rig.store.remove(pc, removal: nil, itemID: rig.random.bytes(16), at: 101)
    #expect(try await rig.store.inventory(InstalledApp.self, of: pc) == nil)
    #expect(try await rig.store.inventory(MachineCondition.self, of: laptop)?.entries == [Self.note])
  }

  @Test("Nothing is kept of another machine, of an unknown kind, or of what is not an entry; the sender is told why")
  func refused() async throws {
    let pc = try await rig.paired()
    let mum = try await rig.paired(.parent)
    var (foreign, unknown, unreadable) = (
      EntryList([Self.note]).parts(number: 1)[0], EntryList([Self.note]).parts(number: 1)[0],
      EntryList([Self.note]).parts(number: 1)[0]
    )
    foreign.device = mum
    unknown.kind = "later"
    unreadable.entries = ["Note"]
    for (number, part) in [foreign, unknown, unreadable].enumerated() {
      #expect(try await receive(part, UInt64(number + 1), from: pc).faults.count == 1)
    }
    for (number, type) in InventoryKind.all.enumerated() {
      let list = Inventory(kind: type.inventory.name, number: 1, entries: [])
      #expect(try await receive(list, UInt64(number + 1), from: mum, role: .parent).faults.count == 1, "\(list.kind)")
    }
    #expect(try await rig.store.inventories(MachineCondition.self).isEmpty)
    let position = try #require(try await rig.store.outboxPositions(pc)[.control])
    let reasons = try await rig.store.load(
      pc, .control, epoch: position.epoch, from: 1, items: 100, bytes: 1 << 20, at: 8
    ).filter { $0.kind == .refusal }.flatMap { try rig.coding.refusalNotice($0.body).items.map(\.reason) }
    #expect(reasons == [.foreign, .unknownKind, .unreadable])
  }

  @Test("However much a machine has found, the list fits its items, and the rest is counted")
  func bounds() throws {
    let long = String(repeating: "i", count: 247)
    for (count, name) in [(3_000, "n"), (3_000, String(repeating: "n", count: 255)), (2_048, "n"), (0, "n")] {
      let apps = try (0..<count).map {
        InstalledApp(appID: try #require(AppID("\(name.count > 1 ? long : "i")\(10_000_000 + $0)")), name: name)
      }
      let list = EntryList(apps)
      #expect(list.entries.count + list.more == count && list.entries.count <= Limits.installedApps)
      #expect(list.entries == Array(apps.prefix(list.entries.count)), "The first ones are kept.")
      let parts = list.parts(number: 1)
      #expect((1...Limits.inventoryParts).contains(parts.count))
      #expect(parts.flatMap(\.entries) == list.entries.map(\.text))
      for part in parts {
        let body = rig.coding.encode(part)
        #expect(body.count <= Limits.itemBodyBytes)
        #expect(try rig.coding.inventory(body).checked() == part)
      }
    }
    for type in InventoryKind.all where type.inventory.isShared { #expect(type.inventory.parts == 1) }
  }

  @Test("What recognizes applications stays on the machine, also when the list is the same")
  func matchers() async throws {
    let list = EntryList([try app("a")])
    #expect(try await rig.store.setInstalled(list, at: 8).number == 1)
    let matchers = [
      Fixed.app("a.b"): InstalledMatchers(
        [AppMatcher(kind: .package, value: "ab"), AppMatcher(kind: .argument, value: "/opt/a b/run.py")]),
      Fixed.app("c"): InstalledMatchers([AppMatcher(kind: .path, value: "/home/emma/c")], isOwn: true),
    ]
    #expect(try await rig.store.setInstalled(list, matchers: matchers, at: 8).number == 1)
    try rig.reopen()
    #expect(try await rig.store.installedMatchers() == matchers)
    #expect(try await rig.store.setInstalled(EntryList([]), at: 9).number == 2)
    #expect(try await rig.store.installedMatchers().isEmpty)
  }
}
