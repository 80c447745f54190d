import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The points on other machines that a child's machine gets as soon as a reward begins to run
/// there.
///
/// Spec: Protocol/11-rules.md §5.
struct LoansInReach {
  /// The milli-points that parents in touch lend at once.
  var coming: Int64
  /// The milli-points that other machines share which run a reward and were heard of lately.
  var shared: Int64

  init(
    _ effects: DatabaseEffects, _ purse: Purse, of child: ChildID, _ rewards: [ChildStanding.Session],
    connected: Set<DeviceID>
  ) throws {
    let own = purse.device
    let lenders = try effects.facts(.machines, of: child).compactMap { ChildMachines($0.text) }
      .filter { $0.machines.contains(own) && connected.contains($0.modified.author) }
    let others = Set(rewards.filter { $0.device != own && !$0.isStale }.map(\.device))
    let asking = try effects.machinesThatWantPoints(of: child).intersection(others).union([own])
    coming =
      lenders.map { lender in
        LeasePolicy.loans(
          purse: purse.ledger.purse(of: lender.modified.author), machines: lender.machines, asking: asking,
          held: purse.ledger.purses(of: asking)
        ).first { $0.to == own }?.milliPoints ?? 0
      }.limitedSum
    let sharing = lenders.reduce(into: Set<DeviceID>()) { $0.formUnion($1.machines.intersection(others)) }
    shared = sharing.map { max(0, purse.ledger.purse(of: $0)) / 2 }.filter { $0 >= LeasePolicy.leastShared }.limitedSum
  }
}

/// The waits of children's rewards for points that another machine is asked to share.
///
/// Without them, a reward would be closed in the moment in which its points are on their way. A
/// wait is short and does not begin again soon, since what runs meanwhile may turn out not to be
/// paid.
struct LoanWaits {
  /// Milliseconds for which a reward waits.
  static let patience: Int64 = 5_000
  /// Milliseconds after which it may wait again.
  static let pause: Int64 = 600_000

  private var began: [ChildID: BootInstant] = [:]

  /// Returns whether a child's rewards are open for the sake of points that are expected, and until
  /// when if they run.
  ///
  /// The first reward that runs begins the wait.
  mutating func wait(
    for child: ChildID, isRunning: Bool, at now: BootInstant
  ) -> (isOpen: Bool, ends: BootInstant?) {
    if let start = began[child], now - start < Self.pause {
      return now - start < Self.patience ? (true, start + Self.patience) : (false, start + Self.pause)
    }
    guard isRunning else { return (true, nil) }
    began[child] = now
    return (true, now + Self.patience)
  }
}
