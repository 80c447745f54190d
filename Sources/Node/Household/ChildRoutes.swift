import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension Route.Place {
  /// The machines on which people set children and rules.
  static let settings = Route.Place.parent("Children and rules are set on a parent's machine: run this there.")
}

extension Path {
  static let child = text("child", "A child's name, or a beginning of it that fits no other child.")
}

/// The children of the family and the accounts of their machines.
///
/// Spec: Protocol/10-household.md §1, §3.
extension Endpoints {
  static let childRoutes: [any ServedEndpoint] = [
    getChildren, addChild, renameChild, setPIN, removeChild, getAccounts, waitForAccounts, assignAccount,
  ]

  package static let getChildren = Endpoint(
    .get, "/v1/children", whoMay: .operatorsChildAndReceivers, browsers: .look,
    summary: "The children of the family; on a child those whose machine it is; for a child itself."
  ) { call in
    try await call.children(call.caller.child?.id)
  }

  package static let addChild = Endpoint(
    .post, "/v1/children", Body.json(ChildNameRequest.self), on: .settings, created: true,
    summary: "Adds a child, on a parent."
  ) { call, request in
    try await call.addChild(request)
  }

  package static let renameChild = Endpoint(
    .post, "/v1/children/{child}/rename", Path.child, Body.json(ChildNameRequest.self), on: .settings,
    errors: [.unknownChild, .ambiguousChild], summary: "Gives a child another name, on a parent."
  ) { call, child, request in
    try await call.renameChild(call.child(child), request)
  }

  package static let setPIN = Endpoint(
    .post, "/v1/children/{child}/pin", Path.child, Body.json(ChildPINRequest.self), on: .settings,
    errors: [.unknownChild, .ambiguousChild],
    summary: "Gives a child another PIN, or removes it, on a parent."
  ) { call, child, request in
    try await call.setPIN(of: call.child(child), request)
  }

  package static let removeChild = Endpoint(
    .delete, "/v1/children/{child}", Path.child, on: .settings, errors: [.unknownChild, .ambiguousChild],
    summary: "Removes a child from the family, on a parent. Its machines and accounts then belong to no child."
  ) { call, child in
    try await call.removeChild(call.child(child))
  }

  package static let getAccounts = Endpoint(
    .get, "/v1/accounts", Query.device, browsers: .look, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of people on children's machines; on a child its own."
  ) { call, device in
    try await call.accounts(on: device)
  }

  package static let waitForAccounts = Endpoint(
    .get, "/v1/devices/{device}/accounts/wait", Path.device, waits: true, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of a child's machine, once it has told of them and it is known whose it is."
  ) { call, device in
    try await call.waitForAccounts(on: device)
  }

  package static let assignAccount = Endpoint(
    .post, "/v1/accounts/assign", Body.json(AccountRequest.self), on: .settings,
    errors: [.unknownDevice, .ambiguousDevice, .unknownChild, .ambiguousChild, .unknownItem],
    summary: "Says whose an account is, on a parent."
  ) { call, request in
    try await call.assignAccount(request)
  }
}

extension Call {
  /// Returns the children, or one of them; on a child's node those whose machine it is.
  func children(_ wanted: ChildID? = nil) async throws -> [ChildListing] {
    let household = try await household()
    let untold = try await machinesWithEditsUnderWay()
    let children = household.children.filter { wanted == nil || $0.id == wanted }
    let elsewhere = try await machinesElsewhere(household, children.map(\.id))
    let names = try await names()
    return children.map { child in
      let given = household.given(to: child.id)
      let taken = household.machines.flatMap { machine in
        household.taken(from: machine.device).filter { $0.child == child.id }.map {
          TakenMachine(machine: machine.name, by: names[$0.by])
        }
      }
      return ChildListing(
        childID: child.id, name: DeviceName(sanitising: child.name), hasPIN: household.rules(for: child.id).pin != nil,
        machines: role == .child ? [context.name] : given.map(\.name),
        untold: given.filter { untold.contains($0.device) }.map(\.name), elsewhere: elsewhere[child.id] ?? 0,
        claimed: household.machines.filter { household.claimed(by: $0.device).contains(child.id) }.map(\.name),
        taken: taken)
    }
  }

  /// Returns how many machines of each child the other parents tell of that are not paired with
  /// this one.
  private func machinesElsewhere(_ household: Household, _ children: [ChildID]) async throws -> [ChildID: Int] {
    guard role == .parent else { return [:] }
    let others = try await otherParents()
    let parents = Set(others.values.joined().map(\.parent).filter { $0.leftAt == nil }.map(\.deviceID))
    if parents.isEmpty { return [:] }
    let paired = Set(household.machines.map(\.device))
    var found: [ChildID: Int] = [:]
    for child in children {
      let facts = try await store.facts([.machines], of: child)
      let said = facts.compactMap { ChildMachines($0.text) }.filter { parents.contains($0.modified.author) }
      found[child] = said.reduce(into: Set<DeviceID>()) { $0.formUnion($1.machines) }.subtracting(paired).count
    }
    return found
  }

