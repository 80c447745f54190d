import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The children of the family and the accounts of their machines.
///
/// Spec: Protocol/10-household.md §1, §3.
extension NodeService {
  /// Returns the children; on a child's node those whose machine it is.
  public func children() async throws(LocalAPIError) -> [ChildListing] {
    let household = try await household()
    let untold = try await machinesWithEditsUnderWay()
    let elsewhere = try await machinesElsewhere(household)
    let names = try await stored { () async throws(StoreError) in try await FactNames.load(context) }
    return household.children.map { child in
      let given = household.given(to: child.id)
      let taken = household.machines.flatMap { machine in
        household.taken(from: machine.device).filter { $0.child == child.id }.map {
          TakenMachine(machine: machine.name, by: names[$0.by])
        }
      }
      return ChildListing(
        childID: child.id, name: DeviceName(sanitising: child.name),
        machines: context.profile.role == .child ? [context.name] : given.map(\.name),
        untold: given.filter { untold.contains($0.device) }.map(\.name), elsewhere: elsewhere[child.id] ?? 0,
        claimed: household.machines.filter { household.claimed(by: $0.device).contains(child.id) }.map(\.name),
        taken: taken)
    }
  }

  /// Returns how many machines of each child the other parents tell of that are not paired with this one.
  private func machinesElsewhere(_ household: Household) async throws(LocalAPIError) -> [ChildID: Int] {
    guard context.profile.role == .parent else { return [:] }
    let others = try await stored { () async throws(StoreError) in try await context.store.otherParents() }
    let parents = Set(others.values.joined().map(\.parent).filter { $0.leftAt == nil }.map(\.deviceID))
    if parents.isEmpty { return [:] }
    let paired = Set(household.machines.map(\.device))
    var found: [ChildID: Int] = [:]
    for child in household.children {
      let facts = try await stored { () async throws(StoreError) in
        try await context.store.facts([.machines], of: child.id)
      }
      let said = facts.compactMap { ChildMachines($0.text) }.filter { parents.contains($0.modified.author) }
      found[child.id] = said.reduce(into: Set<DeviceID>()) { $0.formUnion($1.machines) }.subtracting(paired).count
    }
    return found
  }

  /// Adds a child.
  public func addChild(_ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try checkIsParent()
    let household = try await household()
    let name = try Self.name(request, notAmong: household)
    guard let id = ChildID(bytes: context.nextCommandID(context.wall()).bytes) else {
      throw LocalAPIError(.internal, "The child got no ID: give the command again.")
    }
    try await edit([RegisterChange(.child(id), HouseholdKey.name, name.text)])
    return try await listing(of: id)
  }

  /// Gives a child another name.
  public func renameChild(_ text: String, _ request: ChildNameRequest) async throws(LocalAPIError) -> ChildListing {
    try checkIsParent()
    let household = try await household()
    let child = try Self.find(text, in: household)
    let name = try Self.name(request, notAmong: household, except: child)
    try await edit([RegisterChange(.child(child), HouseholdKey.name, name.text)])
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return try await listing(of: child)
  }

  /// Removes a child from the family, and returns what was known of it.
  public func removeChild(_ text: String) async throws(LocalAPIError) -> ChildListing {
    try checkIsParent()
    let household = try await household()
    let child = try Self.find(text, in: household)
    let before = try await listing(of: child)
    try await edit(household.removing(child))
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return before
  }

  /// Returns the accounts of children's machines; on a child's node its own.
  public func accounts(device: String?) async throws(LocalAPIError) -> [AccountListing] {
    let household = try await household()
    if context.profile.role == .child {
      let accounts = try await stored { () async throws(StoreError) in
        try await context.store.accounts(of: context.own)
      }
      return (accounts + household.unlisted(on: context.own)).map {
        listing($0, of: context.own, context.name, household)
      }
    }
    var wanted: DeviceID?
    if let device { wanted = try await find(device).device.deviceID }
    return household.machines.filter { wanted == nil || $0.device == wanted }.flatMap { machine in
      (machine.accounts + household.unlisted(on: machine.device)).map {
        listing($0, of: machine.device, machine.name, household)
      }
    }
  }

  /// Returns the accounts of a child's machine when it has told of them and it is known whose it is, or after 5 s.
  public func waitForAccounts(device: String) async throws(LocalAPIError) -> [AccountListing] {
    let deadline = context.now() + 5_000
    let found = try await find(device).device.deviceID
    while true {
      let seen = context.ownersKnown.version
      let peer = try await listed().first { $0.device.deviceID == found }
      let rest = deadline - context.now()
      if peer?.hasOwners != false || rest <= 0 || Task.isCancelled {
        return try await accounts(device: found.description)
      }
      await context.ownersKnown.wait(after: seen, milliseconds: rest)
    }
  }

