/// The part of a `ConfigurationCommand` that is sent to the child's machine.
public struct CommandBody: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command.
  public var author: DeviceID
  /// The time of creation in Unix milliseconds by the author's wall clock.
  public var createdAt: Int64
  public var payload: CommandPayload

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64, payload: CommandPayload) {
    self.commandID = commandID
    self.author = author
    self.createdAt = createdAt
    self.payload = payload
  }
}
