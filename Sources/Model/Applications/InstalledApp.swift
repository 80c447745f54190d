/// An application that a child's machine has found on itself.
///
/// Spec: Protocol/10-household.md §5.
public struct InstalledApp: Hashable, Sendable, Codable, InventoryEntry {
  public var appID: AppID
  /// The name for people, a *line* of 1 to 255 bytes.
  public var name: String
  /// The version, a *line* of at most 64 bytes; empty if it is unknown.
  public var version: String
  /// The suggested category; `nil` for none.
  public var suggestion: AppCategory?

  public init(appID: AppID, name: String, version: String = "", suggestion: AppCategory? = nil) {
    (self.appID, self.name, self.version, self.suggestion) = (appID, name, version, suggestion)
  }

  public var fault: String? { TextRule.displayName.fault(in: name) ?? TextRule.appVersion.fault(in: version) }

  package static let inventory = InventoryKind(
    name: "installed", most: Limits.installedApps, parts: Limits.inventoryParts, about: .application)

  package var lines: [String] { [appID.text, name, version, suggestion?.rawValue ?? ""] }

  package init?(lines: [String]) {
    guard lines.count == 4, let appID = AppID(lines[0]) else { return nil }
    self.init(appID: appID, name: lines[1], version: lines[2], suggestion: AppCategory(rawValue: lines[3]))
  }
}

/// The matchers of an application that was found on a machine.
public struct InstalledMatchers: Hashable, Sendable {
  public var matchers: [AppMatcher]
  /// A Boolean value that indicates whether they are known only from an account's own folders.
  public var isOwn: Bool

  public init(_ matchers: [AppMatcher], isOwn: Bool = false) { (self.matchers, self.isOwn) = (matchers, isOwn) }
}

/// A rule that recognizes an application's processes.
///
/// The child's agent tries the strong kinds first, in their order.
public struct AppMatcher: Hashable, Sendable, Codable {
  /// The property of a process that a value is compared with, in the order of the kinds' numbers.
  public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
    case sha256, package, flatpak, argument, path, name, snap
  }

  /// A Boolean value that indicates whether a child cannot give the property to another program.
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

  public init(kind: Kind, value: String) { (self.kind, self.value) = (kind, value) }
  /// The matcher as a person writes it: its kind, a space and its value.
  package var text: String { "\(kind.rawValue) \(value)" }

  /// Creates a matcher from its text, whose value need not be valid; `nil` without a known kind.
  package init?(text: some StringProtocol) {
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
    self.init(kind: kind, value: String(words[1]))
  }
}

/// The programs that accounts of a child's machine have installed for themselves, and the names of
/// applications, as the machine remembers them.
///
/// A child can change the menu entries of its own programs at any time. Therefore, a program
/// remains the application as which it was first known, and an application with rules keeps its
/// name. This memory is not sent to other machines.
///
/// Spec: Protocol/11-rules.md §5.
public struct KnownPrograms: Hashable, Sendable {
  /// A program that was known by one of its matchers.
  public struct Program: Hashable, Sendable {
    public var matcher: AppMatcher
    /// The application as which it was first known; `nil` if it was refused without an application.
    public var app: AppID?
    /// The path at which a file was refused; `nil` if the matcher is not a SHA-256.
    public var file: String?

    public init(_ matcher: AppMatcher, as app: AppID?, at file: String? = nil) {
      (self.matcher, self.app, self.file) = (matcher, app, file)
    }
  }

  /// The programs in the order in which they became known.
  public var programs: [Program]
  /// The names of the applications that were found, as of the last scan before they had rules.
  public var names: [AppID: String]

  public init(_ programs: [Program] = [], names: [AppID: String] = [:]) {
    (self.programs, self.names) = (programs, names)
  }
}