  /// Says whose an account is.
  public func assignAccount(_ request: AccountRequest) async throws(LocalAPIError) -> AccountListing {
    try checkIsParent()
    let household = try await household()
    let (machine, account) = try await find(request, in: household)
    let child = try request.child.map { text throws(LocalAPIError) in try Self.find(text, in: household) }
    if account.uid == Account.unknownNumber {
      guard let key = HouseholdKey.account(named: account.name) else {
        throw LocalAPIError(.invalid, "That is no log-in name: give the name with which the child logs in.")
      }
      // One that no machine knows, such as a misspelt one, is taken back and leaves nothing.
      let isKnown = (household.owner(ofAccountNamed: account.name, on: machine.device) ?? nil) != nil
      try await edit(
        child == nil && isKnown
          ? [RegisterChange(.machine(machine.device), key, nil)]
          : household.assigning(accountNamed: key, on: machine.device, to: child))
    } else {
      try await edit(household.assigning(account, on: machine.device, to: child))
    }
    try await showOwner(of: machine.device)
    return listing(account, of: machine.device, machine.name, try await self.household())
  }

  func household() async throws(LocalAPIError) -> Household {
    try await stored { () async throws(StoreError) in try await context.readHousehold() }
  }

  func checkIsParent() throws(LocalAPIError) {
    guard context.profile.role == .parent else {
      throw LocalAPIError(.wrongRole, "Children and rules are set on a parent's machine: run this there.")
    }
  }

  /// Makes changes durable and sends them to the machines that they concern.
  @discardableResult
  func edit(_ changes: [RegisterChange]) async throws(LocalAPIError) -> [ConfigurationCommand] {
    let (context, wall) = (context, context.wall())
    let result = try await stored { () async throws(StoreError) in
      try await context.store.edit(changes, context.editMaker, at: wall)
    }
    CrashPoint.itemAccepted.reached()
    await directory.committed(result.changes)
    context.changes.notify()
    context.householdNews.notify()
    return result.commands
  }

  /// Makes a machine that of the named children alone, or of none if no name is given.
  ///
  /// A child who does not exist yet is added. Returns the log-in names of the accounts that were a child's and are no
  /// child's any more.
  func setOwner(of device: DeviceID, to names: String) async throws(LocalAPIError) -> [String] {
    let household = try await household()
    let changes = household.reassigning(device, to: ChildNames.split(names)) {
      ChildID(bytes: context.nextCommandID(context.wall()).bytes)
    }
    if !changes.isEmpty { try await edit(changes) }
    try await showOwner(of: device)
    let accounts = household.machines.first { $0.device == device }?.accounts ?? []
    return accounts.filter { account in
      changes.contains { $0.key == HouseholdKey.account(account.uid) && $0.value == nil }
    }.map(\.name)
  }

  /// Writes the names of the children whose machine it is where devices are listed.
  private func showOwner(of device: DeviceID) async throws(LocalAPIError) {
    let household = try await household()
    let names = household.children(of: device).compactMap { household.name(of: $0) }
    let (context, text) = (context, ChildNames.joined(names))
    try await stored { () async throws(StoreError) in
      try await context.store.rename(device, to: nil, childName: names.isEmpty ? "" : text, at: context.wall())
      try await directory.refresh(device)
    }
    context.changes.notify()
  }

  func listing(of child: ChildID) async throws(LocalAPIError) -> ChildListing {
    guard let listing = try await children().first(where: { $0.childID == child }) else {
      throw LocalAPIError(.unknownChild, "There is no such child any more: `latchkey children` lists them.")
    }
    return listing
  }

  private func listing(
    _ account: Account, of device: DeviceID, _ name: DeviceName, _ household: Household
  ) -> AccountListing {
    let owner =
      account.uid == Account.unknownNumber
      ? household.owner(ofAccountNamed: account.name, on: device) : household.owner(of: account.uid, on: device)
    let child = (owner ?? nil).flatMap { household.name(of: $0) }
    return AccountListing(
      deviceID: device, deviceName: name, account: account,
      owner: owner == nil ? .open : (owner ?? nil) == nil ? .nobody : .child,
      childName: child.map { DeviceName(sanitising: $0) })
  }

  func machinesWithEditsUnderWay() async throws(LocalAPIError) -> Set<DeviceID> {
    guard context.profile.role == .parent else { return [] }
    return try await stored { () async throws(StoreError) in
      try await context.store.machinesAwaiting(Edit.kind)
    }
  }

