/// An account of a person on a child's machine.
///
/// Spec: Protocol/10-household.md §3.
public struct Account: Hashable, Sendable, Codable, Comparable, InventoryEntry {
  public static let nameBytes = 64
  /// The largest number of accounts that a machine reports: those with the lowest numbers.
  public static let most = 64

  /// The number that stands for an account that a machine has not reported yet; no account has it.
  public static let unknownNumber = UInt32.max

  /// The number by which the system knows the account.
  public var uid: UInt32
  /// The log-in name, a *word* of 1 to 64 bytes.
  public var name: String
  /// The name of the person, a *line* of at most 255 bytes; empty if the system knows none.
  public var fullName: String
  /// The name of the child whose account it is, as the machine's owner says; 1 to 64 bytes.
  public var statedChild: String?

  public init(uid: UInt32, name: String, fullName: String, statedChild: String? = nil) {
    (self.uid, self.name, self.fullName, self.statedChild) = (uid, name, fullName, statedChild)
  }

  public var fault: String? {
    TextRule.accountName.fault(in: name) ?? TextRule.fullName.fault(in: fullName)
      ?? statedChild.flatMap { TextRule.deviceName.fault(in: $0) }
  }

  /// Returns whether the owner has stated that the account is this child's; case is ignored.
  public func isStated(_ child: String) -> Bool { statedChild?.lowercased() == child.lowercased() }

  /// Returns whether `left` sorts before `right`, which compares the numbers.
  public static func < (left: Account, right: Account) -> Bool { left.uid < right.uid }

  package static let inventory = InventoryKind(name: "accounts", most: most, news: .household, about: .member)

  package var lines: [String] { [String(uid), name, fullName, statedChild ?? ""] }

  package init?(lines: [String]) {
    guard lines.count == 4, let uid = UInt32(lines[0]) else { return nil }
    self.init(uid: uid, name: lines[1], fullName: lines[2], statedChild: lines[3].isEmpty ? nil : lines[3])
  }
}

/// The properties that show whether an account is the one that had its number before.
///
/// A system may give the number of a deleted account to a new one. The new account must not inherit
/// the child's rules and use.
///
/// Spec: Protocol/10-household.md §3.
public struct AccountIdentity: Hashable, Sendable {
  public var uid: UInt32
  public var name: String
  /// The path of the home folder; empty if there is none.
  public var home: String
  /// The mark of the home folder, wherever it is moved; empty if it is missing or not the
  /// account's.
  public var homeMark: String

  public init(uid: UInt32, name: String, home: String, homeMark: String) {
    (self.uid, self.name, self.home, self.homeMark) = (uid, name, home, homeMark)
  }

  /// Returns whether this is the account that had the number before: by its name, or by the folder
  /// of its home.
  ///
  /// The path of a home says nothing: another folder may be there, or none.
  public func isSameAccount(as before: AccountIdentity) -> Bool {
    name == before.name || (!homeMark.isEmpty && homeMark == before.homeMark)
  }
}

/// The value of a register that assigns an account: to one child, to several who share it, or to
/// nobody.
///
/// Spec: Protocol/10-household.md §2.
public struct AccountOwners: Hashable, Sendable {
  /// The most children who share an account.
  public static let most = 8
  /// The value of an account that belongs to no child and is not supervised.
  public static let nobody = "nobody"

  /// The children in the order of their IDs; none for an account that is not supervised.
  public let children: [ChildID]

  /// Creates the owners of an account; returns `nil` for more than 8 children.
  ///
  /// A child who is named again counts once.
  public init?(_ children: some Sequence<ChildID>) {
    self.children = Set(children).sorted()
    guard self.children.count <= Self.most else { return nil }
  }

  /// Creates the owners from a register's value; returns `nil` for a value of another form.
  public init?(_ text: String) {
    guard text != Self.nobody else {
      children = []
      return
    }
    let words = text.split(separator: " ", maxSplits: Self.most, omittingEmptySubsequences: false)
    let children = words.compactMap { ChildID($0) }
    // One child may be written in any way in which IDs are read; several have one form.
    guard children.count == words.count, children.count <= Self.most,
      children.count == 1 || children.map(\.description) == words.map(String.init),
      zip(children, children.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.children = children
  }

  public var text: String { children.isEmpty ? Self.nobody : children.map(\.description).joined(separator: " ") }
}

/// The accounts that belong to a child according to the machine's owner, who states this when the
/// machine is set up.
///
/// Spec: Protocol/10-household.md §3.
public struct StatedAccounts: Hashable, Sendable, Codable {
  public let child: DeviceName
  /// The log-in names of the accounts, each once, at most 64.
  public let accounts: [String]

  /// Creates a statement; a name that is given again counts once.
  public init(_ child: DeviceName, _ accounts: [String]) {
    self.child = child
    self.accounts = accounts.reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
  }

  /// A sentence that describes the first invalid value and the next step; `nil` if all are valid.
  public var fault: String? {
    if ChildNames.split(child.text) != [child.text] {
      return "A child's name has no comma, which separates names: leave it out."
    }
    if accounts.isEmpty { return "Name the accounts that are \(child.text)'s." }
    if accounts.count > Account.most { return "A machine tells of at most \(Account.most) accounts: name fewer." }
    return accounts.lazy.compactMap { TextRule.accountName.fault(in: $0) }.first
  }

  /// Returns accounts of the machine with this statement about each.
  public func stated(in accounts: [Account]) -> [Account] {
    accounts.map { account in
      var account = account
      if self.accounts.contains(account.name) { account.statedChild = child.text }
      return account
    }
  }
}
