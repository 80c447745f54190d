import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of what parents are told, which is kept in the transaction of the fact that it tells.
@Suite struct NoticeTests {
  private let rig: StoreRig

  init() throws { rig = try StoreRig() }

  private func receive(_ list: Inventory, _ number: UInt64, from device: DeviceID) async throws {
    _ = try await rig.store.receive(
      [
        ItemRun(
          streamClass: .control, epoch: 3,
          items: [
            DeliveryItem(
              sequence: number, kind: .inventory, itemID: rig.random.bytes(16), body: rig.coding.encode(list))
          ])
      ], from: device, role: .child, enforcement: .recorded, at: 100)
  }

  private var notices: [StoredNotice] {
    get async throws { try await rig.store.notices(after: 0).notices }
  }

  @Test("A notice is told once, whatever is said again, and a place never goes back")
  func once() async throws {
    let notice = StoredNotice(.limitReached, key: "limit/1", child: ChildID(bytes: rig.random.bytes(16)), detail: "1 h")
    try await rig.store.tell([notice, StoredNotice(.machineBack, key: "back/1")], at: 5)
    try await rig.store.tell([notice], at: 6)
    try rig.reopen()
    let kept = try await notices
    #expect(kept.map(\.key) == ["limit/1", "back/1"] && kept[0].child == notice.child && kept[0].at == 5)
    #expect(try await rig.store.position(of: "desktop") == nil)
    #expect(try await rig.store.setPosition(of: "desktop", to: kept[1].number))
    #expect(try await rig.store.setPosition(of: "desktop", to: kept[0].number))
    try rig.reopen()
    #expect(try await rig.store.position(of: "desktop") == kept[1].number)
    for number in 1..<Store.mostReceivers { #expect(try await rig.store.setPosition(of: "\(number)", to: 0)) }
    #expect(try await !rig.store.setPosition(of: "one more", to: 0))
  }

  @Test("What begins to weaken rules is told once a day; what is only worth knowing is not told")
  func weakened() async throws {
    let pc = try await rig.paired()
    let silent = MachineCondition("agent-silent")
    let note = MachineCondition("own-programs-only")
    #expect(silent.weakensRules && !MachineCondition("unheard-of").weakensRules)
    var number: UInt64 = 0
    for conditions in [[note], [note, silent], [note], [silent], [silent]] {
      number += 1
      try await receive(EntryList(conditions).parts(number: number)[0], number, from: pc)
    }
    let told = try await notices.filter { $0.detail == "agent-silent" }
    #expect(told.count == 1 && told[0].kind == .rulesWeakened && told[0].device == pc)
    #expect(try await notices.contains { $0.detail == "own-programs-only" } == note.weakensRules)
  }

  @Test("A parent that joins later than this one is told of, and one that was there before is not")
  func joined() async throws {
    let pc = try await rig.paired()
    let (own, dad, gran) = (rig.own, Fixed.device(7), Fixed.device(8))
    let parents = [(own, 50), (dad, 40), (gran, 60)].map { device, at in
      PairedParent(deviceID: device, name: DeviceName(sanitising: "Parent \(at)"), pairedAt: Int64(at))
    }
    try await receive(EntryList(parents).parts(number: 1)[0], 1, from: pc)
    let told = try await notices
    #expect(told.map(\.detail) == ["Parent 60"] && told[0].kind == .parentJoined)
  }

  @Test("The silence of machines is measured by the age clock, and ends when they are heard")
  func silence() async throws {
    let pc = try await rig.connected()
    #expect(try await rig.store.silences()[pc]?.milliseconds == 0)
    try await rig.store.hear([pc])
    #expect(try await rig.store.silences().count == 1)
  }
}
