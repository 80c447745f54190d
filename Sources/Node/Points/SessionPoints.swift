import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// What follows from a session, in the transaction that ends it.
///
/// Spec: Protocol/11-rules.md §6, §7.
extension DatabaseEffects {
  /// Writes what a session on this machine earned or cost into its purse.
  ///
  /// - Parameters:
  ///   - record: The session.
  ///   - child: The child whose session it was.
  ///   - elapsed: The milliseconds from its start to its end on the boot clock.
  ///   - closed: The milliseconds for which it ran although a rule had closed it.
  ///   - isSeen: A Boolean value that indicates whether its time of activity was seen, from which
  ///     the time beside a reward of the same account is left out.
  ///   - at: The household's time.
  /// - Returns: The milli-points that the session earned; 0 if it cost some, or is held for review.
  /// - Throws: A fault of the database.
  mutating func takePoints(
    from record: UsageRecord, of child: ChildID, elapsed: Int64, closed: Int64, isSeen: Bool, at: Int64
  ) throws -> Int64 {
    var carries = try remainders(of: child)
    let evidence = LearningEvidence(
      inputs: nil,
      rewardMilliseconds: record.category == .learning
        ? try rewardMilliseconds(beside: record, elapsed: elapsed, inOtherAccounts: isSeen) : 0,
      elapsedMilliseconds: elapsed, closedMilliseconds: closed)
    let entry = try takePoints(from: record, evidence, of: child, carries: &carries, at: at)
    guard let entry else { return 0 }
    let first = entry.day.advanced(byDays: -Self.daysOfCarries)
    try setCarries(
      carries.filter { $0.key.day >= first }
        .map { PointsCarry(app: $0.app, category: $0.category, day: $0.day, remainder: $1) }, of: child)
    return entry.id.kind == .earned ? entry.milliPoints : 0
  }

  /// Returns this machine's purse of a child with the remainders of sessions.
  func fullPurse(of child: ChildID) throws -> Purse {
    Purse(device: own, ledger: try ledger(of: child), carries: try remainders(of: child))
  }

  /// Returns what sessions that run on this machine have cost so far, in milli-points.
  func costSoFar(of sessions: [RunningUse], _ child: ChildID, _ boundary: DayBoundary) throws -> Int64 {
    let purse = try fullPurse(of: child)
    return sessions.map { purse.costSoFar(of: UsageSlice($0), boundary) }.limitedSum
  }

  private func remainders(of child: ChildID) throws -> [Purse.CarryKey: PointsRemainder] {
    try carries(of: child).reduce(into: [:]) { carries, carry in
      carries[.init(app: carry.app, category: carry.category, day: carry.day)] = carry.remainder
    }
  }

  /// The days for which remainders are kept: longer than any session lasts that is divided by days.
  private static let daysOfCarries = 40
}
