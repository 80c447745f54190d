/// One session of one application on one machine. Immutable; arriving twice, it is one row.
public struct UsageRecord: Hashable, Sendable, Codable {
  public var recordID: RecordID
  public var device: DeviceID
  public var appID: AppID
  /// UTF-8, 1 to 255 bytes.
  public var displayName: String
  /// Unix milliseconds by the child's wall clock; so is `sessionEnd`, which is never less.
  public var sessionStart: Int64
  public var sessionEnd: Int64
  /// IANA name of the zone the session was in.
  public var zone: String
  /// Milliseconds of use by CLOCK_BOOTTIME; not the difference of the two wall times, which jump.
  public var activeMilliseconds: Int64
  /// Category and rate at the time of use.
  public var category: AppCategory
  public var milliPointsPerMinute: Int64
  /// What a learning session earned; 0 for the other categories.
  public var earnedMilliPoints: Int64
  public var evidence: UsageEvidence
  /// How many sessions it stands for: more than 1 for a total that was made of several because a queue was full.
  public var sessions: Int64

  public init(
    recordID: RecordID, device: DeviceID, appID: AppID, displayName: String, sessionStart: Int64, sessionEnd: Int64,
    zone: String, activeMilliseconds: Int64, category: AppCategory, milliPointsPerMinute: Int64,
    earnedMilliPoints: Int64, evidence: UsageEvidence, sessions: Int64 = 1
  ) {
    self.recordID = recordID
    self.device = device
    self.appID = appID
    self.displayName = displayName
    self.sessionStart = sessionStart
    self.sessionEnd = sessionEnd
    self.zone = zone
    self.activeMilliseconds = activeMilliseconds
    self.category = category
    self.milliPointsPerMinute = milliPointsPerMinute
    self.earnedMilliPoints = earnedMilliPoints
    self.evidence = evidence
    self.sessions = sessions
  }

  /// The most sessions that one total stands for.
  public static let mostSessions: Int64 = 1 << 31

  /// Say what is wrong with the values, in one sentence; nil when nothing is.
  public var fault: String? {
    if let fault = TextRule.displayName.fault(in: displayName) { return fault }
    if sessionEnd < sessionStart { return "The session ends before it starts." }
    let times = HybridTimestamp.walls
    if !times.contains(sessionStart) || !times.contains(sessionEnd) {
      return "The session is at a time that no calendar has."
    }
    if !times.contains(activeMilliseconds) { return "The active time is negative or longer than anyone lives." }
    if !Limits.milliPointsPerMinute.contains(milliPointsPerMinute) {
      return "The rate is not between 0 and 1,000,000 points a minute."
    }
    if !(1...UsageRecord.mostSessions).contains(sessions) { return "The number of sessions is not between 1 and 2^31." }
    if earnedMilliPoints < 0 { return "The earning is negative." }
    if let fault = TextRule.zone.fault(in: zone) { return fault }
    return nil
  }
}
