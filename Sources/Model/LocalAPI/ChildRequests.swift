/// A child of the family, as the local API shows it.
public struct ChildListing: Hashable, Sendable, Codable {
  /// The child's permanent ID.
  public var childID: ChildID
  /// The child's name.
  public var name: DeviceName
  /// The child's machines; on a parent's node those that get from it what is set for the child.
  public var machines: [DeviceName]
  /// The machines that have not yet confirmed the last change that concerns the child.
  public var untold: [DeviceName]
  /// On a parent's node, the number of the child's machines that another parent tells of and that are not paired with
  /// this node.
  public var elsewhere: Int
  /// On a parent's node, the machines that say they are the child's, which has not been said here: they get nothing of the child's
  /// from this node.
  public var claimed: [DeviceName]
  /// On a parent's node, the machines that another parent has taken from the child: they get nothing more of the child's from
  /// this node.
  public var taken: [TakenMachine]

  /// Creates a listing.
  public init(
    childID: ChildID, name: DeviceName, machines: [DeviceName], untold: [DeviceName], elsewhere: Int = 0,
    claimed: [DeviceName] = [], taken: [TakenMachine] = []
  ) {
    self.childID = childID
    self.name = name
    self.machines = machines
    self.untold = untold
    self.elsewhere = elsewhere
    self.claimed = claimed
    self.taken = taken
  }
}

/// A machine that another parent has taken from a child.
public struct TakenMachine: Hashable, Sendable, Codable {
  /// The machine's name.
  public var machine: DeviceName
  /// The name of the other parent's machine, by the word of the child's machine.
  public var by: DeviceName

  /// Creates it.
  public init(machine: DeviceName, by: DeviceName) {
    self.machine = machine
    self.by = by
  }
}

/// `POST /v1/children`, `POST /v1/children/{child}/rename`: a child's name.
public struct ChildNameRequest: Hashable, Sendable, Codable {
  /// The name, 1 to 64 bytes of UTF-8.
  public var name: String

  /// Creates a request.
  public init(name: String) { self.name = name }
}

extension ChildNameRequest: CheckedRequest {
  /// A sentence about a name that cannot be used; `nil` if it can.
  public var textFault: String? { TextRule.deviceName.fault(in: name) }
}

/// An account of a child's machine, as the local API shows it.
public struct AccountListing: Hashable, Sendable, Codable {
  /// Whose an account is.
  public enum Owner: String, Hashable, Sendable, Codable, CaseIterable {
    /// A child's.
    case child
    /// Nobody's: it is not supervised.
    case nobody
    /// Nobody has said it yet; it is not supervised.
    case open
  }

  /// The machine.
  public var deviceID: DeviceID
  /// The machine's name.
  public var deviceName: DeviceName
  /// The account.
  public var account: Account
  /// Whose it is.
  public var owner: Owner
  /// The name of the child whose it is; `nil` for an account that is no child's.
  public var childName: DeviceName?

  /// Creates a listing.
  public init(
    deviceID: DeviceID, deviceName: DeviceName, account: Account, owner: Owner, childName: DeviceName? = nil
  ) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.account = account
    self.owner = owner
    self.childName = childName
  }
}

/// `POST /v1/accounts/assign`: whose an account of a child's machine is.
public struct AccountRequest: Hashable, Sendable, Codable {
  /// The machine, as a person names it; `nil` for the only one that has such an account.
  public var device: String?
  /// The account: its log-in name or its number.
  public var account: String
  /// The child, as a person names it; `nil` for nobody.
  public var child: String?
  /// Whether the machine may look for an account of this name that it has not told of; `nil` for no.
  public var isUnlisted: Bool?

  /// Creates a request.
  public init(device: String?, account: String, child: String?, isUnlisted: Bool? = nil) {
    self.device = device
    self.account = account
    self.child = child
    self.isUnlisted = isUnlisted
  }
}

extension AccountRequest: CheckedRequest {
  /// A sentence about a text that cannot be used; `nil` if all can.
  public var textFault: String? {
    device.flatMap { TextRule.deviceName.fault(in: $0) } ?? TextRule.accountName.fault(in: account)
      ?? child.flatMap { TextRule.deviceName.fault(in: $0) }
  }
}
