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
  /// When somebody has said it; 0 if it follows from something else, which delays no naming.
  public var since: BootInstant
  /// When it began, before which no use counts for who is there.
  public var changedAt: BootInstant
  /// The IDs of the account's log-in sessions when it was said, each without a space: it ends with
  /// the first of them that ends, or with the boot if there is none.
  public var sessions: [String]

  public init(
    account: UInt32, child: ChildID?, bootID: String, since: BootInstant, changedAt: BootInstant? = nil,
    sessions: [String] = []
  ) {
    self.account = account
    self.child = child
    self.bootID = bootID
    self.since = since
    self.changedAt = changedAt ?? since
    self.sessions = Array(sessions.prefix(Self.mostSessions))
  }

  /// Returns whether it has ended, by the boot and the log-in sessions that the account has now.
  public func hasEnded(boot: String, sessions present: Set<String>) -> Bool {
    bootID != boot || !present.isSuperset(of: sessions)
  }
}
