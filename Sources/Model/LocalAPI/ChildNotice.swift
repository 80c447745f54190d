/// Something that a child is told at once, such as that a program closes soon.
public struct ChildNotice: Hashable, Sendable, Codable {
  /// What a child is told of.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A program closes soon.
    case warned
    /// A program was closed or paused.
    case closed
    /// A parent said yes to a request.
    case approved
    /// A parent said no to a request.
    case denied
  }

  /// The key of notices about programs that are no known application.
  public static let unknownKey = "unknown"

  /// Its number, which grows with each notice of the machine during a boot.
  public var number: Int
  /// What it is about: a notice takes the place of earlier ones with the same key.
  public var key: String
  /// What it tells of.
  public var kind: Kind
  /// The sentence for the child.
  public var sentence: String
  /// When it happened, on the boot clock of the child's machine.
  public var at: BootInstant

  /// Creates a notice.
  public init(number: Int, key: String, kind: Kind, sentence: String, at: BootInstant) {
    self.number = number
    self.key = key
    self.kind = kind
    self.sentence = sentence
    self.at = at
  }
}
