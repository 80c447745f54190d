/// What a parent asks of a child's machine: a command of any kind that is registered.
public struct CommandPayload: Sendable {
  public let value: any CommandDefinition

  public init(_ value: some CommandDefinition) { self.value = value }

  init(erased value: any CommandDefinition) { self.value = value }

  public var kind: CommandKind { type(of: value).kind }
  public var fault: String? { value.fault }
  public var appID: AppID? { value.appID }
  public var desired: DesiredState? { value.desired }
  public var usualLifetime: Int64? { value.usualLifetime }
  public var summary: String { value.summary }

  /// The key of the thing that it sets, of which the newest command alone counts; `nil` for a command that happens once.
  ///
  /// Spec: Protocol/05-delivery.md §10.
  public var supersedeKey: String? { desired?.thing.key }

  /// The command as a value of a kind; `nil` if it is of another.
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
  public var description: String { "\(value)" }
}

extension CommandPayload: Codable {
  private enum Field: String, CodingKey {
    case kind, payload
  }

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
