/// An account of a person on a child's machine.
///
/// Spec: Protocol/10-household.md §3.
public struct Account: Hashable, Sendable, Codable, Comparable {
  public static let nameBytes = 64
  /// Accounts that a machine tells of, those with the lowest numbers.
  public static let most = 64

  /// The number of an account that a machine has not told of yet, which no account has.
  public static let unknownNumber = UInt32.max

  /// The number by which the system knows the account.
  public var uid: UInt32
  /// The log-in name, a *word* of 1 to 64 bytes.
  public var name: String
  /// The name of the person, a *line* of at most 255 bytes; empty if the system knows none.
  public var fullName: String
  /// The name of the child whose account it is by the word of the machine's owner, 1 to 64 bytes;
  /// `nil` if the owner has not said it.
  public var statedChild: String?

  public init(uid: UInt32, name: String, fullName: String, statedChild: String? = nil) {
    self.uid = uid
    self.name = name
    self.fullName = fullName
    self.statedChild = statedChild
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    TextRule.accountName.fault(in: name) ?? TextRule.fullName.fault(in: fullName)
      ?? statedChild.flatMap { TextRule.deviceName.fault(in: $0) }
  }

  /// Returns whether the machine says that the account is the child's with this name, compared
  /// without regard to case.
  public func isStated(_ child: String) -> Bool { statedChild?.lowercased() == child.lowercased() }

  /// Returns whether `left` sorts before `right`, which compares the numbers.
  public static func < (left: Account, right: Account) -> Bool { left.uid < right.uid }
}

extension Account: InventoryEntry {
  package static let inventory = InventoryKind("accounts", most: most, news: .household)

  package var lines: [String] { [String(uid), name, fullName, statedChild ?? ""] }

  package init?(lines: [String]) {
    guard lines.count == 4, let uid = UInt32(lines[0]) else { return nil }
    self.init(uid: uid, name: lines[1], fullName: lines[2], statedChild: lines[3].isEmpty ? nil : lines[3])
  }
}
