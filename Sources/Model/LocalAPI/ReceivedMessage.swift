/// A text that a parent sent with a `message` command.
public struct ReceivedMessage: Hashable, Sendable, Codable {
  public var commandID: CommandID
  public var author: DeviceID
  public var text: String
  /// Unix milliseconds of its arrival.
  public var at: Int64
  /// Whether a person at this machine has read it.
  public var isRead: Bool

  public init(commandID: CommandID, author: DeviceID, text: String, at: Int64, isRead: Bool = false) {
    self.commandID = commandID
    self.author = author
    self.text = text
    self.at = at
    self.isRead = isRead
  }
}