  fileprivate func addChild(_ request: ChildNameRequest) async throws -> ChildListing {
    let household = try await household()
    let name = try Self.name(request, notAmong: household)
    let id = try newID({ ChildID(bytes: $0) }, "The child")
    try await edit([RegisterChange(.child(id), HouseholdKey.name, name.text)])
    return try await listing(of: id)
  }

  /// Gives a child another name.
  fileprivate func renameChild(_ child: ChildID, _ request: ChildNameRequest) async throws -> ChildListing {
    let household = try await household()
    let name = try Self.name(request, notAmong: household, except: child)
    try await edit([RegisterChange(.child(child), HouseholdKey.name, name.text)])
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return try await listing(of: child)
  }

  /// Gives a child another PIN, or removes it.
  fileprivate func setPIN(of child: ChildID, _ request: ChildPINRequest) async throws -> ChildListing {
    var hash: PINHash?
    if let text = request.pin {
      guard let pin = PIN(text) else { throw LocalAPIError(.invalid, phrase: PIN.faultPhrase) }
      hash = await PINWork.hash(pin)
      guard hash != nil else {
        throw LocalAPIError(
          .internal, phrase: "There is not enough memory to keep a PIN: close something and try again.")
      }
    }
    try await edit([RegisterChange(.child(child), HouseholdKey.pin, hash?.text)])
    return try await listing(of: child)
  }

  /// Removes a child from the family, and returns what was known of it.
  fileprivate func removeChild(_ child: ChildID) async throws -> ChildListing {
    let household = try await household()
    let before = try await listing(of: child)
    try await edit(household.removing(child))
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return before
  }

  /// Returns the accounts of children's machines; on a child's node its own.
  func accounts(on device: String?) async throws -> [AccountListing] {
    let household = try await household()
    if role == .child {
      let accounts = try await store.accounts(of: own)
      return try await withPresence(
        (accounts + household.unlisted(on: own)).map { listing($0, of: own, context.name, household) }, household)
    }
    var wanted: DeviceID?
    if let device { wanted = try await self.device(device).device.deviceID }
    let listings = household.machines.filter { wanted == nil || $0.device == wanted }.flatMap { machine in
      (machine.accounts + household.unlisted(on: machine.device)).map {
        listing($0, of: machine.device, machine.name, household)
      }
    }
    return try await withPresence(listings, household)
  }

  /// Returns accounts with who is there in those that children share, as far as it is known here.
  private func withPresence(_ listings: [AccountListing], _ household: Household) async throws -> [AccountListing] {
    guard listings.contains(where: { $0.childNames.count > 1 }) else { return listings }
    let presence = try await presence(household)
    return listings.map { listing in
      var listing = listing
      switch presence.user(of: listing.account.uid, on: listing.deviceID) {
      case .child(let child): listing.present = household.title(of: child)
      case .together: listing.isUnnamed = true
      case .nobody, nil: break
      }
      return listing
    }
  }

  /// Returns the accounts of a child's machine when it has told of them and it is known whose it
  /// is, or after 5 s.
  fileprivate func waitForAccounts(on device: String) async throws -> [AccountListing] {
    let found = try await self.device(device).device.deviceID
    return try await once(within: 5_000, context.ownersKnown) { call in
      let peer = try await call.listed().first { $0.device.deviceID == found }
      return (try await call.accounts(on: found.description), peer?.hasOwners != false)
    }
  }

  fileprivate func assignAccount(_ request: AccountRequest) async throws -> AccountListing {
    let household = try await household()
    let (machine, account) = try await find(request, in: household)
    var named: [ChildID] = []
    for text in request.children { named.append(try await child(text)) }
    guard let owners = AccountOwners(named) else {
      throw LocalAPIError(.invalid, phrase: "An account is that of at most 8 children: name fewer.")
    }
    if account.uid == Account.unknownNumber {
      guard let key = HouseholdKey.account(named: account.name) else {
        throw LocalAPIError(.invalid, phrase: "That is no log-in name: give the name with which the child logs in.")
      }
      // One that no machine knows, such as a misspelt one, is taken back and leaves nothing.
      let isKnown = household.owners(ofAccountNamed: account.name, on: machine.device)?.isEmpty == false
      try await edit(
        owners.children.isEmpty && isKnown
          ? [RegisterChange(.machine(machine.device), key, nil)]
          : household.assigning(accountNamed: key, on: machine.device, to: owners))
    } else {
      try await edit(household.assigning(account, on: machine.device, to: owners))
    }
    try await showOwner(of: machine.device)
    return listing(account, of: machine.device, machine.name, try await self.household())
  }

