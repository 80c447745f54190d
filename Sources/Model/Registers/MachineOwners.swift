/// Whose a child's machine and its accounts are, as who set it up has said there.
///
/// It is a note for the parent who pairs the machine: no rule follows from it, and no other machine is told of it.
public struct MachineOwners: Hashable, Sendable, Codable {
  /// What was said of one child.
  public struct Claim: Hashable, Sendable, Codable {
    /// The child's name.
    public var child: DeviceName
    /// The log-in names of the child's accounts.
    public var accounts: [String]

    /// Creates a claim.
    public init(child: DeviceName, accounts: [String] = []) {
      self.child = child
      self.accounts = accounts
    }
  }

  /// What was said of each child.
  public private(set) var claims: [Claim] = []

  /// Creates a note without a child.
  public init() {}

  /// Adds a child, unless it is there.
  public mutating func add(_ child: DeviceName) {
    if index(of: child.text) == nil { claims.append(Claim(child: child)) }
  }

  /// Adds an account to a child, which is added if it is not there; returns whether the account is no other child's.
  public mutating func add(_ account: String, to child: DeviceName) -> Bool {
    add(child)
    guard let index = index(of: child.text) else { return false }
    if claims.contains(where: { $0.accounts.contains(account) }) { return claims[index].accounts.contains(account) }
    claims[index].accounts.append(account)
    return true
  }

  /// Returns what was said of a child, compared without regard to case; `nil` if nothing was.
  public subscript(_ child: String) -> Claim? { index(of: child).map { claims[$0] } }

  private func index(of child: String) -> Int? {
    claims.firstIndex { $0.child.text.lowercased() == child.lowercased() }
  }
}
