import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension Route.Place {
  static let settings = Route.Place.parent("Children and rules are set on a parent's machine: run this there.")
}

extension Path {
  static let child = text("child", "A child's name, or a beginning of it that fits no other child.")
}

/// The children of the family.
///
/// Spec: Protocol/10-household.md §1.
extension Endpoints {
  static let childRoutes: [any ServedEndpoint] =
    [getChildren, addChild, renameChild, setPIN, removeChild] + accountRoutes

  package static let getChildren = Endpoint(
    .get, "/v1/children", whoMay: .operatorsChildAndReceivers, browsers: .look,
    summary: "The children of the family; on a child those whose machine it is; for a child itself."
  ) { call in try await call.children(call.caller.child?.id) }

  package static let addChild = Endpoint(
    .post, "/v1/children", Body.json(ChildNameRequest.self), on: .settings, created: true,
    summary: "Adds a child, on a parent."
  ) { call, request in try await call.addChild(request) }

  package static let renameChild = Endpoint(
    .post, "/v1/children/{child}/rename", Path.child, Body.json(ChildNameRequest.self), on: .settings,
    errors: [.unknownChild, .ambiguousChild], summary: "Gives a child another name, on a parent."
  ) { call, child, request in try await call.renameChild(call.child(child), request) }

  package static let setPIN = Endpoint(
    .post, "/v1/children/{child}/pin", Path.child, Body.json(ChildPINRequest.self), on: .settings,
    errors: [.unknownChild, .ambiguousChild],
    summary: "Gives a child another PIN, or removes it, on a parent."
  ) { call, child, request in try await call.setPIN(of: call.child(child), request) }

  package static let removeChild = Endpoint(
    .delete, "/v1/children/{child}", Path.child, on: .settings, errors: [.unknownChild, .ambiguousChild],
    summary: "Removes a child from the family, on a parent. Its machines and accounts then belong to no child."
  ) { call, child in try await call.removeChild(call.child(child)) }
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

  /// Returns how many machines of each child only the other parents are paired with.
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

  fileprivate func renameChild(_ child: ChildID, _ request: ChildNameRequest) async throws -> ChildListing {
    let household = try await household()
    let name = try Self.name(request, notAmong: household, except: child)
    try await edit([RegisterChange(.child(child), HouseholdKey.name, name.text)])
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return try await listing(of: child)
  }

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

  fileprivate func removeChild(_ child: ChildID) async throws -> ChildListing {
    let household = try await household()
    let before = try await listing(of: child)
    try await edit(household.removing(child))
    for machine in household.machines(of: child) { try await showOwner(of: machine.device) }
    return before
  }

  /// Gives a machine to the named children alone, or to none; adds a child who does not exist yet.
  ///
  /// Returns the log-in names of the accounts that were a child's and are no child's any more.
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

  /// Writes the names of the machine's children where devices are listed.
  func showOwner(of device: DeviceID) async throws {
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

  private static func name(
    _ request: ChildNameRequest, notAmong household: Household, except child: ChildID? = nil
  ) throws(LocalAPIError) -> DeviceName {
    let name = try DeviceName(asked: request.name)
    let namesake = household.children.first { $0.id != child && $0.name.lowercased() == name.text.lowercased() }
    if name.text.contains(",") {
      throw LocalAPIError(.invalid, phrase: "A child's name has no comma, which separates names: leave it out.")
    }
    if let namesake {
      throw LocalAPIError(
        .invalid, phrase: "There is a child called “{child}” already: choose another name.",
        ["child": .text(DeviceName(sanitising: namesake.name).text)])
    }
    return name
  }
}

public struct ChildListing: Hashable, Sendable, Codable {
  public var childID: ChildID
  public var name: DeviceName
  public var hasPIN: Bool = false
  /// The child's machines; on a parent's node those that get from it what is set for the child.
  public var machines: [DeviceName]
  /// The machines that have not yet confirmed the last change that concerns the child.
  public var untold: [DeviceName]
  /// On a parent's node, the number of the child's machines that only other parents have.
  public var elsewhere: Int = 0
  /// On a parent's node, the machines that say they are the child's, which was not said here: they
  /// get nothing of the child's from this node.
  public var claimed: [DeviceName] = []
  /// On a parent's node, the machines that another parent has taken from the child: they get
  /// nothing more of the child's from this node.
  public var taken: [TakenMachine] = []
}

public struct TakenMachine: Hashable, Sendable, Codable {
  public var machine: DeviceName
  /// The name of the other parent's machine, by the word of the child's machine.
  public var by: DeviceName
}
