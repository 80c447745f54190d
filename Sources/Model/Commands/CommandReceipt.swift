/// The report of a child's machine on one command.
public struct CommandReceipt: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    /// The command was executed; the state now in force follows.
    case executed(StateInForce)
    /// The command failed for a reason: one sentence of at most 1,024 bytes of UTF-8.
    case failed(reason: ToldSentence)
    /// The command expired before it reached the machine.
    case expired
    /// A state that was set later is in force instead.
    case superseded(StateInForce?)
    /// The command is durable on the machine and waits for what the text names; not final.
    case underWay(waitsFor: ToldSentence)
  }

  public var commandID: CommandID
  public var outcome: Outcome
  /// The time of the outcome in Unix milliseconds by the child's wall clock; for people only.
  public var at: Int64

  public init(commandID: CommandID, outcome: Outcome, at: Int64) {
    (self.commandID, self.outcome, self.at) = (commandID, outcome, at)
  }
}

extension CommandReceipt.Outcome {
  public init(_ outcome: EffectOutcome) {
    switch outcome {
    case .done(let state): self = .executed(state)
    case .superseded(let state): self = .superseded(state)
    case .failed(let reason): self = .failed(reason: reason)
    case .underWay(let wait): self = .underWay(waitsFor: wait.what)
    }
  }

  /// The state that the child's machine reports; `nil` if it reports none.
  public var state: StateInForce? {
    switch self {
    case .executed(let state): state
    case .superseded(let state): state
    case .failed, .expired, .underWay: nil
    }
  }
}

extension CommandReceipt: Codable {
  private enum Field: String, CodingKey { case commandID, outcome, state, reason, waitsFor, phrase, at }

  private enum Word: String, Codable { case executed, failed, expired, superseded, underWay }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    commandID = try fields.decode(CommandID.self, forKey: .commandID)
    at = try fields.decode(Int64.self, forKey: .at)
    switch try fields.decode(Word.self, forKey: .outcome) {
    case .executed: outcome = .executed(try fields.decode(StateInForce.self, forKey: .state))
    case .failed: outcome = .failed(reason: try Self.told(.reason, fields))
    case .expired: outcome = .expired
    case .superseded: outcome = .superseded(try fields.decodeIfPresent(StateInForce.self, forKey: .state))
    case .underWay: outcome = .underWay(waitsFor: try Self.told(.waitsFor, fields))
    }
  }

  private static func told(_ field: Field, _ fields: KeyedDecodingContainer<Field>) throws -> ToldSentence {
    ToldSentence(
      english: try fields.decode(String.self, forKey: field),
      phrase: try fields.decodeIfPresent(Phrase.self, forKey: .phrase))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(commandID, forKey: .commandID)
    try fields.encode(at, forKey: .at)
    try fields.encodeIfPresent(outcome.state, forKey: .state)
    let word: Word
    switch outcome {
    case .executed: word = .executed
    case .expired: word = .expired
    case .superseded: word = .superseded
    case .failed(let reason):
      word = .failed
      try fields.encode(reason.english, forKey: .reason)
      try fields.encodeIfPresent(reason.phrase, forKey: .phrase)
    case .underWay(let what):
      word = .underWay
      try fields.encode(what.english, forKey: .waitsFor)
      try fields.encodeIfPresent(what.phrase, forKey: .phrase)
    }
    try fields.encode(word, forKey: .outcome)
  }
}

/// The meaning of a final receipt after comparison with its command.
///
/// Spec: Protocol/06-messages.md §4.
public enum ReceiptVerdict: Hashable, Sendable {
  /// The state that the command sets is in force, with how far the machine enforces it.
  case inForce(Enforcement?)
  /// Another state is in force that was set later than this command.
  case overtaken(StateInForce)
  /// The child's machine refused the command for a reason: one sentence.
  case refused(reason: ToldSentence)
  /// The command expired before it was executed.
  case expired
  /// The receipt reports a state that the command did not ask for, or none.
  case contradicts(StateInForce?)

  /// Creates the verdict on an outcome for a command; `nil` if the command is still under way.
  public init?(_ outcome: CommandReceipt.Outcome, of payload: CommandPayload) {
    switch outcome {
    case .executed(let state):
      self = payload.value.isAnswered(by: state) ? .inForce(state.enforcement) : .contradicts(state)
    case .superseded(let state?): self = payload.value.isOvertaken(by: state) ? .overtaken(state) : .contradicts(state)
    case .superseded(nil): self = .contradicts(nil)
    case .failed(let reason): self = .refused(reason: reason)
    case .expired: self = .expired
    case .underWay: return nil
    }
  }

  /// Creates the verdict on an outcome for a command whose kind has a plain answer; `nil` if the
  /// command is still under way.
  public init?(plain outcome: CommandReceipt.Outcome) {
    switch outcome {
    case .executed(let state): self = state.kind == Done.kind ? .inForce(state.enforcement) : .contradicts(state)
    case .superseded(let state): self = .contradicts(state)
    case .failed(let reason): self = .refused(reason: reason)
    case .expired: self = .expired
    case .underWay: return nil
    }
  }

  public var status: CommandStatus {
    switch self {
    case .inForce: .executed
    case .overtaken: .superseded
    case .refused, .contradicts: .failed
    case .expired: .expired
    }
  }
}
