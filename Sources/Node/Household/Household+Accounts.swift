import LatchkeyModel

/// Who uses an account of a child's machine.
///
/// Spec: Protocol/10-household.md §3.
enum AccountUser: Hashable, Sendable {
  /// The account is not supervised.
  case nobody
  case child(ChildID)
  /// Children who share the account while none has said who is there, in the order of their IDs.
  case together([ChildID])

  var children: [ChildID] {
    switch self {
    case .nobody: []
    case .child(let child): [child]
    case .together(let children): children
    }
  }

  /// The only child for whom use counts; `nil` for none and for several.
  var onlyChild: ChildID? { if case .child(let child) = self { child } else { nil } }
}

/// Who uses the accounts of a machine, of which children may share some.
extension Household {
  /// Returns who uses an account of a machine.
  ///
  /// An account that no parent has decided about is no child's: it may be a parent's own. But where
  /// a person's account runs this node, it does so for the machine's only child.
  ///
  /// A machine knows those sharers whom it serves, and on the machine itself who is there is known.
  func user(of account: UInt32, on device: DeviceID) -> AccountUser {
    let served = children(of: device)
    guard let owners = owners(of: account, on: device) else {
      return account == ownAccount && served.count == 1 && !isAnother(device) ? .child(served[0]) : .nobody
    }
    guard owners.count > 1 else { return owners.first.map { .child($0) } ?? .nobody }
    let sharing = owners.filter { served.contains($0) }
    guard sharing.count > 1 else { return (sharing.first ?? owners.first).map { .child($0) } ?? .nobody }
    guard let present = present[account], sharing.contains(present) else { return .together(sharing) }
    return .child(present)
  }

  /// Returns the children who share an account and are served by its machine, whoever is there;
  /// none for an account of one child or none.
  func sharers(of account: UInt32, on device: DeviceID) -> [ChildID] {
    let served = children(of: device)
    let sharing = (owners(of: account, on: device) ?? []).filter { served.contains($0) }
    return sharing.count > 1 ? sharing : []
  }

  /// Returns the children whose account it is, whoever is there.
  ///
  /// What another machine tells of an account that no parent has decided about is about its only
  /// child: that account runs its node.
  func children(of account: UInt32, on device: DeviceID) -> [ChildID] {
    if isAnother(device), owners(of: account, on: device) == nil {
      let served = children(of: device)
      return served.count == 1 ? served : []
    }
    let sharing = sharers(of: account, on: device)
    return sharing.isEmpty ? user(of: account, on: device).children : sharing
  }

  private func isAnother(_ device: DeviceID) -> Bool { machines.contains { $0.device == device } }

  func absent(in account: UInt32, on device: DeviceID) -> Set<ChildID> {
    Set(sharers(of: account, on: device)).subtracting(user(of: account, on: device).children)
  }

  /// Returns a child's accounts on a machine, also shared ones; `nil` if none is any child's.
  func accounts(of child: ChildID, on device: DeviceID) -> Set<UInt32>? {
    let owned = accounts(on: device).compactMap { account in
      owners(of: account.uid, on: device).flatMap { $0.isEmpty ? nil : (uid: account.uid, owners: $0) }
    }
    return owned.isEmpty ? nil : Set(owned.filter { $0.owners.contains(child) }.map(\.uid))
  }

  /// Returns the conditions about children's accounts that the agent of one user has no rights
  /// over: it closes what its own account runs.
  func unreached(byAgentOf user: UInt32, on device: DeviceID) -> [MachineCondition] {
    let others = accounts(on: device).filter { $0.uid != user && self.user(of: $0.uid, on: device) != .nobody }
    let isNobodys = others.isEmpty && self.user(of: user, on: device) == .nobody && !children(of: device).isEmpty
    return others.map { MachineCondition("rule-other-account", account: $0.uid) }
      + (isNobodys ? [MachineCondition("no-account")] : [])
  }
}

extension NodeService {
  /// Returns whether several children share an account here and none is named.
  func isShared(_ uid: UInt32) async throws -> Bool {
    guard context.profile.role == .child else { return false }
    if case .together = try await context.readHousehold().user(of: uid, on: context.own) { return true }
    return false
  }

  /// Returns the child who uses an account of this machine; `nil` if a parent has not given it to a
  /// child whom the machine serves.
  ///
  /// On the machine of one child, the rules hold for accounts that are not assigned, but such an
  /// account may be a service's or a guest's: it is told nothing about the child.
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

extension Caller {
  /// Returns whether the caller may still read what it asked for: another child may be there.
  func mayStillRead(_ child: ChildID, _ household: Household, on device: DeviceID) -> Bool {
    Set.operators.contains(principal) || household.sharers(of: userID, on: device).isEmpty
      || household.user(of: userID, on: device) == .child(child)
  }
}
