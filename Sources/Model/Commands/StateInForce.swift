/// What a child reports to hold after a command: a state of any kind that is registered.
public struct StateInForce: Sendable {
  public let value: any CommandState

  public init(_ value: some CommandState) { self.value = value }

  init(erased value: any CommandState) { self.value = value }

  public var kind: CommandKind { type(of: value).kind }
  public var thing: String? { value.thing }
  public var setAt: HybridTimestamp? { value.setAt }
  public var enforcement: Enforcement? { value.enforcement }
  public var isNothing: Bool { value.isNothing }
  public var subject: (any HouseholdThing)? { value.subject }
  public func told(shown keys: [String]) -> [StateInForce] { value.told(shown: keys) }
  public var summary: String { value.summary }
  public var claim: String { value.claim }

  /// The state as a value of a kind; `nil` if it is of another.
  public func `as`<State: CommandState>(_ type: State.Type) -> State? { value as? State }

  /// The same with another word on how far the machine holds to it; unchanged for what is no rule.
  public func with(_ enforcement: Enforcement) -> StateInForce {
    var copy = value
    if copy.enforcement != nil { copy.enforcement = enforcement }
    return StateInForce(erased: copy)
  }

  /// A Boolean value that indicates whether two states say the same, how far it is held to aside.
  public func saysExactly(_ other: StateInForce) -> Bool { with(.recorded) == other.with(.recorded) }

  /// A Boolean value that indicates whether two states say the same, who set it, when, and how far it is held to aside.
  public func agrees(with other: StateInForce) -> Bool {
    StateInForce(erased: Self.content(of: value)).saysExactly(StateInForce(erased: Self.content(of: other.value)))
  }

  private static func content(of state: some CommandState) -> any CommandState { state.content }
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
  public var description: String { "\(value)" }
}

extension StateInForce: Codable {
  private enum Field: String, CodingKey {
    case kind, state
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let type = try decoder.commands().state(fields.decode(CommandKind.self, forKey: .kind))
    guard let type else { throw DecodingError.unknownKind(fields.codingPath) }
    value = try type.init(from: fields.superDecoder(forKey: .state))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind, forKey: .kind)
    try value.encode(to: fields.superEncoder(forKey: .state))
  }
}
