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
  /// A Boolean value that indicates whether the answer only states that the command was executed.
  ///
  /// Such an answer is judged without the command: the kind does not define `isAnswered`,
  /// `isOvertaken` or `answered`.
  static var hasPlainAnswer: Bool { get }

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
  /// Returns whether a state is the result of this command.
  func isAnswered(by state: StateInForce) -> Bool

  /// Returns whether a state says that a later setting applies instead of this command's.
  func isOvertaken(by state: StateInForce) -> Bool
  /// Applies the state that a child's machine reports, on the parent's machine that issued the
  /// command.
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

  /// What a command of the kind is for a reader who knows no more of it, such as "a message".
  static var title: Phrase { get }
  /// A phrase that describes the command in a list of commands.
  var summary: String { get }
  /// Returns the state of the machine after the command, in whole sentences.
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
  public static var hasPlainAnswer: Bool { false }
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
  public static var title: Phrase { Phrase("a command") }
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

/// The reads and writes that are available to the effects of commands, within the transaction that
/// executes a command.
///
/// One implementation uses the database, the other is the simulator's in memory, so that both run
/// the same effects.
public protocol EffectTransaction {
  var own: DeviceID { get }
  /// The device that issued the command, for the audit.
  var author: DeviceID { get }
  /// The time in Unix milliseconds by this machine's wall clock; for people, never for a decision.
  var wall: Int64 { get }
  /// How far this machine enforces rules.
  var enforcement: Enforcement { get }
  /// A Boolean value that indicates whether rules are in force only once an agent says so.
  var awaitsAgent: Bool { get }

  /// Stores a text for the person at this machine; does nothing if one is stored under its ID.
  mutating func keep(_ message: ReceivedMessage) throws

  /// Returns a register, even if it was deleted; `nil` if it was never edited.
  func register(_ key: RegisterKey, in zone: Zone) throws -> Register?
  /// Returns the registers of a zone that this machine holds, in the order of their keys.
  func registers(in zone: Zone) throws -> [Register]
  /// Returns the zones of which this machine holds registers.
  func zones() throws -> [Zone]
  /// Stores an edit in place of the register's previous one.
  mutating func save(_ register: Register) throws
  mutating func forget(_ zone: Zone) throws
  /// Queues edits for the other parents of this machine, a child's.
  mutating func tell(_ registers: [Register]) throws
  /// Queues registers for the parent that issued the command, on a child's machine.
  mutating func tellAuthor(_ registers: [Register]) throws
  /// Stores registers that a child's machine holds and this machine, a parent's, lacks.
  mutating func note(_ told: [Register], by device: DeviceID) throws

  /// Returns the facts of a kind about a child, in the order in which they arrived.
  func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact]
  /// Returns a value of all facts of a kind about a child; throws the database's error.
  ///
  /// `add` adds facts in the order in which they arrived, in any number of calls.
  func value<Value: Sendable>(
    of kind: FactKind, _ child: ChildID, empty: Value, add: (inout Value, [Fact]) -> Void
  ) throws -> Value
  /// Stores a fact of this machine, and queues it for all others that hold the child's facts.
  ///
  /// Throws `BodyFault` if there is no room for it.
  mutating func add(_ fact: Fact) throws
  /// Queues a fact for a device, even for its author, which may have been restored from a backup.
  mutating func remind(_ device: DeviceID, of fact: Fact) throws
  /// Queues all facts about a child for a device, and each new one from now on.
  mutating func offerFacts(of child: ChildID, to device: DeviceID) throws

  /// Returns the number of usage records that this machine holds.
  func usageRecords() throws -> Int64
}

/// The outcome of a command's effect on a child's machine.
public enum EffectOutcome: Hashable, Sendable {
  case done(StateInForce)
  /// A state that was set later is in force instead.
  case superseded(StateInForce)
  /// The effect failed for a reason: one sentence with the next step.
  case failed(reason: ToldSentence)
  /// Something outside the database must carry out the effect; the receipt follows when it has.
  case underWay(EffectWait)
}

/// A condition that the effect of a command waits for.
public struct EffectWait: Hashable, Sendable {
  /// The condition as a phrase after “waits for”, at most 255 bytes.
  public var what: ToldSentence
  /// The time in which the effect must have an outcome, in milliseconds of this machine's age.
  public var within: Int64
  /// The machine's present state, which is the answer when the time ends; `nil` to fail then.
  public var held: StateInForce?

  public init(_ what: ToldSentence, within: Int64, held: StateInForce? = nil) {
    (self.what, self.within, self.held) = (what, within, held)
  }
}

/// An effect that something outside the database must carry out, stored until it has an outcome.
public struct PendingEffect: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command, which receives the receipt.
  public var author: DeviceID
  public var payload: CommandPayload
  public var wait: EffectWait

  public init(commandID: CommandID, author: DeviceID, payload: CommandPayload, wait: EffectWait) {
    (self.commandID, self.author, self.payload, self.wait) = (commandID, author, payload, wait)
  }

  /// Returns the outcome of an effect whose time is over.
  public static func late(_ wait: EffectWait) -> EffectOutcome {
    if let held = wait.held { return .done(held) }
    return .failed(
      reason: ToldSentence(
        Phrase(
          "It waited for {what} for longer than it may: look at that machine, and give the command again.",
          ["what": .phrase(wait.what.said)])))
  }
}
