import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// Whose machines are, by what this parent, other parents and the machines themselves have said.
///
/// Spec: Protocol/10-household.md §2.
extension Household {
  struct Taken: Sendable {
    var child: ChildID
    var by: DeviceID
  }

  /// Returns the children whose registers, use and facts a machine is sent: those that this parent
  /// has given it, without those that another parent has taken from it since.
  func given(_ device: DeviceID) -> [ChildID] {
    HouseholdKey.children(servedIn: ownZone(of: device).narrowed(by: toldZone(of: device)))
  }

  func given(to child: ChildID) -> [Machine] { machines.filter { given($0.device).contains(child) } }

  /// Returns the children whom this parent gave a machine and another parent has taken from it.
  func taken(from device: DeviceID) -> [Taken] {
    let own = ownZone(of: device)
    return zip(own, own.narrowed(by: toldZone(of: device))).compactMap { given, present in
      guard let child = given.servedChild, present.servedChild == nil else { return nil }
      return Taken(child: child, by: present.modified.author)
    }
  }

  /// Returns the children whose machine a device says it is, which this parent has not said.
  func claimed(by device: DeviceID) -> [ChildID] {
    let given = given(device)
    return children(of: device).filter { !given.contains($0) }
  }

  func isConcerned(_ device: DeviceID, _ child: ChildID) -> Bool {
    children(of: device).contains(child) || taken(from: device).contains { $0.child == child }
  }

  /// Returns the machines whose word about a child counts: those that this parent has given.
  ///
  /// Without one, those count that say they are the child's, or were.
  func tellers(of child: ChildID) -> [DeviceID] {
    let given = given(to: child).map(\.device)
    if !given.isEmpty { return given }
    return machines.map(\.device).filter { isConcerned($0, child) }
  }

  /// Returns the value of a register of a child's, with what other parents have set.
  func rules(of child: ChildID, _ key: RegisterKey, besides device: DeviceID? = nil) -> String? {
    var merged = RegisterMap([registers[.child(child), key]].compactMap(\.self))
    for teller in tellers(of: child) where teller != device {
      if let register = told[teller]?[.child(child), key] { merged.merge(register) }
    }
    return merged.value(.child(child), key)
  }

  /// Returns the family's settings for days: those that all children's machines hold by what they
  /// tell, or else this parent's own.
  ///
  /// One machine's word therefore does not move the days of other machines' children.
  func familyDays() -> [Register] {
    let own = registers.registers(in: .family)
    let readings = machines.map { machine in
      var merged = RegisterMap(own)
      for register in told[machine.device]?.registers(in: .family) ?? [] { merged.merge(register) }
      return Self.dayKeys.map { merged[.family, $0] }
    }
    guard let first = readings.first, readings.allSatisfy({ $0 == first }) else { return own }
    return own.filter { !Self.dayKeys.contains($0.key) } + first.compactMap(\.self)
  }

  private static let dayKeys: [RegisterKey] = ["family/zone", "family/dayStart"]

  /// Returns a child's name by everybody's word but one machine's, if anybody gives one.
  func name(of child: ChildID, besides device: DeviceID) -> String? {
    rules(of: child, HouseholdKey.name, besides: device)
  }

  private func ownZone(of device: DeviceID) -> [Register] { registers.registers(in: .machine(device)) }

  private func toldZone(of device: DeviceID) -> [Register] { told[device]?.registers(in: .machine(device)) ?? [] }
}

/// The changes that give machines and accounts to children.
///
/// Spec: Protocol/10-household.md §3.
extension Household {
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

  /// Returns an account's value without some owners; `nil` if none of them owns it.
  private func without(_ children: Set<ChildID>, _ owners: [ChildID]) -> String?? {
    let left = owners.filter { !children.contains($0) }
    guard left.count < owners.count else { return nil }
    return .some(left.isEmpty ? nil : AccountOwners(left)?.text)
  }

  /// Returns what gives a machine, with fitting accounts, to children.
  func assigning(_ device: DeviceID, to names: [String], newID: () -> ChildID?) -> [RegisterChange] {
    let others = told[device] ?? RegisterMap()
    return zip(names, accounts(on: device, of: names)).flatMap { name, accounts -> [RegisterChange] in
      // A machine that gives another child's ID for the name must not get what is that child's.
      let toldChild = HouseholdKey.children(servedIn: others.registers(in: .machine(device))).first { id in
        others.value(.child(id), HouseholdKey.name)?.lowercased() == name.lowercased()
          && self.name(of: id, besides: device).map { $0.lowercased() == name.lowercased() } ?? true
      }
      let known = children.first { $0.name.lowercased() == name.lowercased() }?.id
      guard let child = toldChild ?? known ?? newID() else { return [] }
      // A child that another parent has added has its name already.
      let naming = known == nil && toldChild == nil ? [RegisterChange(.child(child), HouseholdKey.name, name)] : []
      return naming + serving(device, child)
        + accounts.map { RegisterChange(.machine(device), HouseholdKey.account($0.uid), child.description) }
    }
  }

  /// Returns what gives a machine to the named children alone.
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

  /// Returns what makes this parent say that a machine is a child's.
  private func serving(_ device: DeviceID, _ child: ChildID) -> [RegisterChange] {
    given(device).contains(child)
      ? [] : [RegisterChange(.machine(device), HouseholdKey.child(child), HouseholdKey.yes)]
  }

  /// Returns the changes that assign an account to children, or to no child.
  ///
  /// A machine stays a child's for as long as one of its accounts is the child's.
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

  /// Returns the changes that assign an account of which the machine has not told.
  func assigning(accountNamed name: RegisterKey, on device: DeviceID, to owners: AccountOwners) -> [RegisterChange] {
    [RegisterChange(.machine(device), name, owners.text)] + owners.children.flatMap { serving(device, $0) }
  }

  /// Returns the changes that remove a child; its machines and accounts then belong to no child.
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

  /// Returns the accounts that each child gets: those that the machine states, or one that fits.
  ///
  /// Accounts that a parent has decided about stay, and no account is given to two children.
  func accounts(on device: DeviceID, of names: [String]) -> [[Account]] {
    guard let machine = machines.first(where: { $0.device == device }) else { return names.map { _ in [] } }
    let open = machine.accounts.filter { owners(of: $0.uid, on: device) == nil }
    let unstated = open.filter { account in !names.contains(where: account.isStated) }
    let fitting = names.map { name -> Account? in
      if machine.accounts.contains(where: { $0.isStated(name) }) { return nil }
      return Self.fitting(name, among: unstated, isAlone: names.count == 1 && machine.accounts.count == 1)
    }
    return zip(names, fitting).map { name, account in
      let isClear = fitting.count { $0 != nil && $0 == account } == 1
      return open.filter { $0.isStated(name) } + (isClear ? [account].compactMap(\.self) : [])
    }
  }

  /// Returns the account that a child's name fits; `nil` if none does, or several do.
  ///
  /// The only account of a machine that is one child's alone fits in any case.
  private static func fitting(_ name: String, among accounts: [Account], isAlone: Bool) -> Account? {
    let wanted = name.lowercased()
    let fitting = accounts.filter { account in
      let first = account.fullName.split(separator: " ").first.map { $0.lowercased() }
      return account.name.lowercased() == wanted || account.fullName.lowercased() == wanted || first == wanted
    }
    if fitting.count == 1 { return fitting.first }
    return isAlone && fitting.isEmpty ? accounts.first : nil
  }
}
