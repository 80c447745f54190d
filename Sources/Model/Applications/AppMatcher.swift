/// One way to recognise an application's processes; the child's agent tries the strong kinds first.
public struct AppMatcher: Hashable, Sendable, Codable {
  /// What `value` is compared with, strongest first.
  public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
    case sha256
    case package
    case flatpak
    case argument
    case path
    case name
  }

  public var kind: Kind
  /// UTF-8, 1 to 1,024 bytes.
  public var value: String

  public init(kind: Kind, value: String) {
    self.kind = kind
    self.value = value
  }
}
