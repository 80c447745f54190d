import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The children of the family with their machines and accounts, as this node knows them.
///
/// Spec: Protocol/10-household.md §1, §3.
struct Household: Sendable {
  /// A child's machine.
  struct Machine: Sendable {
    var device: DeviceID
    var name: DeviceName
    /// The name of the child that was given when the machine was paired.
    var childName: String?
    /// A Boolean value that indicates whether it is to become the machine of that child now.
    var isToBeAssigned: Bool
    var accounts: [Account]
  }

  let book: RuleBook
  let machines: [Machine]
  /// The accounts of this machine, a child's.
  var ownAccounts: [Account] = []
  /// Who is there in accounts of this machine that several children share.
  var present: [UInt32: ChildID] = [:]
  /// The account that this node runs as: a person's, where it is not the machine's service.
  var ownAccount: UInt32 = geteuid()

  /// What this machine holds or, on a parent, has set.
  var registers: RegisterMap { book.registers }
  /// What each child's machine says that it holds where another parent has set it.
  var told: [DeviceID: RegisterMap] { book.told }
  /// What each child's machine says that it holds and this machine has set, but does not know any
  /// more.
  var lost: [DeviceID: [Register]] { book.lost }

  /// The children that this node knows, in the order of their names.
  ///
  /// A name that another parent has given counts as well, for children that this node knows.
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

  /// Returns the registers of the family's zone and of a child's, with those that another parent
  /// has set.
  ///
  /// For a child, only the child's machines are believed: another child's machine says nothing
  /// about this one.
  func rules(of child: ChildID?) -> [Register] {
    let zones: [Zone] = [.family] + (child.map { [.child($0)] } ?? [])
    var merged = RegisterMap(zones.flatMap { registers.registers(in: $0) })
    for device in child.map({ tellers(of: $0) }) ?? Array(told.keys) {
      for zone in zones {
        for register in told[device]?.registers(in: zone) ?? [] { merged.merge(register) }
      }
    }
    return merged.registers
  }

  /// Returns those of the machines that a rule of another parent's concerns that have not told that
  /// they hold it.
  func without(_ register: Register, of machines: [Machine]) -> [Machine] {
    machines.filter { machine in told[machine.device]?[register.zone, register.key] != register }
  }

  /// Returns the name of a child; `nil` if it is unknown.
  func name(of child: ChildID) -> String? { children.first { $0.id == child }?.name }

  /// Returns the children whose machine a device is, also those that it says another parent has
  /// made it that of.
  func children(of device: DeviceID) -> [ChildID] {
    HouseholdKey.children(servedIn: zone(of: device))
  }

  /// Returns the registers of a machine's zone, with those that another parent has set.
  private func zone(of device: DeviceID) -> [Register] {
    var map = RegisterMap(registers.registers(in: .machine(device)))
    for register in told[device]?.registers(in: .machine(device)) ?? [] { map.merge(register) }
    return map.registers
  }

  /// The machines that children share and that have told of their accounts, none of which is a
  /// child's.
  var unsupervised: [Machine] {
    machines.filter { machine in
      guard children(of: machine.device).count > 1 else { return false }
      let owners = owners(on: machine.device)
      return !machine.accounts.isEmpty && !machine.accounts.contains { owners[$0.uid]?.isEmpty == false }
    }
  }

  /// Returns the rules of a child, or those of the whole family if it is `nil`.
  func rules(for child: ChildID?) -> RuleSet { book.rules(for: child) { rules(of: child) } }

  func machines(of child: ChildID) -> [Machine] { machines.filter { children(of: $0.device).contains(child) } }

  /// Returns the name of the child of this name, if it has no machine; `nil` if there is none.
  func name(ofChildWithoutMachine text: String) -> DeviceName? {
    let word = DeviceName(sanitising: text).text.lowercased()
    let child = children.first { $0.name.lowercased() == word && machines(of: $0.id).isEmpty }
    return child.map { DeviceName(sanitising: $0.name) }
  }

  /// Returns the owners of an account: the children who use it, none for one that is not
  /// supervised, or `nil` if no parent has decided yet.
  func owners(of uid: UInt32, on device: DeviceID) -> [ChildID]? { owners(on: device)[uid] }

  /// Returns the owners of an account of which the machine has not told, as `owners(of:on:)` does.
  func owners(ofAccountNamed name: String, on device: DeviceID) -> [ChildID]? {
    let account = Account(uid: Account.unknownNumber, name: name, fullName: "")
    return HouseholdKey.accounts(in: zone(of: device), known: [account])[account.uid]
  }

  /// Returns the accounts of a machine that a parent has decided about by their names and of which
  /// it has not told.
  func unlisted(on device: DeviceID) -> [Account] {
    let known = Set(accounts(on: device).map(\.name))
    return accountNames(on: device).filter { !known.contains($0) }.sorted().map {
      Account(uid: Account.unknownNumber, name: $0, fullName: "")
    }
  }

  /// Returns the owners of a machine's accounts, as far as a parent has decided.
  private func owners(on device: DeviceID) -> [UInt32: [ChildID]] {
    HouseholdKey.accounts(in: zone(of: device), known: accounts(on: device))
  }

  /// Returns the accounts of a child's machine; on that machine itself, its own.
  func accounts(on device: DeviceID) -> [Account] {
    machines.first { $0.device == device }?.accounts ?? ownAccounts
  }

