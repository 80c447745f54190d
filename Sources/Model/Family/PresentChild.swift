/// Who is there in an account that several children share, as a child has said it with its PIN.
///
/// Spec: Protocol/10-household.md §3.
public struct PresentChild: Hashable, Sendable {
  /// The most log-in sessions with which it ends.
  public static let mostSessions = 32

  /// The number of the account.
  public var account: UInt32
  /// The child; `nil` if somebody has said that nobody is there.
  public var child: ChildID?
  /// The boot in which it was said, and in which alone it holds.
  public var bootID: String
  public var since: BootInstant
  /// The IDs of the account's log-in sessions when it was said, each without a space: it ends with
  /// the first of them that ends, or with the boot if there is none.
  public var sessions: [String]

  public init(account: UInt32, child: ChildID?, bootID: String, since: BootInstant, sessions: [String] = []) {
    self.account = account
    self.child = child
    self.bootID = bootID
    self.since = since
    self.sessions = Array(sessions.prefix(Self.mostSessions))
  }

  /// Returns whether it has ended, by the boot and the log-in sessions that the account has now.
  public func hasEnded(boot: String, sessions present: Set<String>) -> Bool {
    bootID != boot || !present.isSuperset(of: sessions)
  }
}
