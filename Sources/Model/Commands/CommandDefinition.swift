/// A kind of command: its value, with everything that the rest of Latchkey needs to know of the kind.
///
/// A kind is one type in a folder of `LatchkeyHousehold` and one line of its registry; nothing else lists kinds. A kind either
/// sets something of which the newest command decides (`desired`), and takes its effect from the defaults, or happens once,
/// and then has an effect of its own.
///
/// Spec: Protocol/06-messages.md §3.
public protocol CommandDefinition: Hashable, Sendable, Codable {
  /// What a person gives to have such a command made; the command itself unless the kind says otherwise.
  associatedtype Draft: Hashable, Sendable, Codable = Self

  /// The kind's name, as it travels and as it is stored.
  static var kind: CommandKind { get }
  /// The states that a child may report of such a command; empty for a kind that has nothing to report but that it is done.
  static var states: [any CommandState.Type] { get }
  /// A Boolean value that indicates whether an executed command of this kind shows what the child holds as a whole, which
  /// settles that one of the two machines was set back.
  static var settlesSetBack: Bool { get }

  /// Reads a payload.
  ///
  /// - Throws: `BodyFault`, the sender's fault.
  init(bytes: [UInt8]) throws(BodyFault)
  /// The payload as it travels.
  var bytes: [UInt8] { get }

  /// What is wrong with the values, in one sentence; `nil` if nothing is. Both the giver and the receiver ask.
  var fault: String? { get }
  /// The application that it is about; `nil` for none.
  var appID: AppID? { get }
  /// What it sets; `nil` for a command that happens once.
  var desired: DesiredState? { get }
  /// Milliseconds of age after which it runs out unless the giver says otherwise; `nil` for never.
  var usualLifetime: Int64? { get }

  /// Brings the command into force on a child's machine.
  ///
  /// - Throws: `BodyFault` if it must not be executed; the child then answers with that sentence.
  func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome
  /// A Boolean value that indicates whether a state is the one that this command brings about.
  func isAnswered(by state: StateInForce) -> Bool

  /// Returns whether a state says that something set later than this command holds instead.
  func isOvertaken(by state: StateInForce) -> Bool
  /// Takes over what a child's machine reports of the command, on the parent's machine that gave it.
  func answered(with state: StateInForce, by device: DeviceID, in transaction: inout some EffectTransaction) throws

  /// What is wrong with the texts of a draft, in one sentence that names the field; `nil` if nothing is.
  static func textFault(in draft: Draft) -> String?
  /// What is wrong with a draft, whatever is in force; `nil` if nothing is.
  static func fault(in draft: Draft) -> String?
  /// Makes the command that a draft asks for.
  ///
  /// - Parameters:
  ///   - device: the child's machine that it is for.
  ///   - clock: the hybrid clock, whose readings are durable with the command.
  static func make(
    from draft: Draft, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> Self

  /// What it asks for, for a list of commands.
  var summary: String { get }
  /// What holds on a machine since it was executed there, in whole sentences.
  func result(_ state: StateInForce, on machine: String) -> String
}

/// What a command that is being executed is known by.
public struct CommandContext: Hashable, Sendable {
  public var commandID: CommandID
  public var author: DeviceID
  /// Unix milliseconds by the author's wall clock; for people.
  public var createdAt: Int64

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64) {
    self.commandID = commandID
    self.author = author
    self.createdAt = createdAt
  }
}

/// Reads the hybrid clock while a command is made.
public struct ClockReader {
  private let tick: () throws -> HybridTimestamp

  public init(_ tick: @escaping () throws -> HybridTimestamp) { self.tick = tick }

  /// Returns the next reading.
  public func callAsFunction() throws -> HybridTimestamp { try tick() }
}

extension CommandDefinition {
  public static var states: [any CommandState.Type] { [] }
  public static var settlesSetBack: Bool { false }
  public var fault: String? { nil }
  public var appID: AppID? { nil }
  public var desired: DesiredState? { nil }
  public var usualLifetime: Int64? { desired == nil ? Limits.oneShotMilliseconds : nil }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    guard let desired else { return .done(StateInForce(Done())) }
    return try desired.takeEffect(in: &transaction)
  }

  public func isAnswered(by state: StateInForce) -> Bool {
    if let desired { return desired.state.saysExactly(state) }
    return Self.states.isEmpty ? state.kind == Done.kind : Self.states.contains { $0.kind == state.kind }
  }

  public func isOvertaken(by state: StateInForce) -> Bool { desired?.isOlder(than: state) == true }
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
