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

extension UsageRecord {
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
