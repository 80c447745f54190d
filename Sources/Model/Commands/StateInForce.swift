/// A state of any registered kind that a child's machine reports after a command.
public struct StateInForce: Sendable {
  /// The value of the kind's own type.
  public let value: any CommandState

  /// Creates a state from a value of a registered kind.
  public init(_ value: some CommandState) { self.value = value }

  init(erased value: any CommandState) { self.value = value }

  public var kind: CommandKind { type(of: value).kind }
  /// How far the machine enforces the rule; `nil` if it has not said so.
  public var enforcement: Enforcement? { value.enforcement }
  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String { value.summary }
  /// The state as a phrase that follows “it holds”.
  public var claim: String { value.claim }

  /// Returns the state as a value of a kind; `nil` if it is of another kind.
  public func `as`<State: CommandState>(_ type: State.Type) -> State? { value as? State }

  /// Returns the state with another degree of enforcement; a state that is not a rule is unchanged.
  public func with(_ enforcement: Enforcement) -> StateInForce {
    var copy = value
    if copy.enforcement != nil { copy.enforcement = enforcement }
    return StateInForce(erased: copy)
  }
}

extension StateInForce: Hashable {
  public static func == (left: StateInForce, right: StateInForce) -> Bool {
    func isSame<State: CommandState>(_ state: State) -> Bool { right.value as? State == state }
    return isSame(left.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    value.hash(into: &hasher)
  }
}

extension StateInForce: CustomStringConvertible {
  /// The value of the kind's own type, for tests and logs.
  public var description: String { "\(value)" }
}

extension StateInForce: Codable {
  private enum Field: String, CodingKey {
    case kind, state
  }

  /// Decodes the value from its JSON form.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let type = try decoder.commands().state(fields.decode(CommandKind.self, forKey: .kind))
    guard let type else { throw DecodingError.unknownKind(fields.codingPath) }
    value = try type.init(from: fields.superDecoder(forKey: .state))
  }

  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .kind)
    try value.encode(to: fields.superEncoder(forKey: .state))
  }
}