  /// Returns the log-in names of accounts of a machine that a parent has decided about by their
  /// names.
  func accountNames(on device: DeviceID) -> [String] { HouseholdKey.accountNames(in: zone(of: device)) }

  /// Returns the changes after which no account of a machine is one of these children's.
  ///
  /// An account that others share stays theirs.
  private func forgetting(_ children: Set<ChildID>, on device: DeviceID) -> [RegisterChange] {
    let byNumber = owners(on: device).sorted { $0.key < $1.key }.compactMap { uid, owners in
      without(children, owners).map { RegisterChange(.machine(device), HouseholdKey.account(uid), $0) }
    }
    let byName = zone(of: device).compactMap { register -> RegisterChange? in
      guard register.key.segments.first == "accountName", let owners = register.value.flatMap({ AccountOwners($0) })
      else { return nil }
      return without(children, owners.children).map { RegisterChange(.machine(device), register.key, $0) }
    }
    return byNumber + byName
  }

  /// Returns the value of an account's register without some of its owners, which is none if they
  /// are all; `nil` if it is none of theirs.
  private func without(_ children: Set<ChildID>, _ owners: [ChildID]) -> String?? {
    let left = owners.filter { !children.contains($0) }
    guard left.count < owners.count else { return nil }
    return .some(left.isEmpty ? nil : AccountOwners(left)?.text)
  }

  /// Returns what makes a machine that of children, whom another parent may have added before, with
  /// the accounts that are theirs.
  func assigning(_ device: DeviceID, to names: [String], newID: () -> ChildID?) -> [RegisterChange] {
    zip(names, accounts(on: device, of: names)).flatMap { name, accounts in
      assigning(device, to: name, with: accounts, newID: newID)
    }
  }

  private func assigning(
    _ device: DeviceID, to name: String, with accounts: [Account], newID: () -> ChildID?
  ) -> [RegisterChange] {
    let others = told[device] ?? RegisterMap()
    // A machine that gives another child's ID for the name must not get what is that child's.
    let toldChild = HouseholdKey.children(servedIn: others.registers(in: .machine(device))).first { id in
      others.value(.child(id), HouseholdKey.name)?.lowercased() == name.lowercased()
        && self.name(of: id, besides: device).map { $0.lowercased() == name.lowercased() } ?? true
    }
    let known = children.first { $0.name.lowercased() == name.lowercased() }?.id
    guard let child = toldChild ?? known ?? newID() else { return [] }
    var changes: [RegisterChange] = []
    // A child that another parent has added has its name already.
    if known == nil, toldChild == nil { changes.append(RegisterChange(.child(child), HouseholdKey.name, name)) }
    changes += serving(device, child)
    changes += accounts.map { RegisterChange(.machine(device), HouseholdKey.account($0.uid), child.description) }
    return changes
  }

  /// Returns what makes a machine that of the named children alone.
  func reassigning(_ device: DeviceID, to names: [String], newID: () -> ChildID?) -> [RegisterChange] {
    let kept = names.compactMap { name in children.first { $0.name.lowercased() == name.lowercased() }?.id }
    let left = children(of: device).filter { !kept.contains($0) }
    var changes = left.map { RegisterChange(.machine(device), HouseholdKey.child($0), nil) }
    changes += forgetting(Set(left), on: device)
    changes += assigning(device, to: names, newID: newID)
    var last: [RegisterMap.Place: RegisterChange] = [:]
    for change in changes { last[.init(change.zone, change.key)] = change }
    return last.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns what makes this parent say that a machine is a child's, without which the machine gets
  /// nothing of the child's here.
  private func serving(_ device: DeviceID, _ child: ChildID) -> [RegisterChange] {
    given(device).contains(child)
      ? [] : [RegisterChange(.machine(device), HouseholdKey.child(child), HouseholdKey.yes)]
  }

  /// Returns the changes that assign an account to children, or to no child if there is none.
  ///
  /// A machine stays that of a child for as long as one of its accounts is the child's.
  func assigning(_ account: Account, on device: DeviceID, to owners: AccountOwners) -> [RegisterChange] {
    var changes = [RegisterChange(.machine(device), HouseholdKey.account(account.uid), owners.text)]
    for child in owners.children { changes += serving(device, child) }
    for before in self.owners(of: account.uid, on: device) ?? [] where !owners.children.contains(before) {
      let hasMore = self.owners(on: device).contains { uid, others in uid != account.uid && others.contains(before) }
      if !hasMore, children(of: device).contains(before) {
        changes.append(RegisterChange(.machine(device), HouseholdKey.child(before), nil))
      }
    }
    return changes
  }

  /// Returns the changes that make an account of which the machine has not told that of children,
  /// or no child's if there is none.
  func assigning(accountNamed name: RegisterKey, on device: DeviceID, to owners: AccountOwners) -> [RegisterChange] {
    [RegisterChange(.machine(device), name, owners.text)] + owners.children.flatMap { serving(device, $0) }
  }

  /// Returns the changes that remove a child from the family; its machines and accounts then belong
  /// to no child.
  func removing(_ child: ChildID) -> [RegisterChange] {
    var changes = [RegisterChange(.child(child), HouseholdKey.name, nil)]
    if rules(of: child, HouseholdKey.pin) != nil {
      changes.append(RegisterChange(.child(child), HouseholdKey.pin, nil))
    }
    for machine in machines where isConcerned(machine.device, child) {
      changes.append(RegisterChange(.machine(machine.device), HouseholdKey.child(child), nil))
      changes += forgetting([child], on: machine.device)
    }
    return changes
  }
}
