/// What recognizes an application that was found on a machine.
public struct InstalledMatchers: Hashable, Sendable {
  /// The matchers.
  public var matchers: [AppMatcher]
  /// A Boolean value that indicates whether an account has the application in its own folder, so that it says itself what the
  /// application is.
  public var isOwn: Bool

  /// Creates a value.
  public init(_ matchers: [AppMatcher], isOwn: Bool = false) {
    self.matchers = matchers
    self.isOwn = isOwn
  }
}
