/// A command as it travels: what of a `ConfigurationCommand` the child needs.
public struct CommandBody: Hashable, Sendable {
  public var commandID: CommandID
  public var author: DeviceID
  /// Unix milliseconds.
  public var createdAt: Int64
  public var payload: CommandPayload

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64, payload: CommandPayload) {
    self.commandID = commandID
    self.author = author
    self.createdAt = createdAt
    self.payload = payload
  }
}