  private static func name(
    _ request: ChildNameRequest, notAmong household: Household, except child: ChildID? = nil
  ) throws(LocalAPIError) -> DeviceName {
    let name: DeviceName
    do { name = try DeviceName(request.name) } catch { throw LocalAPIError(.invalid, error.description) }
    let namesake = household.children.first { $0.id != child && $0.name.lowercased() == name.text.lowercased() }
    if name.text.contains(",") {
      throw LocalAPIError(.invalid, "A child's name has no comma, which separates names: leave it out.")
    }
    if let namesake {
      throw LocalAPIError(
        .invalid,
        "There is a child called “\(DeviceName(sanitising: namesake.name))” already: choose another name.")
    }
    return name
  }

  /// Returns the child that a person named, by its name or a beginning that fits no other child.
  static func find(_ text: String, in household: Household) throws(LocalAPIError) -> ChildID {
    let typed = DeviceName(sanitising: text)
    let word = typed.text.lowercased()
    let children = household.children
    let ways: [((id: ChildID, name: String)) -> Bool] = [
      { $0.name == typed.text }, { $0.name.lowercased() == word }, { $0.name.lowercased().hasPrefix(word) },
      { $0.id.description == word },
    ]
    for fits in ways {
      let found = children.filter(fits)
      if found.count > 1 {
        let isOneName = Set(found.map { $0.name.lowercased() }).count < found.count
        let shown = found.map { isOneName ? namesake($0, in: household) : $0.name }.joined(separator: " and ")
        throw LocalAPIError(
          .ambiguousChild,
          "“\(typed)” fits \(shown): " + (isOneName ? "give the ID of one of them." : "give more of the name."))
      }
      if let child = found.first { return child.id }
    }
    let question = Spelling.question(for: word, among: children.map(\.name))
    throw LocalAPIError(
      .unknownChild,
      children.isEmpty
        ? "No child has been added yet: run `latchkey children add \(typed)`."
        : "There is no child called “\(typed)”"
          + (question.isEmpty ? ": `latchkey children` lists their names." : ". \(question)"))
  }

  /// Returns a child by what tells it from another one of the same name: its machines and its ID.
  private static func namesake(_ child: (id: ChildID, name: String), in household: Household) -> String {
    let machines = household.machines(of: child.id).map { "“\($0.name)”" }
    let place = machines.isEmpty ? "without a machine" : "on \(machines.joined(separator: ", "))"
    return "\(DeviceName(sanitising: child.name)) \(place) (\(child.id))"
  }

  /// Returns the account that a person named.
  private func find(
    _ request: AccountRequest, in household: Household
  ) async throws(LocalAPIError) -> (Household.Machine, Account) {
    var machines = household.machines
    if let device = request.device {
      let id = try await find(device).device.deviceID
      machines = machines.filter { $0.device == id }
    }
    let found = machines.compactMap { machine in
      machine.accounts.first { $0.name == request.account || String($0.uid) == request.account }.map { (machine, $0) }
    }
    let name = DeviceName(sanitising: request.account)
    if found.isEmpty, request.isUnlisted == true {
      if request.account == "root" || request.account == "0" {
        throw LocalAPIError(.invalid, "Root's account is never supervised: a child needs an account of its own.")
      }
      if request.account.allSatisfy(\.isNumber) {
        throw LocalAPIError(
          .invalid,
          "Give the log-in name of the account and not its number: the machine has not told of the account yet.")
      }
      guard let machine = machines.first, machines.count == 1 else {
        throw LocalAPIError(.ambiguousDevice, "Say with --on on which machine the account “\(name)” is.")
      }
      return (machine, Account(uid: Account.unknownNumber, name: request.account, fullName: ""))
    }
    guard let match = found.first else {
      let known = machines.flatMap { $0.accounts.map(\.name) }
      let question = Spelling.question(for: request.account, among: known)
      let place = request.device == nil ? nil : machines.first?.name
      throw LocalAPIError(
        .unknownItem,
        (place.map { "“\($0)” has no account" } ?? "No machine of a child's has an account") + " called “\(name)”"
          + (question.isEmpty
            ? ": `latchkey accounts` lists them. If a directory service knows it and does not list it, add --unlisted."
            : ". \(question)"))
    }
    guard found.count == 1 else {
      throw LocalAPIError(
        .ambiguousDevice,
        "Several machines have an account called “\(name)”: name one with --on, such as --on "
          + "\(ShellWord.machine(match.0.name, match.0.device)).")
    }
    return match
  }
}
