import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// What a child may spend, and what answers to requests grant.
struct ChildPoints: Sendable {
  /// The milli-points to spend after all use so far: on a child's machine there, else all.
  var spendable: Int64
  /// The redeemed minutes that are left: on a child's machine there, on a parent's on all of them.
  var redeemed: [RedeemedTime]
  /// The time that parents granted by their answers, by its day and by request.
  var grants: [FamilyDay: [CommandID: Grant]]
  /// The parents' words with the answers that granted time for the day, by request.
  var answerWords: [CommandID: String] = [:]
  /// The ledger, if this machine can spend nothing of it although there is something.
  var outOfReach: Ledger?
  /// The redeemed time on other machines, if there is none on this one.
  var redeemedElsewhere: [DeviceID: Int64] = [:]
  /// When the points of another machine are no longer expected, if they count until then.
  var loanEnds: BootInstant?

  static func read(
    _ effects: DatabaseEffects, _ context: NodeContext, of child: ChildID, _ rules: RuleSet, on day: FamilyDay,
    _ running: [ChildStanding.Session], isPresent: Bool
  ) throws -> ChildPoints {
    let isChild = context.profile.role == .child
    let (own, connected) = (context.own, context.members.connected)
    let rewards = running.filter { $0.use.category == .reward }
    let purse = try effects.fullPurse(of: child)
    var spendable = max(0, purse.ledger.balance)
    var loanEnds: BootInstant?
    if isChild {
      let reach = try LoansInReach(effects, purse, of: child, rewards, connected: connected)
      spendable = [purse.spendable, reach.coming].limitedSum
      if spendable == 0, reach.shared > 0 {
        let runs = isPresent && rewards.contains { $0.device == own }
        let wait = context.loanWaits.withLock { $0.wait(for: child, isRunning: runs, at: context.now()) }
        if wait.isOpen { (spendable, loanEnds) = (reach.shared, wait.ends) }
      }
    }
    for session in rewards where !isChild || session.device == own {
      spendable = max(0, spendable - purse.costSoFar(of: UsageSlice(session.use), rules.boundary))
    }
    var redeemed = purse.redeemed(on: day)
    var elsewhere: [DeviceID: Int64] = [:]
    if rules.points.use == .redeemFirst {
      let others = purse.ledger.redeemed(on: day, beside: own)
      if isChild {
        if redeemed.isEmpty { elsewhere = others.mapValues { $0.map(\.milliseconds).limitedSum } }
      } else {
        redeemed += others.values.joined()
      }
    }
    let (requests, answers) = try effects.requests(of: child)
    let grants = RequestBook(requests, answers).grants
    let words = answers.filter { grants[day]?[$0.request] != nil }.map { ($0.request, $0.word) }
    return ChildPoints(
      spendable: spendable, redeemed: redeemed, grants: grants, answerWords: Dictionary(words) { $1 },
      outOfReach: isChild && spendable == 0 && purse.ledger.balance > 0 ? purse.ledger : nil,
      redeemedElsewhere: elsewhere, loanEnds: loanEnds)
  }
}

/// What follows from a session, in the transaction that ends it.
///
/// Spec: Protocol/11-rules.md §6, §7.
extension DatabaseEffects {
  /// Writes what a session on this machine earned or cost into its purse; returns the milli-points
  /// that it earned, 0 if it cost some or is held for review.
  ///
  /// `elapsed` are the milliseconds from its start to its end on the boot clock, and `closed` those
  /// for which it ran although a rule had closed it. `isSeen` says whether its time of activity was
  /// seen: then the time beside a reward of the same account is left out. `at` is the household's
  /// time.
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

extension UsageSlice {
  /// Creates a slice of a session that runs, by the household's time.
  init(_ use: RunningUse) {
    self.init(
      appID: use.appID, displayName: use.displayName, category: use.category,
      rate: PointsRate(milliPointsPerMinute: use.milliPointsPerMinute), start: use.since,
      end: min(use.since + use.activeMilliseconds, HybridTimestamp.wallLimit - 1),
      activeMilliseconds: use.activeMilliseconds, earnedMilliPoints: 0)
  }
}
