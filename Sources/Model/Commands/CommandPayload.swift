/// The content of a command of any registered kind.
public struct CommandPayload: Sendable {
  /// The value of the kind's own type.
  public let value: any CommandDefinition

  /// Creates a payload from a value of a registered kind.
  public init(_ value: some CommandDefinition) { self.value = value }

  init(erased value: any CommandDefinition) { self.value = value }

  public var kind: CommandKind { type(of: value).kind }
  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { value.fault }
  /// The age in milliseconds after which the command expires unless its author says otherwise;
  /// `nil` for never.
  public var usualLifetime: Int64? { value.usualLifetime }
  /// A phrase that describes the command in a list of commands.
  public var summary: String { value.summary }

  /// Returns the command as a value of a kind; `nil` if it is of another kind.
  public func `as`<Command: CommandDefinition>(_ type: Command.Type) -> Command? { value as? Command }
}

extension CommandPayload: Hashable {
  public static func == (left: CommandPayload, right: CommandPayload) -> Bool {
    func isSame<Command: CommandDefinition>(_ command: Command) -> Bool { right.value as? Command == command }
    return isSame(left.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    value.hash(into: &hasher)
  }
}

extension CommandPayload: CustomStringConvertible {
  /// The value of the kind's own type, for tests and logs.
  public var description: String { "\(value)" }
}

extension CommandPayload: Codable {
  private enum Field: String, CodingKey {
    case kind, payload
  }

  /// Decodes the value from its JSON form.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let type = try decoder.commands().definition(fields.decode(CommandKind.self, forKey: .kind))
    guard let type else { throw DecodingError.unknownKind(fields.codingPath) }
    value = try type.init(from: fields.superDecoder(forKey: .payload))
  }

  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .kind)
    try value.encode(to: fields.superEncoder(forKey: .payload))
  }
}
