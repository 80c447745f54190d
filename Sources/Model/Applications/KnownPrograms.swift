/// What a child's machine remembers of the programs that its accounts have installed for
/// themselves, and of the names of applications.
///
/// A child writes the menu entries of its own programs, and may change them at any time. A program
/// remains the application as which it was first known, and an application with rules keeps its
/// name. No other machine is told of it.
///
/// Spec: Protocol/11-rules.md §5.
public struct KnownPrograms: Hashable, Sendable {
  /// A program that was known by one of its matchers.
  public struct Program: Hashable, Sendable {
    public var matcher: AppMatcher
    /// The application as which it was first known; `nil` if it was refused as none.
    public var app: AppID?
    /// The path at which a content was refused; `nil` if the matcher is of another kind than
    /// SHA-256.
    public var file: String?

    public init(_ matcher: AppMatcher, as app: AppID?, at file: String? = nil) {
      self.matcher = matcher
      self.app = app
      self.file = file
    }
  }

  /// The programs in the order in which they became known.
  public var programs: [Program]
  /// The names of the applications that were found, as of the last look before they had rules.
  public var names: [AppID: String]

  public init(_ programs: [Program] = [], names: [AppID: String] = [:]) {
    self.programs = programs
    self.names = names
  }
}