  /// Makes a machine that of the named children alone, or of none if no name is given.
  ///
  /// A child who does not exist yet is added. Returns the log-in names of the accounts that were a
  /// child's and are no child's any more.
  func setOwner(of device: DeviceID, to names: String) async throws -> [String] {
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
  private func showOwner(of device: DeviceID) async throws {
    let household = try await household()
    let names = household.children(of: device).compactMap { household.name(of: $0) }
    try await store.rename(device, to: nil, childName: ChildNames.joined(names), at: context.wall())
    try await directory.refresh(device)
    forget()
    context.changes.notify()
  }

  func listing(of child: ChildID) async throws -> ChildListing {
    guard let listing = try await children(child).first else {
      throw LocalAPIError(.unknownChild, phrase: "There is no such child any more: `latchkey children` lists them.")
    }
    return listing
  }

  private func listing(
    _ account: Account, of device: DeviceID, _ name: DeviceName, _ household: Household
  ) -> AccountListing {
    let owners =
      account.uid == Account.unknownNumber
      ? household.owners(ofAccountNamed: account.name, on: device) : household.owners(of: account.uid, on: device)
    let names = (owners ?? []).compactMap { household.name(of: $0) }.map { DeviceName(sanitising: $0) }
    return AccountListing(
      deviceID: device, deviceName: name, account: account,
      owner: owners.map { $0.isEmpty ? .nobody : .child } ?? .open,
      childNames: names.sorted { $0.text.lowercased() < $1.text.lowercased() })
  }

  private static func name(
    _ request: ChildNameRequest, notAmong household: Household, except child: ChildID? = nil
  ) throws(LocalAPIError) -> DeviceName {
    let name: DeviceName
    do { name = try DeviceName(request.name) } catch { throw LocalAPIError(.invalid, phrase: error.phrase) }
    let namesake = household.children.first { $0.id != child && $0.name.lowercased() == name.text.lowercased() }
    if name.text.contains(",") {
      throw LocalAPIError(.invalid, phrase: "A child's name has no comma, which separates names: leave it out.")
    }
    if let namesake {
      throw LocalAPIError(
        .invalid,
        phrase: Phrase(
          "There is a child called “{child}” already: choose another name.",
          ["child": .text(DeviceName(sanitising: namesake.name).text)]))
    }
    return name
  }

  /// Returns the account that a person named.
  private func find(
    _ request: AccountRequest, in household: Household
  ) async throws -> (Household.Machine, Account) {
    var machines = household.machines
    if let device = request.device {
      let id = try await self.device(device).device.deviceID
      machines = machines.filter { $0.device == id }
    }
    let found = machines.compactMap { machine in
      machine.accounts.first { $0.name == request.account || String($0.uid) == request.account }.map { (machine, $0) }
    }
    let name = DeviceName(sanitising: request.account)
    if found.isEmpty, request.isUnlisted == true {
      if request.account == "root" || request.account == "0" {
        throw LocalAPIError(
          .invalid, phrase: "Root's account is never supervised: a child needs an account of its own.")
      }
      if request.account.allSatisfy(\.isNumber) {
        throw LocalAPIError(
          .invalid,
          phrase: "Give the log-in name of the account and not its number: the machine has not told of the account yet."
        )
      }
      guard let machine = machines.first, machines.count == 1 else {
        throw LocalAPIError(
          .ambiguousDevice,
          phrase: Phrase(
            "Say with --on on which machine the account “{account}” is.", ["account": .text("\(name)")]))
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
        phrase: Phrase(
          "Several machines have an account called “{account}”: name one with --on, such as --on {machine}.",
          [
            "account": .text("\(name)"),
            "machine": .text(ShellWord.machine(match.0.name, match.0.device)),
          ]))
    }
    return match
  }
}

extension NodeService {
  /// Returns whether several children share an account of this machine, and none has said who is
  /// there.
  func isShared(_ uid: UInt32) async throws -> Bool {
    guard context.profile.role == .child else { return false }
    if case .together = try await context.readHousehold().user(of: uid, on: context.own) { return true }
    return false
  }

  /// Returns the child who uses an account of this machine; `nil` if a parent has not assigned it
  /// to a child whom the machine serves.
  ///
  /// On the machine of one child, the rules hold for accounts that are not assigned, but such an
  /// account may be that of a service or of a guest: it is told nothing about the child.
  ///
  /// Spec: Protocol/07-local-api.md §5.
  func owner(ofAccount uid: UInt32) async throws -> ServedChild? {
    guard context.profile.role == .child else { return nil }
    let household = try await context.readHousehold()
    let served = household.children(of: context.own)
    guard household.owners(of: uid, on: context.own) != nil,
      let owner = household.user(of: uid, on: context.own).onlyChild, served.contains(owner),
      let name = household.name(of: owner)
    else { return nil }
    return ServedChild(id: owner, name: DeviceName(sanitising: name), isOnlyOne: served.count == 1)
  }
}
