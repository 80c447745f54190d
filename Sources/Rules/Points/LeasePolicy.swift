import LatchkeyModel

/// The rule by which points are lent to a child's machines and come back.
///
/// Purses make overspending impossible whatever is lent; this only decides how points are shared.
///
/// Spec: Protocol/11-rules.md §7.
public enum LeasePolicy {
  /// Returns what a parent's machine lends, when a child's machines are in touch with it.
  ///
  /// The child's only machine gets everything. Of several, those that ask share equally; a remainder goes to those that
  /// sort first. While nobody asks, nothing is lent.
  ///
  /// - `purse`: The milli-points in the parent's purse.
  /// - `machines`: All machines of the child.
  /// - `asking`: The machines in touch on which a reward runs or is about to.
  public static func loans(
    purse: Int64, machines: Set<DeviceID>, asking: Set<DeviceID>
  ) -> [(to: DeviceID, milliPoints: Int64)] {
    guard purse > 0 else { return [] }
    if machines.count == 1, let only = machines.first { return [(only, purse)] }
    let borrowers = asking.intersection(machines).sorted()
    guard !borrowers.isEmpty else { return [] }
    let (share, rest) = purse.quotientAndRemainder(dividingBy: Int64(borrowers.count))
    return borrowers.enumerated()
      .map { ($1, share + (Int64($0) < rest ? 1 : 0)) }
      .filter { $0.1 > 0 }
  }

  /// Returns what a child's machine returns to a parent's machine that it is in touch with: everything, unless it is the
  /// child's only one or a reward runs on it.
  public static func returned(purse: Int64, isOnlyMachine: Bool, runsReward: Bool) -> Int64 {
    isOnlyMachine || runsReward ? 0 : max(0, purse)
  }
}
