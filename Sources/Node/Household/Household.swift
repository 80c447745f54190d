import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Synchronization

/// The children of the family with their machines and accounts, as this node knows them.
///
/// Spec: Protocol/10-household.md §1, §3.
struct Household: Sendable {
  struct Machine: Sendable {
    var device: DeviceID
    var name: DeviceName
    /// The name of the child that was given when the machine was paired.
    var childName: String?
    /// A Boolean value that indicates whether it is to become that child's machine now.
    var isToBeAssigned: Bool
    var accounts: [Account]
  }

  let book: RuleBook
  let machines: [Machine]
  var ownAccounts: [Account] = []
  /// Who is there in accounts of this machine that several children share.
  var present: [UInt32: ChildID] = [:]
  /// The account that this node runs as: a person's, where it is not the machine's service.
  var ownAccount: UInt32?

  var registers: RegisterMap { book.registers }
  var told: [DeviceID: RegisterMap] { book.told }
  var lost: [DeviceID: [Register]] { book.lost }

  /// The children that this node knows, in the order of their names.
  var children: [(id: ChildID, name: String)] {
    var known: Set<ChildID> = []
    for register in registers.unordered {
      switch register.zone {
      case .child(let id) where register.key == HouseholdKey.name && register.value != nil: known.insert(id)
      // On a child's node, its own zone says whom it serves.
      case .machine: if let child = register.servedChild { known.insert(child) }
      default: break
      }
    }
    for machine in machines {
      known.formUnion(children(of: machine.device))
      known.formUnion(taken(from: machine.device).map(\.child))
    }
    return known.compactMap { id in rules(of: id, HouseholdKey.name).map { (id, $0) } }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  /// Returns the family's registers and a child's, with those that another parent has set.
  ///
  /// Only the child's machines are believed: another child's machine says nothing about it.
  func rules(of child: ChildID?) -> [Register] {
    let zones: [Zone] = [.family] + (child.map { [.child($0)] } ?? [])
    var merged = RegisterMap(zones.flatMap { registers.registers(in: $0) })
    for device in child.map({ tellers(of: $0) }) ?? Array(told.keys) {
      for zone in zones { for register in told[device]?.registers(in: zone) ?? [] { merged.merge(register) } }
    }
    return merged.registers
  }

  /// Returns the machines that have not told that they hold a rule of another parent's.
  func without(_ register: Register, of machines: [Machine]) -> [Machine] {
    machines.filter { machine in told[machine.device]?[register.zone, register.key] != register }
  }

  func name(of child: ChildID) -> String? { children.first { $0.id == child }?.name }

  /// Returns the children whose machine a device is, by this parent's word and by its own.
  func children(of device: DeviceID) -> [ChildID] { HouseholdKey.children(servedIn: zone(of: device)) }

  /// Returns the registers of a machine's zone, with those that another parent has set.
  func zone(of device: DeviceID) -> [Register] {
    var map = RegisterMap(registers.registers(in: .machine(device)))
    for register in told[device]?.registers(in: .machine(device)) ?? [] { map.merge(register) }
    return map.registers
  }

  /// The machines of several children that have told of their accounts, none of them a child's.
  var unsupervised: [Machine] {
    machines.filter { machine in
      guard children(of: machine.device).count > 1 else { return false }
      let owners = owners(on: machine.device)
      return !machine.accounts.isEmpty && !machine.accounts.contains { owners[$0.uid]?.isEmpty == false }
    }
  }

  func rules(for child: ChildID?) -> RuleSet { book.rules(for: child) { rules(of: child) } }

  func machines(of child: ChildID) -> [Machine] { machines.filter { children(of: $0.device).contains(child) } }

  func name(ofChildWithoutMachine text: String) -> DeviceName? {
    let word = DeviceName(sanitising: text).text.lowercased()
    let child = children.first { $0.name.lowercased() == word && machines(of: $0.id).isEmpty }
    return child.map { DeviceName(sanitising: $0.name) }
  }

  /// Returns the children who use an account; `nil` if no parent has decided yet.
  func owners(of uid: UInt32, on device: DeviceID) -> [ChildID]? { owners(on: device)[uid] }

  /// Returns the same for an account of which the machine has not told.
  func owners(ofAccountNamed name: String, on device: DeviceID) -> [ChildID]? {
    let account = Account(uid: Account.unknownNumber, name: name, fullName: "")
    return HouseholdKey.accounts(in: zone(of: device), known: [account])[account.uid]
  }

  /// Returns the accounts that a parent has decided about by name and the machine has not told.
  func unlisted(on device: DeviceID) -> [Account] {
    let known = Set(accounts(on: device).map(\.name))
    return accountNames(on: device).filter { !known.contains($0) }.sorted().map {
      Account(uid: Account.unknownNumber, name: $0, fullName: "")
    }
  }

  /// Returns the owners of a machine's accounts, as far as a parent has decided.
  func owners(on device: DeviceID) -> [UInt32: [ChildID]] {
    HouseholdKey.accounts(in: zone(of: device), known: accounts(on: device))
  }

  /// Returns the accounts of a child's machine, or on that machine itself its own.
  func accounts(on device: DeviceID) -> [Account] { machines.first { $0.device == device }?.accounts ?? ownAccounts }

  /// Returns the log-in names of a machine's accounts that a parent has decided about by name.
  func accountNames(on device: DeviceID) -> [String] { HouseholdKey.accountNames(in: zone(of: device)) }
}

/// The registers of one edition, with the rules that were read from them.
///
/// Reading the rules takes long if a family has set many, and one page asks several times.
final class RuleBook: Sendable {
  let edition: Int64
  /// What this machine holds or, on a parent, has set.
  let registers: RegisterMap
  /// What each child's machine says that it holds where another parent has set it.
  let told: [DeviceID: RegisterMap]
  /// What each child's machine says that it holds and this machine has set, but has lost.
  let lost: [DeviceID: [Register]]
  private let read = Mutex<[ChildID?: RuleSet]>([:])

