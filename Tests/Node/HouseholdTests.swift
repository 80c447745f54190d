import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// Whose a parent takes machines to be, and whose word it takes for what.
@Suite struct HouseholdTests {
  private let own, mum, emmas, bens: DeviceID
  private let emma, ben: ChildID

  init() throws {
    var random = SeededRandom(seed: 31)
    own = Samples.deviceID(&random)
    mum = Samples.deviceID(&random)
    emmas = Samples.deviceID(&random)
    bens = Samples.deviceID(&random)
    emma = try #require(ChildID(bytes: random.bytes(16)))
    ben = try #require(ChildID(bytes: random.bytes(16)))
  }

  private func register(_ zone: Zone, _ key: RegisterKey, _ value: String?, _ wall: Int64, by author: DeviceID)
    -> Register
  {
    Register(zone, key, value, modified: HybridTimestamp(wall: wall, counter: 0, author: author))
  }

  private func served(_ device: DeviceID, _ child: ChildID, _ value: String?, _ wall: Int64, by author: DeviceID)
    throws -> Register
  {
    register(.machine(device), try #require(RegisterKey(["child", child.description])), value, wall, by: author)
  }

  /// A household of two children with a machine each, which this parent has named and given.
  private func household(
    _ more: [Register] = [], told: [DeviceID: [Register]] = [:], accounts: [Account] = []
  ) throws -> Household {
    let registers = [
      register(.family, "family/zone", "Europe/Berlin", 1, by: own),
      register(.child(emma), "name", "Emma", 1, by: own), register(.child(ben), "name", "Ben", 1, by: own),
      try served(emmas, emma, "yes", 1, by: own), try served(bens, ben, "yes", 1, by: own),
    ]
    let known = KnownRegisters(
      edition: 1, own: RegisterMap(registers + more), told: told.mapValues { RegisterMap($0) })
    let machines = [(emmas, "Emma's PC"), (bens, "Ben's PC")].map { device, name in
      Household.Machine(
        device: device, name: DeviceName(sanitising: name), childName: nil, isToBeAssigned: false,
        accounts: device == emmas ? accounts : [])
    }
    return Household(book: RuleBook(known, own: own), machines: machines)
  }

  @Test("A machine that another parent has taken from a child is shown as taken, and is the child's no more")
  func taken() throws {
    let household = try household(told: [emmas: [served(emmas, emma, nil, 9, by: mum)]])
    #expect(household.given(to: emma).isEmpty && household.machines(of: emma).isEmpty)
    #expect(household.taken(from: emmas).map(\.child) == [emma] && household.taken(from: emmas).map(\.by) == [mum])
    #expect(household.children.map(\.name) == ["Ben", "Emma"], "What was set for her is still here.")
    // Removing her here as well says so of the machine, and giving it back does.
    #expect(household.removing(emma).contains { $0.zone == .machine(emmas) && $0.value == nil })
    #expect(
      household.reassigning(emmas, to: ["Emma"]) { nil }.contains { $0.zone == .machine(emmas) && $0.value == "yes" })
    let again = try self.household(
      [served(emmas, emma, nil, 10, by: own)], told: [emmas: [served(emmas, emma, nil, 9, by: mum)]])
    #expect(again.taken(from: emmas).isEmpty)
  }

