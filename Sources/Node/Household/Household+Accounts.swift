import LatchkeyModel

/// Who uses an account of a child's machine.
///
/// Spec: Protocol/10-household.md §3.
enum AccountUser: Hashable, Sendable {
  /// No child: the account is not supervised.
  case nobody
  case child(ChildID)
  /// Children who share the account, and of whom none has said who is there, in the order of their
  /// IDs.
  case together([ChildID])

  /// The children for whom use counts.
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
///
/// Spec: Protocol/10-household.md §3.
extension Household {
  /// Returns who uses an account of a machine.
  ///
  /// An account that no parent has decided about is no child's: it may be a parent's own. But where
  /// a person's account runs this node, it does so for the machine's only child.
  ///
  /// Of an account that several children share, the machine knows those whom it serves, and on the
  /// machine itself who is there.
  func user(of account: UInt32, on device: DeviceID) -> AccountUser {
    let served = children(of: device)
    guard let owners = owners(of: account, on: device) else {
      return account == ownAccount && served.count == 1 ? .child(served[0]) : .nobody
    }
    guard owners.count > 1 else { return owners.first.map { .child($0) } ?? .nobody }
    let sharing = owners.filter { served.contains($0) }
    guard sharing.count > 1 else { return (sharing.first ?? owners.first).map { .child($0) } ?? .nobody }
    guard let present = present[account], sharing.contains(present) else { return .together(sharing) }
    return .child(present)
  }

  /// Returns the children who share an account of a machine and are served by it, whoever is there;
  /// none for an account of one child or none.
  func sharers(of account: UInt32, on device: DeviceID) -> [ChildID] {
    let served = children(of: device)
    let sharing = (owners(of: account, on: device) ?? []).filter { served.contains($0) }
    return sharing.count > 1 ? sharing : []
  }

  /// Returns the children whose an account is, whoever is there.
  func children(of account: UInt32, on device: DeviceID) -> [ChildID] {
    let sharing = sharers(of: account, on: device)
    return sharing.isEmpty ? user(of: account, on: device).children : sharing
  }

  /// Returns the children who share an account while another one of them is there.
  func absent(in account: UInt32, on device: DeviceID) -> Set<ChildID> {
    Set(sharers(of: account, on: device)).subtracting(user(of: account, on: device).children)
  }

  /// Returns the accounts of a machine that are a child's, also those that it shares; `nil` if no
  /// account there is a child's.
  func accounts(of child: ChildID, on device: DeviceID) -> Set<UInt32>? {
    let owned = accounts(on: device).compactMap { account in
      owners(of: account.uid, on: device).flatMap { $0.isEmpty ? nil : (uid: account.uid, owners: $0) }
    }
    return owned.isEmpty ? nil : Set(owned.filter { $0.owners.contains(child) }.map(\.uid))
  }

  /// Returns the conditions that tell which children's accounts the agent of one user has no rights
  /// over: it closes what its own account runs.
  func unreached(byAgentOf user: UInt32, on device: DeviceID) -> [MachineCondition] {
    let others = accounts(on: device).filter { $0.uid != user && self.user(of: $0.uid, on: device) != .nobody }
    let isNobodys = others.isEmpty && self.user(of: user, on: device) == .nobody && !children(of: device).isEmpty
    return others.map { MachineCondition("rule-other-account", account: $0.uid) }
      + (isNobodys ? [MachineCondition("no-account")] : [])
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

extension Caller {
  /// Returns whether what the caller asked for before is still the caller's to read: in an account
  /// that children share, another one may be there since.
  func mayStillRead(_ child: ChildID, _ household: Household, on device: DeviceID) -> Bool {
    Set.operators.contains(principal) || household.sharers(of: userID, on: device).isEmpty
      || household.user(of: userID, on: device) == .child(child)
  }
}
