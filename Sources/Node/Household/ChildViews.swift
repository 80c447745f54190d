import LatchkeyModel

/// A child of the family, as the local API shows it.
public struct ChildListing: Hashable, Sendable, Codable {
  /// The child's permanent ID.
  public var childID: ChildID
  public var name: DeviceName
  /// A Boolean value that indicates whether the child has a PIN for accounts that several children
  /// share.
  public var hasPIN: Bool = false
  /// The child's machines; on a parent's node those that get from it what is set for the child.
  public var machines: [DeviceName]
  /// The machines that have not yet confirmed the last change that concerns the child.
  public var untold: [DeviceName]
  /// On a parent's node, the number of the child's machines that another parent tells of and that
  /// are not paired with this node.
  public var elsewhere: Int = 0
  /// On a parent's node, the machines that say they are the child's, which has not been said here:
  /// they get nothing of the child's from this node.
  public var claimed: [DeviceName] = []
  /// On a parent's node, the machines that another parent has taken from the child: they get
  /// nothing more of the child's from this node.
  public var taken: [TakenMachine] = []
}

/// A machine that another parent has taken from a child.
public struct TakenMachine: Hashable, Sendable, Codable {
  public var machine: DeviceName
  /// The name of the other parent's machine, by the word of the child's machine.
  public var by: DeviceName
}

/// An account of a child's machine, as the local API shows it.
package struct AccountListing: Hashable, Sendable, Codable {
  /// Whose an account is.
  package enum Owner: String, Hashable, Sendable, Codable, CaseIterable {
    case child
    /// Nobody's: it is not supervised.
    case nobody
    /// Nobody has said it yet; it is not supervised.
    case open
  }

  package var deviceID: DeviceID
  package var deviceName: DeviceName
  package var account: Account
  package var owner: Owner
  /// The names of the children whose it is, in their order; none for an account that is no child's.
  package var childNames: [DeviceName] = []
  /// The child who is there, if children share it and this node knows; `nil` otherwise.
  package var present: DeviceName?
  /// A Boolean value that indicates whether children share it and, as this node knows, nobody has
  /// said who is there.
  package var isUnnamed = false
}
