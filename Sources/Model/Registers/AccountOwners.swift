/// The value of a register that says whose an account is: one child, several who share it, or
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

  /// The value of the register.
  public var text: String {
    children.isEmpty ? Self.nobody : children.map(\.description).joined(separator: " ")
  }
}
