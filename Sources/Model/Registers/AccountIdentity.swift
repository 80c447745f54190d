/// What tells whether an account is the one that had its number before.
///
/// A system gives the number of a deleted account to a new one. Nothing of a child's may pass to
/// that.
///
/// Spec: Protocol/10-household.md §3.
public struct AccountIdentity: Hashable, Sendable {
  public var uid: UInt32
  public var name: String
  /// The path of the home folder; empty if there is none.
  public var home: String
  /// What distinguishes the home folder from all others, wherever it is moved to on its file
  /// system; empty if it is not there, or not the account's own.
  public var homeMark: String

  public init(uid: UInt32, name: String, home: String, homeMark: String) {
    self.uid = uid
    self.name = name
    self.home = home
    self.homeMark = homeMark
  }

  /// Returns whether this is the account that had the number before: by its name, or by the folder
  /// of its home.
  ///
  /// The path of a home says nothing: another folder may be there, or none.
  public func isSameAccount(as before: AccountIdentity) -> Bool {
    name == before.name || (!homeMark.isEmpty && homeMark == before.homeMark)
  }
}
