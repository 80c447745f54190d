/// A page of usage, newest first.
public struct UsagePage: Hashable, Sendable, Codable {
  /// One session, or the part of it that lies in the range asked for.
  public struct Session: Hashable, Sendable, Codable {
    public var record: UsageRecord
    public var deviceName: DeviceName
    /// The part within the range, Unix milliseconds; equal to the session's own ends when it lies inside.
    public var clippedStart: Int64
    public var clippedEnd: Int64
    /// The share of the active time that falls into that part, in milliseconds.
    public var clippedActiveMilliseconds: Int64
    /// Whether the session is still running; its numbers are those of the last heartbeat.
    public var isOpen: Bool
    /// On a child's node: the parents' machines that did not take the record; `nil` for none.
    public var refusedBy: [DeviceName]?
    /// Why the record cannot be true; `nil` if it can.
    public var doubt: UsageDoubt?

    public init(
      record: UsageRecord, deviceName: DeviceName, clippedStart: Int64, clippedEnd: Int64,
      clippedActiveMilliseconds: Int64, isOpen: Bool = false, refusedBy: [DeviceName]? = nil, doubt: UsageDoubt? = nil
    ) {
      self.record = record
      self.deviceName = deviceName
      self.clippedStart = clippedStart
      self.clippedEnd = clippedEnd
      self.clippedActiveMilliseconds = clippedActiveMilliseconds
      self.isOpen = isOpen
      self.refusedBy = refusedBy
      self.doubt = doubt
    }
  }

  public var sessions: [Session]
  /// Where the next page begins; nil on the last one.
  public var next: String?

  public init(sessions: [Session], next: String?) {
    self.sessions = sessions
    self.next = next
  }
}
