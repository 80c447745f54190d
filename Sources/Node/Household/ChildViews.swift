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

  /// The sentence that says whose the account of a machine is now.
  package var phrase: Phrase {
    let names = childNames.map { Phrase.Argument.text(PrintableText.of($0.text)) }
    let arguments: [String: Phrase.Argument] = [
      "account": .text(PrintableText.of(account.name)), "machine": .text(PrintableText.of(deviceName.text)),
      "child": names.isEmpty ? .phrase(Phrase("a child")) : .list(names),
    ]
    return switch owner {
    case .child where childNames.count > 1:
      Phrase(
        """
        The account {account} on {machine} is shared by {child} now: the stricter rules hold until `latchkey me --i-am` \
        says who is there.
        """, arguments)
    case .child: Phrase("The account {account} on {machine} is {child}'s now.", arguments)
    case .nobody, .open: Phrase("The account {account} on {machine} is not supervised now.", arguments)
    }
  }
}

extension [AccountListing] {
  /// The first child whom a machine states for open accounts, with the log-in names of these; `nil`
  /// if it states none.
  package var stated: (child: String, accounts: [String])? {
    let open = filter { $0.owner == .open }.map(\.account)
    guard let child = open.lazy.compactMap(\.statedChild).first(where: { ChildNames.split($0) == [$0] }) else {
      return nil
    }
    return (child, open.filter { $0.isStated(child) }.map(\.name))
  }

  /// Returns the sentence about what a machine states of a child's accounts.
  ///
  /// - Parameters:
  ///   - machine: The name of the machine.
  ///   - child: The name of the child.
  ///   - accounts: The log-in names of the accounts.
  /// - Returns: The sentence.
  package static func statement(_ machine: DeviceName, _ child: String, _ accounts: [String]) -> Phrase {
    Phrase(
      "{machine} says that {child} uses {accounts} there.",
      [
        "machine": machine.quotation, "child": .text(PrintableText.of(child)),
        "accounts": .list(accounts.map { .text(PrintableText.of($0)) }),
      ])
  }
}
