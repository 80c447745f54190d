/// The content of a command of any registered kind.
public struct CommandPayload: Sendable, Hashable, CustomStringConvertible, Codable {
  /// The value of the kind's own type.
  public let value: any CommandDefinition

  public init(_ value: some CommandDefinition) { self.value = value }

  init(erased value: any CommandDefinition) { self.value = value }

  public var kind: CommandKind { type(of: value).kind }
  public var fault: String? { value.fault }
  /// The age in milliseconds after which the command expires by default; `nil` for never.
  public var usualLifetime: Int64? { value.usualLifetime }
  /// What a command of the kind is for a reader who knows no more of it, such as "a message".
  public var title: Phrase { type(of: value).title }
  /// A phrase that describes the command in a list of commands.
  public var summary: String { value.summary }

  /// Returns the command as a value of a kind; `nil` if it is of another kind.
  public func `as`<Command: CommandDefinition>(_ type: Command.Type) -> Command? { value as? Command }

  public static func == (left: CommandPayload, right: CommandPayload) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    value.hash(into: &hasher)
  }

  /// The value of the kind's own type, for tests and logs.
  public var description: String { "\(value)" }

  private enum Field: String, CodingKey { case kind, payload }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let type = try decoder.commands().definition(fields.decode(CommandKind.self, forKey: .kind))
    guard let type else { throw DecodingError.unknownKind(fields.codingPath) }
    value = try type.init(from: fields.superDecoder(forKey: .payload))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .kind)
    try value.encode(to: fields.superEncoder(forKey: .payload))
  }
}

/// A draft of a command of any registered kind.
public struct CommandDraft: Sendable, Hashable, CustomStringConvertible, Codable {
  private let value: any Hashable & Sendable & Codable
  private let definition: any CommandDefinition.Type

  public init<Command: CommandDefinition>(_ draft: Command.Draft, for type: Command.Type) {
    value = draft
    definition = type
  }

  public var kind: CommandKind { definition.kind }

  public var textFault: String? { textFault(definition) }

  public var fault: String? { fault(definition) }

  public func payload(
    for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> CommandPayload {
    try make(definition, for: device, in: &transaction, clock)
  }

  private func textFault<Command: CommandDefinition>(_ type: Command.Type) -> String? {
    type.textFault(in: draft(type))
  }

  private func fault<Command: CommandDefinition>(_ type: Command.Type) -> String? { type.fault(in: draft(type)) }

  private func make<Command: CommandDefinition>(
    _ type: Command.Type, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> CommandPayload {
    CommandPayload(try type.make(from: draft(type), for: device, in: &transaction, clock))
  }

  private func draft<Command: CommandDefinition>(_ type: Command.Type) -> Command.Draft {
    guard let draft = value as? Command.Draft else { preconditionFailure("a draft of \(kind) of another type") }
    return draft
  }

  public static func == (left: CommandDraft, right: CommandDraft) -> Bool {
    left.kind == right.kind && AnyHashable(left.value) == AnyHashable(right.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    value.hash(into: &hasher)
  }

  /// The kind and the values, for tests and logs.
  public var description: String { "\(kind) \(value)" }

  private enum Field: String, CodingKey { case kind, payload }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let kind = try fields.decode(CommandKind.self, forKey: .kind)
    guard let type = try decoder.commands().definition(kind) else {
      throw DecodingError.unknownKind(fields.codingPath, kind)
    }
    definition = type
    func read<Command: CommandDefinition>(_ type: Command.Type) throws -> any Hashable & Sendable & Codable {
      try fields.decode(Command.Draft.self, forKey: .payload)
    }
    value = try read(type)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .kind)
    try value.encode(to: fields.superEncoder(forKey: .payload))
  }
}
