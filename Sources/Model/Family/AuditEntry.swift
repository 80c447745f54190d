/// Who changed what, written in the transaction of the act it tells of.
public struct AuditEntry: Hashable, Sendable, Codable {
  public var author: DeviceID
  /// A fixed word, such as `device.paired` or `app.set`.
  public var action: String
  /// What it was done to: a device ID, an application ID.
  public var target: String
  public var old: String?
  public var new: String?
  /// Unix milliseconds.
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
