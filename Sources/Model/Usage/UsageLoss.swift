/// What a child's machine had to drop from a full usage queue, as it tells its parent. Spec: Protocol/06-messages.md §5.
public struct UsageLoss: Hashable, Sendable, Codable {
  /// 16 random bytes.
  public var lossID: RecordID
  /// Whose use it was.
  public var device: DeviceID
  /// Records and totals that were dropped, and the sessions that they stood for.
  public var records: Int64
  public var sessions: Int64
  public var activeMilliseconds: Int64
  public var earnedMilliPoints: Int64
  /// Unix milliseconds of the earliest start and the latest end.
  public var firstStart: Int64
  public var lastEnd: Int64

  public init(
    lossID: RecordID, device: DeviceID, records: Int64, sessions: Int64, activeMilliseconds: Int64,
    earnedMilliPoints: Int64, firstStart: Int64, lastEnd: Int64
  ) {
    self.lossID = lossID
    self.device = device
    self.records = records
    self.sessions = sessions
    self.activeMilliseconds = activeMilliseconds
    self.earnedMilliPoints = earnedMilliPoints
    self.firstStart = firstStart
    self.lastEnd = lastEnd
  }
}
