/// A text that a parent sent with a `message` command.
public struct ReceivedMessage: Hashable, Sendable, Codable {
  public var commandID: CommandID
  /// The parent's machine that sent the message.
  public var author: DeviceID
  /// The text, 1 to 4,096 bytes of UTF-8.
  public var text: String
  /// The time of arrival in Unix milliseconds.
  public var at: Int64
  /// A Boolean value that indicates whether a person at this machine has read the message.
  public var isRead: Bool

  public init(commandID: CommandID, author: DeviceID, text: String, at: Int64, isRead: Bool = false) {
    self.commandID = commandID
    self.author = author
    self.text = text
    self.at = at
    self.isRead = isRead
  }
}
