/// A registry of the kinds of command that a program supports, by name.
///
/// `LatchkeyHousehold` defines the production registry. The body codings, and with them the store,
/// receive it as a parameter; a JSON decoder receives it in its `userInfo`.
public struct CommandRegistry: Sendable {
  private let definitions: [CommandKind: any CommandDefinition.Type]
  private let states: [CommandKind: any CommandState.Type]

  /// Creates a registry of kinds; the states are those that the kinds list, and `Done`.
  public init(_ kinds: [any CommandDefinition.Type]) {
    definitions = Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })
    let reported = kinds.flatMap { $0.states } + [Done.self]
    states = Dictionary(reported.map { ($0.kind, $0) }) { first, _ in first }
  }

  /// The names of the kinds, in ascending order.
  public var kinds: [CommandKind] { definitions.keys.sorted { $0.rawValue < $1.rawValue } }

  /// The kinds whose executed command settles the doubt after one of two machines was set back.
  public var settlingSetBack: [CommandKind] { kinds.filter { definitions[$0]?.settlesSetBack == true } }

  /// The kinds whose answer says only that the command was executed.
  public var withPlainAnswer: [CommandKind] { kinds.filter { definitions[$0]?.hasPlainAnswer == true } }

  public func definition(_ kind: CommandKind) -> (any CommandDefinition.Type)? { definitions[kind] }
  public func state(_ kind: CommandKind) -> (any CommandState.Type)? { states[kind] }

  /// Decodes the payload of a command and checks its values.
  ///
  /// Throws `BodyFault`, the sender's fault, for invalid bytes or values and an unknown kind.
  public func payload(_ kind: String, _ bytes: [UInt8]) throws(BodyFault) -> CommandPayload {
    guard let known = CommandKind(rawValue: kind) else { throw BodyFault("the name of its kind is malformed") }
    guard let type = definitions[known] else {
      throw BodyFault(
        phrase: Phrase(
          "This command cannot be read: this version ({version}) does not know {kind}: update Latchkey on this machine.",
          ["version": .text(Version.software), "kind": .text(known.rawValue)]))
    }
    let payload = CommandPayload(erased: try type.init(bytes: bytes))
    if let fault = payload.fault { throw BodyFault(fault) }
    return payload
  }

  /// Decodes a state; throws `BodyFault`, the sender's fault, for invalid bytes or an unknown kind.
  public func state(_ kind: String, _ bytes: [UInt8]) throws(BodyFault) -> StateInForce {
    guard let known = CommandKind(rawValue: kind), let type = states[known] else {
      throw BodyFault("a state of an unknown kind")
    }
    return StateInForce(erased: try type.init(bytes: bytes))
  }
}

extension CodingUserInfoKey {
  /// The key of the registry that a JSON decoder needs for commands and states.
  public static let commands: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "latchkey.commands") else { preconditionFailure("a key for decoders") }
    return key
  }()
}

extension Decoder {
  /// Returns the registry in `userInfo`; throws `DecodingError` if the program gave none.
  func commands() throws -> CommandRegistry {
    guard let registry = userInfo[.commands] as? CommandRegistry else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "this decoder was given no registry of commands"))
    }
    return registry
  }
}

/// The fault of JSON that names a kind of command or state that this version does not know.
public struct UnknownKind: Error, Hashable, Sendable {
  /// A well-formed name of a kind.
  public var kind: CommandKind
}

extension DecodingError {
  /// Creates the error for a kind that is not registered.
  static func unknownKind(_ path: [any CodingKey], _ kind: CommandKind? = nil) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: path, debugDescription: "a kind that this version does not know",
        underlyingError: kind.map { UnknownKind(kind: $0) }))
  }
}

/// The name of a kind of command, or of a state that a child's machine reports: 1 to 64 ASCII
/// letters, digits and hyphens.
///
/// A machine with a later version may use names that this version does not know.
///
/// Spec: Protocol/06-messages.md §3.
public struct CommandKind: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
  public let rawValue: String

  /// Creates a name from text; `nil` if it is empty, too long, or contains another character.
  public init?(rawValue: String) {
    let bytes = rawValue.utf8
    guard (1...64).contains(bytes.count), bytes.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2D }) else { return nil }
    self.rawValue = rawValue
  }

  /// Creates a name from a literal; traps if the literal is not a valid name.
  public init(stringLiteral value: String) {
    guard let kind = CommandKind(rawValue: value) else { preconditionFailure("\(value) is no word for a kind") }
    self = kind
  }
}

extension CommandKind: CustomStringConvertible { public var description: String { rawValue } }
