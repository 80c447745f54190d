/// A kind of state that a child's machine reports.
///
/// Spec: Protocol/06-messages.md §4.
public protocol CommandState: Hashable, Sendable, Codable {
  /// The kind's name on the wire and in the database.
  static var kind: CommandKind { get }

  /// Creates a state from its wire form; throws `BodyFault`, the sender's fault.
  init(bytes: [UInt8]) throws(BodyFault)
  /// The wire form.
  var bytes: [UInt8] { get }

  /// How far the machine enforces the rule; `nil` for a state that is not a rule.
  var enforcement: Enforcement? { get set }

  /// The state in whole sentences, in which the machine is called “there”.
  var summary: String { get }
  /// Returns the state in whole sentences that name the machine.
  func summary(on machine: String) -> String
  /// The state as a phrase that follows “it holds”.
  var claim: String { get }
}

extension CommandState {
  public var enforcement: Enforcement? {
    get { nil }
    // A state that is not a rule has no enforcement.
    set { _ = newValue }
  }
  public func summary(on machine: String) -> String { summary }
  public var claim: String { "something that does not belong to this command" }
}

/// The state of a command that happened once and reports nothing but its completion.
public struct Done: CommandState {
  public static let kind: CommandKind = "done"

  public init() {}
  public init(bytes: [UInt8]) throws(BodyFault) {}

  public var bytes: [UInt8] { [] }
  public var summary: String { "It is done." }
}

/// How far a child's machine enforces a rule.
///
/// Every receipt states it, so that a rule that is only stored is not mistaken for one that is
/// enforced.
public enum Enforcement: String, Codable, Sendable, Hashable, CaseIterable {
  /// The rule is stored and shown; no part of the machine closes or refuses programs.
  case recorded
  /// The rule is stored, and the machine's agent enforces it.
  case enforced
  /// The rule is stored, and enforced for the programs of the account that runs Latchkey only.
  case ownPrograms
}

/// A state of any registered kind that a child's machine reports after a command.
public struct StateInForce: Sendable, Hashable, CustomStringConvertible, Codable {
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

  public static func == (left: StateInForce, right: StateInForce) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    value.hash(into: &hasher)
  }

  /// The value of the kind's own type, for tests and logs.
  public var description: String { "\(value)" }

  private enum Field: String, CodingKey { case kind, state }

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
