/// A record of a change and its author, written in the transaction of the change.
public struct AuditEntry: Hashable, Sendable, Codable {
  /// The device that made the change.
  public var author: DeviceID
  /// A fixed word, such as `device.paired` or `app.set`.
  public var action: String
  /// The object of the change: a device ID or an application ID.
  public var target: String
  public var old: String?
  public var new: String?
  /// The time in Unix milliseconds.
  public var at: Int64

  public init(author: DeviceID, action: String, target: String, old: String? = nil, new: String? = nil, at: Int64) {
    self.author = author
    self.action = action
    self.target = target
    self.old = old
    self.new = new
    self.at = at
  }
}
