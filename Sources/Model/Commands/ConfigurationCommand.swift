/// A parent's command to one child's machine, with how far it has come.
public struct ConfigurationCommand: Hashable, Sendable, Codable {
  public var commandID: CommandID
  public var target: DeviceID
  public var author: DeviceID
  public var payload: CommandPayload
  /// Unix milliseconds by the author's wall clock; for people.
  public var createdAt: Int64
  /// Milliseconds of waiting after which it runs out; nil for never.
  public var expiresAfter: Int64?
  public var status: CommandStatus
  /// Unix milliseconds by this machine's wall clock.
  public var statusAt: Int64
  /// Why it failed, in one sentence.
  public var reason: String?
  /// While it is stored: what the child's machine says that it waits for, after "waits for".
  public var waitsFor: String?
  /// What the child reported to be in force.
  public var stateInForce: StateInForce?

  public init(
    commandID: CommandID, target: DeviceID, author: DeviceID, payload: CommandPayload, createdAt: Int64,
    expiresAfter: Int64? = nil, status: CommandStatus = .queued, statusAt: Int64, reason: String? = nil,
    waitsFor: String? = nil, stateInForce: StateInForce? = nil
  ) {
    self.commandID = commandID
    self.target = target
    self.author = author
    self.payload = payload
    self.createdAt = createdAt
    self.expiresAfter = expiresAfter
    self.status = status
    self.statusAt = statusAt
    self.reason = reason
    self.waitsFor = waitsFor
    self.stateInForce = stateInForce
  }
}
