import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// Which accounts a parent assigns to the children whose machine it is.
@Suite struct AccountAssignmentTests {
  private struct File: Decodable {
    struct Assignment: Decodable {
      let accounts: [Account]
      /// The numbers of the accounts that a parent has decided about.
      let decided: [UInt32]
      let names: [String]
      /// For each name, the numbers of the accounts that become the child's.
      let assigned: [[UInt32]]
    }
    let assignments: [Assignment]
  }

  private let own, pc: DeviceID
  private let children: [(id: ChildID, name: String)]

  init() throws {
    var random = SeededRandom(seed: 41)
    own = Samples.deviceID(&random)
    pc = Samples.deviceID(&random)
    children = try ["Emma", "Tom", "Änne"].map { (try #require(ChildID(bytes: random.bytes(16))), $0) }
  }

  private func register(_ zone: Zone, _ key: RegisterKey, _ value: String?) -> Register {
    Register(zone, key, value, modified: HybridTimestamp(wall: 1, counter: 0, author: own))
  }

  /// A household of three children, and a machine with these accounts that is none of theirs yet.
  private func household(_ accounts: [Account], decided: [UInt32: String] = [:]) -> Household {
    let names = children.map { register(.child($0.id), HouseholdKey.name, $0.name) }
    let owners = decided.map { register(.machine(pc), HouseholdKey.account($0.key), $0.value) }
    let machine = Household.Machine(
      device: pc, name: DeviceName(sanitising: "PC"), childName: nil, isToBeAssigned: true, accounts: accounts)
    let known = KnownRegisters(edition: 1, own: RegisterMap(names + owners), told: [:])
    return Household(book: RuleBook(known, own: own), machines: [machine])
  }

  /// Returns the accounts that changes assign, and whose they become.
  private func owners(_ changes: [RegisterChange]) -> [String] {
    changes.filter { $0.key.text.hasPrefix("account/") }.map { change in
      let child = children.first { $0.id.description == change.value }?.name
      return "\(change.key.text.dropFirst(8)) \(child ?? change.value ?? "open")"
    }
  }

  @Test("Accounts are assigned as the other implementation assigns them")
  func vectors() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let bytes = try Data(contentsOf: folder.appendingPathComponent("Protocol/vectors/accounts.json"))
    let file = try JSONDecoder().decode(File.self, from: bytes)
    #expect(file.assignments.count == 96)
    for vector in file.assignments {
      let decided = Dictionary(uniqueKeysWithValues: vector.decided.map { ($0, HouseholdKey.nobody) })
      let household = household(vector.accounts, decided: decided)
      let found = household.accounts(on: pc, of: vector.names).map { $0.map(\.uid) }
      #expect(found == vector.assigned, "\(vector)")
    }
  }

  @Test("What the machine's owner said is assigned: every account of a child's, and none of what merely fits its name")
  func stated() {
    let accounts = [
      Account(uid: 1_000, name: "em2012", fullName: "", statedChild: "EMMA"),
      Account(uid: 1_001, name: "emma", fullName: "Emma Maier"),
      Account(uid: 1_002, name: "school", fullName: "", statedChild: "Emma"),
    ]
    let household = household(accounts)
    #expect(owners(household.assigning(pc, to: ["Emma"]) { nil }) == ["1000 Emma", "1002 Emma"])
    #expect(owners(household.assigning(pc, to: ["emma", "Tom"]) { nil }) == ["1000 Emma", "1002 Emma"])
    #expect(owners(household.reassigning(pc, to: ["Emma"]) { nil }) == ["1000 Emma", "1002 Emma"])
  }

  @Test("A parent's decision outranks the machine's word, and a child who is not named gets nothing by it")
  func outranked() throws {
    let accounts = [
      Account(uid: 1_000, name: "mum", fullName: "", statedChild: "Emma"),
      Account(uid: 1_001, name: "emma", fullName: "", statedChild: "Emma"),
    ]
    let tom = try #require(children.first { $0.name == "Tom" }).id
    let decided = household(accounts, decided: [1_000: HouseholdKey.nobody, 1_001: tom.description])
    #expect(owners(decided.assigning(pc, to: ["Emma"]) { nil }).isEmpty)
    let changes = household(accounts).assigning(pc, to: ["Tom"]) { nil }
    #expect(owners(changes).isEmpty && changes.map(\.key) == [HouseholdKey.child(tom)])
    #expect(household(accounts).assigning(pc, to: []) { nil }.isEmpty)
  }

  @Test("An account that fits two children is neither's, and no register is set twice")
  func fitsTwo() {
    let accounts = [Account(uid: 1_000, name: "tom", fullName: "Emma"), Account(uid: 1_001, name: "x", fullName: "")]
    let changes = household(accounts).assigning(pc, to: ["Emma", "Tom"]) { nil }
    #expect(owners(changes).isEmpty && changes.count == 2)
    let word = [Account(uid: 1_000, name: "tom", fullName: "", statedChild: "Emma")]
    #expect(owners(household(word).assigning(pc, to: ["Emma", "Tom"]) { nil }) == ["1000 Emma"])
  }

  @Test("A machine that says that all its accounts are a child's fills one edit")
  func all() {
    let accounts = (0..<UInt32(Account.most)).map {
      Account(uid: 1_000 + $0, name: "a\($0)", fullName: "", statedChild: "Emma")
    }
    #expect(owners(household(accounts).assigning(pc, to: ["Emma"]) { nil }).count == Account.most)
  }
}
