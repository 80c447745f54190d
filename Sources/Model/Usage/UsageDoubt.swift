/// A reason why a record cannot be true as it stands.
///
/// A doubtful record is kept, counted and shown with its doubt; nothing is decided by it, since a machine whose clock is wrong
/// tells such records honestly. Spec: Protocol/06-messages.md §5.
public enum UsageDoubt: String, Codable, Sendable, Hashable, CaseIterable {
  /// The session lies more than a day ahead of the clock of the machine that got the record.
  case future
  /// The session lies before 2026, when no machine could have recorded it.
  case past
  /// The session has more use than lies between its start and its end.
  case overlong
  /// The session earned more than its use and its rate can.
  case overpaid

  /// How far a session may lie ahead: a day, in milliseconds.
  ///
  /// Clocks that are set to the time of another zone, as on machines with two systems, are up to 26 hours apart from each
  /// other and 14 from UTC. What is further ahead is a clock that was never set, or a made-up time.
  static let aheadMilliseconds: Int64 = 86_400_000

  /// Unix milliseconds of 2026-01-01 00:00 UTC.
  static let earliest: Int64 = 1_767_225_600_000

  /// How much more use a session may have than the wall clock has counted meanwhile: a minute, in milliseconds.
  ///
  /// A clock that is kept by NTP loses up to 43 s a day while it is slowed.
  static let slackMilliseconds: Int64 = 60_000
}

extension UsageRecord {
  /// Returns why the record cannot be true, or `nil` if it can.
  ///
  /// - Parameter wall: Unix milliseconds by the clock of the machine that takes the record up.
  public func doubt(takenUpAt wall: Int64) -> UsageDoubt? {
    if sessionStart < UsageDoubt.earliest { return .past }
    if sessionEnd - UsageDoubt.aheadMilliseconds > wall { return .future }
    if activeMilliseconds - UsageDoubt.slackMilliseconds > sessionEnd - sessionStart { return .overlong }
    let worth = category == .learning ? Int128(activeMilliseconds) * Int128(milliPointsPerMinute) / 60_000 : 0
    // Each day that it touches, and each session that a total stands for, may bring a carry of less than one.
    let carries = category == .learning ? sessions + (sessionEnd - sessionStart) / 86_400_000 + 2 : 0
    if Int128(earnedMilliPoints) > worth + Int128(carries) { return .overpaid }
    return nil
  }
}