  init(_ known: KnownRegisters, own: DeviceID) {
    (edition, registers) = (known.edition, known.own)
    var told: [DeviceID: RegisterMap] = [:]
    var lost: [DeviceID: [Register]] = [:]
    for (device, map) in known.told {
      told[device] = RegisterMap(map.registers.filter { $0.modified.author != own })
      let owns = map.registers.filter { register in
        register.modified.author == own
          && known.own[register.zone, register.key].map { register.holds(over: $0) } ?? true
      }
      if !owns.isEmpty { lost[device] = owns }
    }
    (self.told, self.lost) = (told, lost)
  }

  /// Returns the rules of a child, which are read from the registers the first time.
  func rules(for child: ChildID?, _ registers: () -> [Register]) -> RuleSet {
    if let rules = read.withLock({ $0[child] }) { return rules }
    let rules = RuleSet.read(registers(), child: child).rules
    read.withLock { $0[child] = rules }
    return rules
  }
}

/// Reads the household, and keeps what was read for as long as that holds.
final class HouseholdReader: Sendable {
  private let store: Store
  private let own: DeviceID
  private let bootID: String
  private let last = Mutex<Household?>(nil)

  /// Creates a reader in a boot: who is there holds in its own boot alone.
  init(_ store: Store, own: DeviceID, bootID: String) { (self.store, self.own, self.bootID) = (store, own, bootID) }

  func load() async throws(StoreError) -> Household {
    let known = last.withLock { $0 }
    guard let reading = try await store.household(unless: known?.book.edition) else {
      guard let known else { throw StoreError.unexpected("registers without an edition") }
      return known
    }
    let machines = reading.machines.map { machine in
      Household.Machine(
        device: machine.device, name: machine.name, childName: machine.childName,
        isToBeAssigned: machine.isToBeAssigned, accounts: reading.accounts[machine.device] ?? [])
    }
    let present = reading.present.filter { $0.bootID == bootID }
    let household = Household(
      book: RuleBook(reading.registers, own: own), machines: machines, ownAccounts: reading.accounts[own] ?? [],
      present: Dictionary(present.map { ($0.account, $0.child) }) { first, _ in first }.compactMapValues(\.self),
      ownAccount: geteuid())
    last.withLock { $0 = household }
    return household
  }
}
