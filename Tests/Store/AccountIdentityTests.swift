import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@testable import LatchkeyStore

/// Tests of accounts whose number, name or home changes: Protocol/10-household.md §3.
@Suite struct AccountIdentityTests {
  private static let tom = AccountIdentity(uid: 1_005, name: "tom", home: "/home/tom", homeMark: "7 1.2")

  @Test(
    "An account is the one before unless its name and its home are both new",
    arguments: [
      ("tom", "/home/tom", "7 1.2", true), ("tommy", "/home/tom", "7 1.2", true), ("tom", "/srv/tom", "9 1.2", true),
      ("tommy", "/home/tommy", "7 1.2", true), ("dad", "/home/dad", "9 3.4", false),
      ("dad", "/home/dad", "7 3.4", false),
      ("dad", "/home/dad", "", false), ("tom", "", "", true), ("dad", "", "", false),
      // Another folder at the same path is another home, and so is no folder.
      ("dad", "/home/tom", "9 3.4", false), ("dad", "/home/tom", "", false),
    ] as [(String, String, String, Bool)])
  func isSame(name: String, home: String, mark: String, isSame: Bool) {
    let now = AccountIdentity(uid: 1_005, name: name, home: home, homeMark: mark)
    #expect(now.isSameAccount(as: Self.tom) == isSame)
  }

  @Test("What is unknown of two accounts makes them no single one")
  func unknown() {
    let before = AccountIdentity(uid: 1_005, name: "tom", home: "", homeMark: "")
    #expect(!AccountIdentity(uid: 1_005, name: "dad", home: "", homeMark: "").isSameAccount(as: before))
  }

  @Test("A new account with an old number is nobody's, whose deletion parents hear of and which a later edit is over")
  func takenOver() async throws {
    let rig = try StoreRig()
    let mum = try await rig.paired(.parent)
    let child = try #require(ChildID(bytes: rig.random.bytes(16)))
    let key = HouseholdKey.account(1_005)
    // The parent's clock is ahead.
    let modified = HybridTimestamp(wall: 5_000, counter: 3, author: mum)
    let registers = [
      Register(.machine(rig.own), HouseholdKey.child(child), HouseholdKey.yes, modified: modified),
      Register(.machine(rig.own), key, child.description, modified: modified),
    ]
    _ = try await rig.receive([rig.item(1, CommandPayload(Edit(registers)), from: mum)], from: mum)
    func look(_ identity: AccountIdentity) async throws -> AccountsKept {
      try await rig.store.setAccounts(
        [Account(uid: 1_005, name: identity.name, fullName: "")], [identity],
        key: { HouseholdKey.account($0) }, nameKey: { HouseholdKey.account(named: $0) }, at: 6)
    }
    func owner() async throws -> Register? {
      let zone = Zone.machine(rig.own)
      return try await rig.store.read { try $0.register(key, in: zone) }
    }
    #expect(try await look(Self.tom).takenOver.isEmpty)
    var moved = Self.tom
    (moved.name, moved.home) = ("tommy", "/home/tommy")
    #expect(try await look(moved).takenOver.isEmpty)
    #expect(try await owner() == registers[1], "A renamed account stays the child's.")
    let present = PresentChild(account: 1_005, child: child, bootID: "boot", since: BootInstant(milliseconds: 1))
    _ = try await rig.store.handOver(
      1_005, to: present, in: "boot", at: 6, make: { session, _ in session.record }, next: { _, _ in nil })
    try rig.reopen()
    #expect(try await rig.store.presentChildren() == [present])

    let dad = AccountIdentity(uid: 1_005, name: "dad", home: "/home/dad", homeMark: "8 9.0")
    let kept = try await look(dad)
    #expect(try await rig.store.presentChildren().isEmpty)
    #expect(kept.takenOver == [dad] && kept.changes.map(\.device) == [mum, mum])
    let deleted = try #require(try await owner())
    #expect(deleted.value == nil && deleted.modified.author == rig.own && deleted.modified > modified)
    let position = try #require(try await rig.store.outboxPositions(mum)[.control])
    let items = try await rig.store.load(
      mum, .control, epoch: position.epoch, from: 1, items: 100, bytes: 1 << 20, at: 8)
    let told = try items.filter { $0.kind == .registers }.flatMap { try rig.coding.registers($0.body) }
    #expect(told.contains(deleted), "\(told)")
    // At the next look, the account is known, and a parent's later statement holds.
    #expect(try await look(dad).takenOver.isEmpty)
    let later = HybridTimestamp(wall: deleted.modified.wall, counter: deleted.modified.counter + 1, author: mum)
    let again = Register(.machine(rig.own), key, child.description, modified: later)
    _ = try await rig.receive([rig.item(2, CommandPayload(Edit([again])), from: mum)], from: mum)
    #expect(try await owner() == again)
  }

  @Test("An account that is a child's by its name stays the child's by its number when it is renamed")
  func renamed() async throws {
    let rig = try StoreRig()
    let mum = try await rig.paired(.parent)
    let child = try #require(ChildID(bytes: rig.random.bytes(16)))
    let name = try #require(HouseholdKey.account(named: "tom"))
    let modified = HybridTimestamp(wall: 5, counter: 0, author: mum)
    let registers = [
      Register(.machine(rig.own), HouseholdKey.child(child), HouseholdKey.yes, modified: modified),
      Register(.machine(rig.own), name, child.description, modified: modified),
    ]
    _ = try await rig.receive([rig.item(1, CommandPayload(Edit(registers)), from: mum)], from: mum)
    for identity in [
      Self.tom, AccountIdentity(uid: 1_005, name: "tom", home: "/home/tom", homeMark: ""),
      AccountIdentity(uid: 1_005, name: "tommy", home: "/home/tommy", homeMark: Self.tom.homeMark),
    ] {
      let kept = try await rig.store.setAccounts(
        [Account(uid: 1_005, name: identity.name, fullName: "")], [identity],
        key: { HouseholdKey.account($0) }, nameKey: { HouseholdKey.account(named: $0) }, at: 6)
      #expect(kept.takenOver.isEmpty)
    }
    let zone = Zone.machine(rig.own)
    let held = try await rig.store.read { try $0.registers(in: zone) }
    #expect(held.first { $0.key == HouseholdKey.account(1_005) }?.value == child.description)
    #expect(held.first { $0.key == name }?.value == nil)
  }
}
