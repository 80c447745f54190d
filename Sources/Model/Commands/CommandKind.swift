/// The name of a kind of command, or of a state that a child reports: 1 to 64 ASCII letters, digits and hyphens.
///
/// The set of kinds is open: a machine of a later version may know more of them. Spec: Protocol/06-messages.md §3.
public struct CommandKind: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  /// Checks and wraps a word; returns `nil` if it is empty, too long, or has another character.
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
  public init(stringLiteral value: String) {
    guard let kind = CommandKind(rawValue: value) else { preconditionFailure("\(value) is no word for a kind") }
    self = kind
  }
}

extension CommandKind: CustomStringConvertible {
  public var description: String { rawValue }
}
