/// The kinds of command that a program knows, by their names.
///
/// `LatchkeyHousehold` holds the one that production uses. Readers are given it: a body's coding, and with that the store, and
/// a JSON decoder by its `userInfo`.
public struct CommandRegistry: Sendable {
  private let definitions: [CommandKind: any CommandDefinition.Type]
  private let states: [CommandKind: any CommandState.Type]

  public init(_ kinds: [any CommandDefinition.Type]) {
    definitions = Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })
    let reported = kinds.flatMap { $0.states } + [Done.self]
    states = Dictionary(reported.map { ($0.kind, $0) }) { first, _ in first }
  }

  /// The kinds, in the order of their names.
  public var kinds: [CommandKind] { definitions.keys.sorted { $0.rawValue < $1.rawValue } }

  /// The kinds of which an executed command settles that one of two machines was set back.
  public var settlingSetBack: [CommandKind] { kinds.filter { definitions[$0]?.settlesSetBack == true } }

  public func definition(_ kind: CommandKind) -> (any CommandDefinition.Type)? { definitions[kind] }
  public func state(_ kind: CommandKind) -> (any CommandState.Type)? { states[kind] }

  /// Reads the payload of a command, and checks its values.
  ///
  /// - Throws: `BodyFault`, the sender's fault, also for a kind that this version does not know.
  public func payload(_ kind: String, _ bytes: [UInt8]) throws(BodyFault) -> CommandPayload {
    guard let known = CommandKind(rawValue: kind) else { throw BodyFault("the name of its kind is malformed") }
    guard let type = definitions[known] else {
      throw BodyFault("this version (\(Version.software)) does not know \(known): update Latchkey on this machine")
    }
    let payload = CommandPayload(erased: try type.init(bytes: bytes))
    if let fault = payload.fault { throw BodyFault(fault) }
    return payload
  }

  /// Reads a state.
  ///
  /// - Throws: `BodyFault`, the sender's fault, also for a kind that this version does not know.
  public func state(_ kind: String, _ bytes: [UInt8]) throws(BodyFault) -> StateInForce {
    guard let known = CommandKind(rawValue: kind), let type = states[known] else {
      throw BodyFault("a state of an unknown kind")
    }
    return StateInForce(erased: try type.init(bytes: bytes))
  }
}

extension CodingUserInfoKey {
  /// The registry with which a JSON decoder reads commands and states.
  public static let commands: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "latchkey.commands") else { preconditionFailure("a key for decoders") }
    return key
  }()
}

extension Decoder {
  /// The registry that the decoder was given.
  func commands() throws -> CommandRegistry {
    guard let registry = userInfo[.commands] as? CommandRegistry else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "this decoder was given no registry of commands"))
    }
    return registry
  }
}

extension DecodingError {
  static func unknownKind(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: "a kind that this version does not know"))
  }
}
