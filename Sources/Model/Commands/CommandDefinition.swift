/// A kind of command: its value, codec, effect and wording.
///
/// Each kind is one type in a file of `LatchkeyHousehold` and one entry of the registry there; no
/// other code lists kinds. What parents set are registers, which the kind `edit` carries.
///
/// Spec: Protocol/06-messages.md §3.
public protocol CommandDefinition: Hashable, Sendable, Codable {
  /// The type of the draft from which the command is made; the command itself by default.
  associatedtype Draft: Hashable, Sendable, Codable = Self

  /// The kind's name on the wire and in the database.
  static var kind: CommandKind { get }
  /// The states that a child's machine may report of it; empty if it reports only `Done`.
  static var states: [any CommandState.Type] { get }
  /// A Boolean value that indicates whether an executed command shows everything that the child's
  /// machine holds.
  ///
  /// Such a command settles the doubt after one of the two machines was set back to an earlier
  /// state.
  static var settlesSetBack: Bool { get }

  /// Creates a command from its wire form; throws `BodyFault`, the sender's fault.
  init(bytes: [UInt8]) throws(BodyFault)
  /// The wire form of the payload.
  var bytes: [UInt8] { get }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  ///
  /// Both the author and the receiver check it.
  var fault: String? { get }
  /// The age in milliseconds after which the command expires by default; `nil` for never.
  var usualLifetime: Int64? { get }

  /// Executes the command on a child's machine, in the transaction that also queues its receipt.
  ///
  /// Throws `BodyFault`, which the parent is told, if the command must not be executed.
  func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome
  /// Returns whether a state is the one that this command brings about.
  func isAnswered(by state: StateInForce) -> Bool

  /// Returns whether a state says that something set later than this command holds instead.
  func isOvertaken(by state: StateInForce) -> Bool
  /// On the parent's machine that gave the command: takes over what a child's machine reports.
  func answered(with state: StateInForce, by device: DeviceID, in transaction: inout some EffectTransaction) throws

  /// Returns a sentence about the first invalid text of a draft; `nil` if all are valid.
  static func textFault(in draft: Draft) -> String?
  /// Returns a sentence about the first invalid value of a draft; `nil` if all are valid.
  static func fault(in draft: Draft) -> String?
  /// Creates the command that a draft for a child's machine describes, with readings of the clock.
  ///
  /// Throws `BodyFault`, the author's fault, if the draft is not valid in the present state.
  static func make(
    from draft: Draft, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> Self

  /// A phrase that describes the command in a list of commands.
  var summary: String { get }
  /// Returns what holds on the machine after the command, in whole sentences.
  func result(_ state: StateInForce, on machine: String) -> String
}

/// The identity of a command that is being executed.
public struct CommandContext: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command.
  public var author: DeviceID
  /// The time of creation in Unix milliseconds by the author's wall clock; for people only.
  public var createdAt: Int64

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64) {
    (self.commandID, self.author, self.createdAt) = (commandID, author, createdAt)
  }
}

/// A reader of the hybrid clock, used while a command is created.
public struct ClockReader {
  private let tick: () throws -> HybridTimestamp

  /// Creates a reader from a closure that advances the clock and stores the reading.
  public init(_ tick: @escaping () throws -> HybridTimestamp) { self.tick = tick }

  public func callAsFunction() throws -> HybridTimestamp { try tick() }
}

extension CommandDefinition {
  public static var states: [any CommandState.Type] { [] }
  public static var settlesSetBack: Bool { false }
  public var fault: String? { nil }
  /// A day.
  public var usualLifetime: Int64? { Limits.oneShotMilliseconds }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    .done(StateInForce(Done()))
  }
  public func isAnswered(by state: StateInForce) -> Bool {
    Self.states.isEmpty ? state.kind == Done.kind : Self.states.contains { $0.kind == state.kind }
  }
  public func isOvertaken(by state: StateInForce) -> Bool { false }
  public func answered(
    with state: StateInForce, by device: DeviceID, in transaction: inout some EffectTransaction
  ) throws {}
  public static func textFault(in draft: Draft) -> String? { nil }
  public static func fault(in draft: Draft) -> String? { nil }
  public func result(_ state: StateInForce, on machine: String) -> String { state.value.summary(on: machine) }
}

extension CommandDefinition where Draft == Self {
  public static func textFault(in draft: Self) -> String? { draft.fault }
  public static func fault(in draft: Self) -> String? { draft.fault }

  public static func make(
    from draft: Self, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> Self { draft }
}
