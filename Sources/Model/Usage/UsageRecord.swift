/// One session of one application on one machine.
///
/// It is immutable, and stored once even if it arrives twice.
public struct UsageRecord: Hashable, Sendable, Codable {
  public var recordID: RecordID
  public var device: DeviceID
  public var appID: AppID
  /// The application's name for people, 1 to 255 bytes of UTF-8.
  public var displayName: String
  /// The start in Unix milliseconds by the child's wall clock.
  ///
  /// The same holds for `sessionEnd`, which is never earlier.
  public var sessionStart: Int64
  /// The end in Unix milliseconds by the child's wall clock.
  public var sessionEnd: Int64
  /// The IANA name of the session's zone.
  public var zone: String
  /// The time of use in milliseconds by CLOCK_BOOTTIME.
  ///
  /// It may differ from the difference of the wall times, which can jump.
  public var activeMilliseconds: Int64
  /// The category and the rate at the time of use.
  public var category: AppCategory
  /// The rate at the time of use in milli-points per minute.
  public var milliPointsPerMinute: Int64
  /// The points that a learning session earned, in milli-points; 0 for other categories.
  public var earnedMilliPoints: Int64
  public var evidence: UsageEvidence
  /// The number of sessions in the record; more than 1 for a total that a full queue merged.
  public var sessions: Int64
  /// The number of the operating system's account that was used; `nil` if it is unknown.
  public var account: UInt32?
  public var child: ChildID?
  /// The start in household time, Unix milliseconds, from which the use counts.
  ///
  /// It differs from `sessionStart` if the wall clock was set and that was not followed.
  public var householdStart: Int64

  /// Creates a record; without `householdStart`, that is the start.
  public init(
    recordID: RecordID, device: DeviceID, appID: AppID, displayName: String, sessionStart: Int64, sessionEnd: Int64,
    zone: String, activeMilliseconds: Int64, category: AppCategory, milliPointsPerMinute: Int64,
    earnedMilliPoints: Int64, evidence: UsageEvidence, sessions: Int64 = 1, account: UInt32? = nil,
    child: ChildID? = nil, householdStart: Int64? = nil
  ) {
    (self.recordID, self.device, self.appID, self.displayName) = (recordID, device, appID, displayName)
    (self.sessionStart, self.sessionEnd, self.zone) = (sessionStart, sessionEnd, zone)
    (self.activeMilliseconds, self.category) = (activeMilliseconds, category)
    (self.milliPointsPerMinute, self.earnedMilliPoints) = (milliPointsPerMinute, earnedMilliPoints)
    (self.evidence, self.sessions, self.account) = (evidence, sessions, account)
    (self.child, self.householdStart) = (child, householdStart ?? sessionStart)
  }

  /// The largest number of sessions in a total.
  public static let mostSessions: Int64 = 1 << 31

  public var fault: String? {
    if let fault = TextRule.displayName.fault(in: displayName) { return fault }
    if sessionEnd < sessionStart { return "The session ends before it starts." }
    let times = HybridTimestamp.walls
    if ![sessionStart, sessionEnd, householdStart].allSatisfy(times.contains) {
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

  /// Returns the reason why the record cannot be true; `nil` if it can.
  ///
  /// `wall` is the time in Unix milliseconds by the clock of the machine that stores the record.
  public func doubt(takenUpAt wall: Int64) -> UsageDoubt? {
    if sessionStart < UsageDoubt.earliest { return .past }
    if sessionEnd - UsageDoubt.aheadMilliseconds > wall { return .future }
    if activeMilliseconds - UsageDoubt.slackMilliseconds > sessionEnd - sessionStart { return .overlong }
    let worth = category == .learning ? Int128(activeMilliseconds) * Int128(milliPointsPerMinute) / 60_000 : 0
    // Each day that the session touches, and each session in a total, may add a remainder of less
    // than one.
    let carries = category == .learning ? sessions + (sessionEnd - sessionStart) / 86_400_000 + 2 : 0
    if Int128(earnedMilliPoints) > worth + Int128(carries) { return .overpaid }
    return nil
  }
}

/// How a session was observed.
public enum UsageEvidence: String, Codable, Sendable, Hashable, CaseIterable {
  /// `latchkey usage track` ran the program itself.
  case tracked
  /// The agent saw the program running.
  case observed
  /// The node or the machine stopped; the session ends when the program was last seen.
  case interrupted
}

/// The reason why a record cannot be true.
///
/// A doubtful record is stored, counted and shown with its doubt. No decision depends on the doubt,
/// since a machine with a wrong clock creates such records honestly.
///
/// Spec: Protocol/06-messages.md §5.
public enum UsageDoubt: String, Codable, Sendable, Hashable, CaseIterable {
  /// The session is more than a day ahead of the clock of the machine that received the record.
  case future
  /// The session is before 2026, when no machine could have recorded it.
  case past
  /// The session has more use than time between its start and its end.
  case overlong
  /// The session earned more than its use and its rate permit.
  case overpaid

  /// The largest time by which a session may be ahead: a day, in milliseconds.
  ///
  /// Clocks that are set to the time of another zone, as on machines with two operating systems,
  /// differ by up to 26 hours from each other and by 14 from UTC. A larger difference means a clock
  /// that was never set, or an invented time.
  static let aheadMilliseconds: Int64 = 86_400_000

  /// The time 2026-01-01 00:00 UTC in Unix milliseconds.
  static let earliest: Int64 = 1_767_225_600_000

  /// The largest excess of use over the wall clock's time: a minute, in milliseconds.
  ///
  /// A clock that is controlled by NTP loses up to 43 s a day while it is slowed.
  static let slackMilliseconds: Int64 = 60_000
}

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
    (self.lossID, self.device, self.records, self.sessions) = (lossID, device, records, sessions)
    (self.activeMilliseconds, self.earnedMilliPoints) = (activeMilliseconds, earnedMilliPoints)
    (self.firstStart, self.lastEnd) = (firstStart, lastEnd)
  }
}
