/// A kind of state that a child's machine reports to hold.
///
/// Spec: Protocol/06-messages.md §4.
public protocol CommandState: Hashable, Sendable, Codable {
  /// The kind's name, as it travels and as it is stored.
  static var kind: CommandKind { get }

  /// Reads a state.
  ///
  /// - Throws: `BodyFault`, the sender's fault.
  init(bytes: [UInt8]) throws(BodyFault)
  /// The state as it travels.
  var bytes: [UInt8] { get }

  /// The key of the thing that it is the state of; `nil` for what happened once.
  var thing: String? { get }
  /// When it was set, by the hybrid clock of the device that set it; `nil` for what happened once.
  var setAt: HybridTimestamp? { get }
  /// How far the machine holds to the rule; `nil` for what is no rule.
  var enforcement: Enforcement? { get set }
  /// A Boolean value that indicates whether it says that nothing is set.
  var isNothing: Bool { get }
  /// The same without who set it and when, to compare what two states say.
  var content: Self { get }

  /// The thing that it is the state of, for a parent that takes it over; `nil` for what happened once.
  var subject: (any HouseholdThing)? { get }
  /// Returns the states of things that a report tells of; none for the state of one thing.
  ///
  /// - Parameter keys: The keys of the things that the reader shows, to say which of them are not held.
  func told(shown keys: [String]) -> [StateInForce]

  /// What holds, in whole sentences in which the machine is called "there".
  var summary: String { get }
  /// The same with the machine's name.
  func summary(on machine: String) -> String
  /// What the machine says that it holds, after "it holds".
  var claim: String { get }
}

extension CommandState {
  public var thing: String? { nil }
  public var setAt: HybridTimestamp? { nil }
  public var enforcement: Enforcement? {
    get { nil }
    // A state that is no rule has nothing to hold to.
    set { _ = newValue }
  }
  public var isNothing: Bool { false }
  public var subject: (any HouseholdThing)? { nil }
  public func told(shown keys: [String]) -> [StateInForce] { [] }
  public var content: Self { self }
  public func summary(on machine: String) -> String { summary }
  public var claim: String { "something that does not belong to this command" }
}

/// The state of a command that happened once and has nothing more to report.
public struct Done: CommandState {
  public static let kind: CommandKind = "done"

  public init() {}

  public init(bytes: [UInt8]) throws(BodyFault) {}

  public var bytes: [UInt8] { [] }
  public var summary: String { "It is done." }
}
