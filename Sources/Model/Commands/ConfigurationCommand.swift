/// A parent's command to one child's machine, with its progress.
public struct ConfigurationCommand: Hashable, Sendable, Codable {
  public var commandID: CommandID
  /// The child's machine that the command is for.
  public var target: DeviceID
  /// The parent's machine that issued the command.
  public var author: DeviceID
  public var payload: CommandPayload
  /// The time of creation in Unix milliseconds by the author's wall clock; for people only.
  public var createdAt: Int64
  /// The age in milliseconds after which the command expires; `nil` for never.
  public var expiresAfter: Int64?
  public var status: CommandStatus
  /// The time of the last change of the status in Unix milliseconds by this machine's wall clock.
  public var statusAt: Int64
  /// The reason of a failure, in one sentence.
  public var reason: String?
  /// The condition that the child's machine waits for, as a phrase that follows “waits for”.
  public var waitsFor: String?
  /// The reason as a phrase; `nil` if it has none.
  public var reasonPhrase: Phrase?
  /// `waitsFor` as a phrase; `nil` if it has none.
  public var waitPhrase: Phrase?
  /// The state that the child's machine reported to be in force.
  public var stateInForce: StateInForce?
  /// The name of the browser through which it was issued; `nil` for the machine itself.
  public var through: String?

  public init(
    commandID: CommandID, target: DeviceID, author: DeviceID, payload: CommandPayload, createdAt: Int64,
    expiresAfter: Int64? = nil, status: CommandStatus = .queued, statusAt: Int64, reason: String? = nil,
    waitsFor: String? = nil, stateInForce: StateInForce? = nil, through: String? = nil
  ) {
    (self.commandID, self.target, self.author, self.payload) = (commandID, target, author, payload)
    (self.createdAt, self.expiresAfter, self.status, self.statusAt) = (createdAt, expiresAfter, status, statusAt)
    (self.reason, self.waitsFor, self.stateInForce, self.through) = (reason, waitsFor, stateInForce, through)
  }

  /// The reason of a failure, for people.
  public var toldReason: ToldSentence? { reason.map { ToldSentence(english: $0, phrase: reasonPhrase) } }
}

/// The progress of a command, as its author sees it.
public enum CommandStatus: String, Codable, Sendable, Hashable, CaseIterable {
  /// The command is durable on the author's machine and waits for delivery.
  case queued
  /// The command is durable on the child's machine.
  case stored
  /// The command was executed, and the child's machine reported the state now in force.
  case executed
  /// The child's machine could not execute the command and reported the reason.
  case failed
  /// The command expired before it was executed.
  case expired
  /// The child's machine already held a newer state.
  case superseded
  /// The author cancelled the command before it was stored on the child's machine.
  case cancelled

  /// A Boolean value that indicates whether the status cannot change any more.
  public var isFinal: Bool {
    switch self {
    case .queued, .stored: false
    case .executed, .failed, .expired, .superseded, .cancelled: true
    }
  }
}

/// The part of a `ConfigurationCommand` that is sent to the child's machine.
public struct CommandBody: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command.
  public var author: DeviceID
  /// The time of creation in Unix milliseconds by the author's wall clock.
  public var createdAt: Int64
  public var payload: CommandPayload

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64, payload: CommandPayload) {
    (self.commandID, self.author, self.createdAt, self.payload) = (commandID, author, createdAt, payload)
  }
}

/// `POST /v1/commands`: a command to issue, on a parent's node.
public struct CommandRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The child's machine: its name, its device ID, or an unambiguous prefix of the ID.
  public var device: String
  /// The draft of the command; omitted values stay as they are.
  public var action: CommandDraft
  /// The lifetime in milliseconds: 1 s to 366 days, 0 for no limit; `nil` for the kind's default.
  public var expiresAfter: Int64?

  public init(device: String, action: CommandDraft, expiresAfter: Int64? = nil) {
    (self.device, self.action, self.expiresAfter) = (device, action, expiresAfter)
  }

  private enum Field: String, CodingKey { case device, expiresAfter }

  /// Decodes JSON in which the draft's members `kind` and `payload` are beside the device.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    device = try fields.decode(String.self, forKey: .device)
    expiresAfter = try fields.decodeIfPresent(Int64.self, forKey: .expiresAfter)
    action = try CommandDraft(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(device, forKey: .device)
    try fields.encodeIfPresent(expiresAfter, forKey: .expiresAfter)
    try action.encode(to: encoder)
  }

  public var textFault: String? { TextRule.device.fault(in: device) ?? action.textFault }
}

extension TextRule {
  /// A device as a person names it: by its name, its ID or a prefix of its ID.
  fileprivate static let device = TextRule(what: "The device", bytes: 1...128, characters: .visible)
}
