/// The accounts of a child's machine that are a child's by the word of the machine's owner, who
/// gives it when the machine is set up.
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