  @Test("A machine that was paired for another child stays its child's, and a parent is told what changes that")
  func unheeded() throws {
    let household = try household()
    #expect(household.lacks(["Emma"], on: bens) && !household.lacks(["BEN"], on: bens))
    #expect(!household.lacks(["Emma"], on: mum), "It is no machine of the household.")
    #expect(
      household.unheededSentence([bens: ["Emma"]])
        == "“Ben's PC” was paired for Emma and stays Ben's, whose machine it was before: "
        + "`latchkey devices rename \"Ben's PC\" --child Emma` makes it Emma's.")
    #expect(household.unheededSentence([:]) == nil)
  }

  @Test("A machine that only says that it is a child's is shown, and gets nothing")
  func claimed() throws {
    let word = [
      try served(bens, emma, "yes", 9, by: mum), register(.child(emma), "name", "Ben", 9, by: mum),
      register(.child(emma), "lock", "on", 9, by: mum),
    ]
    let household = try household(told: [bens: word])
    #expect(household.given(bens) == [ben] && household.claimed(by: bens) == [emma])
    #expect(household.children.map(\.name) == ["Ben", "Emma"], "It does not name her.")
    #expect(!household.rules(of: emma).contains { $0.key == "lock" }, "It says nothing of her rules.")
    // Who says that it is Ben's does not give it what is Emma's.
    let changes = household.reassigning(bens, to: ["Ben"]) { nil }
    #expect(!changes.contains { $0.value == "yes" }, "\(changes)")
  }

  @Test("What one child's machine says of the family's days moves no other child's days")
  func days() throws {
    let zone = register(.family, "family/zone", "Pacific/Auckland", 9, by: mum)
    let start = register(.family, "family/dayStart", "5", 9, by: mum)
    let told = try household(told: [bens: [zone, start]])
    #expect(told.rules(for: emma).zone == "Europe/Berlin" && told.rules(for: emma).dayStartHour == 0)
    #expect(told.rules(for: ben).zone == "Pacific/Auckland" && told.rules(for: ben).dayStartHour == 5)
    func name(_ household: Household) -> String? { household.familyDays().first { $0.key == "family/zone" }?.value }
    #expect(name(told) == "Europe/Berlin")
    let both = try household(told: [bens: [zone, start], emmas: [zone, start]])
    #expect(name(both) == "Pacific/Auckland", "All machines hold it.")
  }

  @Test("An account is a child's by its name as well, the later word holds, and removing the child takes both back")
  func accountNames() throws {
    let (zone, key) = (Zone.machine(emmas), try #require(HouseholdKey.account(named: "lena")))
    let lena = Account(uid: 70_001, name: "lena", fullName: "")
    let named = register(zone, key, emma.description, 5, by: mum)
    let unknown = try household([named])
    #expect(unknown.owners(of: lena.uid, on: emmas) == nil, "The machine has not told which number that is.")
    #expect(unknown.unlisted(on: emmas).map(\.name) == ["lena"])
    #expect(unknown.owners(ofAccountNamed: "lena", on: emmas) == [emma])
    // On the machine itself, which is not among those that are paired.
    let machine = Household(
      book: RuleBook(KnownRegisters(edition: 1, own: RegisterMap([named]), told: [:]), own: emmas), machines: [],
      ownAccounts: [lena])
    #expect(machine.owners(of: lena.uid, on: emmas) == [emma] && machine.unlisted(on: emmas).isEmpty)
    let known = try household([named], accounts: [lena])
    #expect(known.owners(of: lena.uid, on: emmas) == [emma] && known.unlisted(on: emmas).isEmpty)
    for (wall, value, owner) in [
      (4, "nobody", [emma]), (6, "nobody", []), (6, nil, nil), (6, ben.description, [ben]),
    ] as [(Int64, String?, [ChildID]?)] {
      let both = try household(
        [named, register(zone, HouseholdKey.account(70_001), value, wall, by: own)], accounts: [lena])
      #expect(both.owners(of: lena.uid, on: emmas) == owner)
    }
    for changes in [known.removing(emma), known.reassigning(emmas, to: ["Ben"]) { nil }] {
      let gone = changes.filter { $0.zone == zone && $0.value == nil }.map(\.key)
      #expect(Set(gone).isSuperset(of: [key, HouseholdKey.account(70_001)]), "\(changes)")
    }
    let given = try household().assigning(accountNamed: key, on: emmas, to: try #require(AccountOwners([ben])))
    #expect(given.contains { $0.key == key && $0.value == ben.description })
    #expect(given.contains { $0.key == HouseholdKey.child(ben) && $0.value == "yes" })
  }

  @Test("An account of several children is that of whoever is there, and stays the others' when one is removed")
  func sharedAccounts() throws {
    let zone = Zone.machine(emmas)
    let home = Account(uid: 1_000, name: "home", fullName: "")
    let both = try #require(AccountOwners([emma, ben]))
    let shared = [
      register(zone, HouseholdKey.account(1_000), both.text, 5, by: own), try served(emmas, ben, "yes", 5, by: own),
    ]
    var known = try household(shared, accounts: [home])
    #expect(known.owners(of: 1_000, on: emmas) == both.children && known.sharers(of: 1_000, on: emmas) == both.children)
    #expect(known.user(of: 1_000, on: emmas) == .together(both.children))
    #expect(known.user(of: 1_000, on: emmas).onlyChild == nil)
    known.present = [1_000: ben]
    #expect(known.user(of: 1_000, on: emmas) == .child(ben) && known.absent(in: 1_000, on: emmas) == [emma])
    let served = Caller(principal: .child, userID: 1_000)
    #expect(served.mayStillRead(ben, known, on: emmas) && !served.mayStillRead(emma, known, on: emmas))
    #expect(Caller(principal: .root, userID: 0).mayStillRead(emma, known, on: emmas))
    known.present = [:]
    #expect(!served.mayStillRead(ben, known, on: emmas), "Nobody is there any more.")
    #expect(known.absent(in: 1_000, on: emmas).isEmpty, "The rules of all of them hold.")
    known.present = [1_000: try #require(ChildID(bytes: [UInt8](repeating: 9, count: 16)))]
    #expect(known.user(of: 1_000, on: emmas) == .together(both.children), "That child does not share it.")

    // A child whom the machine does not serve shares nothing there.
    let one = try household([shared[0]], accounts: [home])
    #expect(one.user(of: 1_000, on: emmas) == .child(emma) && one.sharers(of: 1_000, on: emmas).isEmpty)

    let key = HouseholdKey.account(1_000)
    #expect(known.removing(ben).last { $0.key == key }?.value == emma.description)
    #expect(known.reassigning(emmas, to: ["Emma"]) { nil }.last { $0.key == key }?.value == emma.description)
    let given = known.assigning(home, on: emmas, to: try #require(AccountOwners([ben])))
    #expect(given.contains { $0.key == key && $0.value == ben.description })
    #expect(given.contains { $0.key == HouseholdKey.child(emma) && $0.value == nil }, "Emma has no account there now.")
    let nobodys = known.assigning(home, on: emmas, to: try #require(AccountOwners([ChildID]())))
    #expect(nobodys.contains { $0.key == key && $0.value == "nobody" })
    let first = try household().assigning(home, on: emmas, to: both)
    #expect(first.map(\.key) == [key, HouseholdKey.child(ben)], "Emma has the machine already.")
  }

  @Test("The account that runs a node is its only child's there, and another machine's account is not this parent's")
  func ownAccount() throws {
    let known = try household().book.registers
    let onItself = Household(
      book: RuleBook(KnownRegisters(edition: 1, own: known, told: [:]), own: emmas), machines: [], ownAccount: 1_000)
    #expect(onItself.user(of: 1_000, on: emmas) == .child(emma) && onItself.user(of: 1_001, on: emmas) == .nobody)
    #expect(onItself.children(of: 1_000, on: emmas) == [emma] && onItself.children(of: 1_001, on: emmas) == [])
    // This parent's own account may have the same number as one of Emma's machine.
    var atParent = try household()
    for account in [UInt32(1_000), 1_001] {
      atParent.ownAccount = 1_000
      #expect(atParent.user(of: account, on: emmas) == .nobody)
      #expect(atParent.children(of: account, on: emmas) == [emma])
    }
  }

  @Test("The agent of one user reaches no other account, and none at all where its own is nobody's")
  func unreached() throws {
    let accounts = [1_000, 1_001].map { Account(uid: $0, name: "u\($0)", fullName: "") }
    let owned = register(.machine(emmas), HouseholdKey.account(1_001), emma.description, 1, by: own)
    let other = try household([owned], accounts: accounts)
    #expect(
      other.unreached(byAgentOf: 1_000, on: emmas) == [MachineCondition("rule-other-account", account: 1_001)])
    #expect(other.unreached(byAgentOf: 1_001, on: emmas).isEmpty)
    #expect(other.accounts(of: emma, on: emmas) == [1_001] && other.accounts(of: ben, on: emmas) == [])
    let ignored = register(.machine(emmas), HouseholdKey.account(1_000), AccountOwners.nobody, 1, by: own)
    let nobodys = try household([ignored], accounts: accounts)
    #expect(nobodys.unreached(byAgentOf: 1_000, on: emmas) == [MachineCondition("no-account")])
    #expect(nobodys.accounts(of: emma, on: emmas) == nil)
  }
}
