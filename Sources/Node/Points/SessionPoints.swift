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
  ///   - at: The household's time.
  /// - Returns: The milli-points that the session earned; 0 if it cost some, or is held for review.
  /// - Throws: A fault of the database.
  mutating func takePoints(from record: UsageRecord, of child: ChildID, at: Int64) throws -> Int64 {
    let rules = try rules(of: child)
    var carries: [Purse.CarryKey: PointsRemainder] = [:]
    for carry in try self.carries(of: child) {
      carries[.init(app: carry.app, category: carry.category, day: carry.day)] = carry.remainder
    }
    var purse = Purse(device: own, ledger: try ledger(of: child), carries: carries)
    let evidence = LearningEvidence(
      inputs: nil, rewardMilliseconds: record.category == .learning ? try rewardMilliseconds(beside: record) : 0,
      elapsedMilliseconds: record.activeMilliseconds)
    // Days are the household's, whatever the wall clock showed.
    var counted = record
    counted.sessionStart = record.householdStart
    counted.sessionEnd = min(record.householdStart + record.activeMilliseconds, HybridTimestamp.wallLimit - 1)
    let entry = purse.take(counted, hold: evidence.holdReason(for: record), rules: rules, at: at)
    guard let entry else { return 0 }
    // A ledger without room must not keep a session from its end.
    do { try add(entry, of: child) } catch is BodyFault { return 0 }
    purse.forgetCarries(before: entry.day.advanced(byDays: -Self.daysOfCarries))
    try setCarries(
      purse.carries.map { PointsCarry(app: $0.app, category: $0.category, day: $0.day, remainder: $1) }, of: child)
    return entry.id.kind == .earned ? entry.milliPoints : 0
  }

  /// The days for which remainders are kept: longer than any session lasts that is divided by days.
  private static let daysOfCarries = 40
}
