/// The usage that a child's machine dropped from a full queue, as it reports to its parent.
///
/// Spec: Protocol/06-messages.md §5.
public struct UsageLoss: Hashable, Sendable, Codable {
  /// The ID of the report, 16 random bytes.
  public var lossID: RecordID
  public var device: DeviceID
  /// The number of records and totals that were dropped.
  public var records: Int64
  /// The number of sessions in the dropped records and totals.
  public var sessions: Int64
  /// The sum of the times of use in milliseconds.
  public var activeMilliseconds: Int64
  /// The sum of the points earned in milli-points.
  public var earnedMilliPoints: Int64
  /// The earliest start in Unix milliseconds.
  public var firstStart: Int64
  /// The latest end in Unix milliseconds.
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
