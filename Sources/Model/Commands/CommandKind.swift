/// The name of a kind of command, or of a state that a child's machine reports: 1 to 64 ASCII
/// letters, digits and hyphens.
///
/// A machine with a later version may use names that this version does not know.
///
/// Spec: Protocol/06-messages.md §3.
public struct CommandKind: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  /// Creates a name from text; `nil` if it is empty, too long, or contains another character.
  public init?(rawValue: String) {
    let bytes = rawValue.utf8
    guard (1...64).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
    self.rawValue = rawValue
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension CommandKind: ExpressibleByStringLiteral {
  /// Creates a name from a literal; traps if the literal is not a valid name.
  public init(stringLiteral value: String) {
    guard let kind = CommandKind(rawValue: value) else { preconditionFailure("\(value) is no word for a kind") }
    self = kind
  }
}

extension CommandKind: CustomStringConvertible {
  public var description: String { rawValue }
}
