/// What recognizes an application that was found on a machine.
public struct InstalledMatchers: Hashable, Sendable {
  public var matchers: [AppMatcher]
  /// A Boolean value that indicates whether the application is known from an account's own folder
  /// alone: the account says what it is.
  public var isOwn: Bool

  public init(_ matchers: [AppMatcher], isOwn: Bool = false) {
    self.matchers = matchers
    self.isOwn = isOwn
  }
}
