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

/// A rule that recognizes an application's processes.
///
/// The child's agent tries the strong kinds first, in their order.
public struct AppMatcher: Hashable, Sendable, Codable {
  /// The property that `value` is compared with, in the order of the matchers' numbers.
  public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
    case sha256
    case package
    case flatpak
    case argument
    case path
    case name
    case snap
  }

  /// A Boolean value that indicates whether a child can give no other program the property.
  public var isStrong: Bool {
    switch kind {
    case .sha256, .package, .flatpak, .snap: true
    case .argument, .path, .name: false
    }
  }

  /// The property that is compared.
  public var kind: Kind
  /// The expected value, 1 to 1,024 bytes of UTF-8.
  public var value: String

  public init(kind: Kind, value: String) {
    self.kind = kind
    self.value = value
  }
  /// The matcher as a person writes it: its kind, a space and its value.
  package var text: String { "\(kind.rawValue) \(value)" }

  /// Creates a matcher from its text, whose value need not be valid; `nil` without a known kind.
  package init?(text: some StringProtocol) {
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
    self.init(kind: kind, value: String(words[1]))
  }
}
