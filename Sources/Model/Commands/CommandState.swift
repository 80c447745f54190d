/// A kind of state that a child's machine reports.
///
/// Spec: Protocol/06-messages.md §4.
public protocol CommandState: Hashable, Sendable, Codable {
  /// The kind's name on the wire and in the database.
  static var kind: CommandKind { get }

  /// Creates a state from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
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
  /// How far the machine enforces the rule; `nil` if it has not said so.
  public var enforcement: Enforcement? {
    get { nil }
    // A state that is not a rule has no enforcement.
    set { _ = newValue }
  }
  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String { summary }
  /// The state as a phrase that follows “it holds”.
  public var claim: String { "something that does not belong to this command" }
}

/// The state of a command that happened once and reports nothing but its completion.
public struct Done: CommandState {
  /// The name of the kind on the wire and in the database: `done`.
  public static let kind: CommandKind = "done"

  public init() {}

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {}

  /// The wire form.
  public var bytes: [UInt8] { [] }
  /// The state in whole sentences, in which the machine is called “there”.
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
