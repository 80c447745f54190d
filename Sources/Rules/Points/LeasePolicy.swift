import LatchkeyModel

/// The policy for lending points to a child's machines and returning them.
///
/// Purses make overspending impossible, whatever is lent. The policy only decides how points are
/// shared.
///
/// Spec: Protocol/11-rules.md §7.
public enum LeasePolicy {
  /// The smallest amount that a machine returns while it wants points itself, in milli-points.
  public static let leastShared: Int64 = 1_000

  /// Returns what a parent's machine lends to the child's machines that it is in contact with.
  ///
  /// A child's only machine gets everything. If there are several, those that ask for points are
  /// filled up to a common level, the emptiest purses first. A remainder goes to the machines that
  /// sort first. Nothing is lent while no machine asks.
  ///
  /// - `purse`: The milli-points in the parent's purse.
  /// - `machines`: All machines of the child.
  /// - `asking`: The machines on which a reward runs or is about to.
  /// - `held`: The milli-points in the machines' purses.
  public static func loans(
    purse: Int64, machines: Set<DeviceID>, asking: Set<DeviceID>, held: [DeviceID: Int64] = [:]
  ) -> [(to: DeviceID, milliPoints: Int64)] {
    guard purse > 0 else { return [] }
    if machines.count == 1, let only = machines.first { return [(only, purse)] }
    let borrowers = asking.intersection(machines).sorted()
    let shares = fill(borrowers.map { held[$0] ?? 0 }, with: purse)
    return zip(borrowers, shares).filter { $0.1 > 0 }.map { (to: $0.0, milliPoints: $0.1) }
  }

  /// Returns what a child's machine returns to a parent's machine that it is in contact with.
  ///
  /// A child's only machine returns nothing. A machine that wants no points returns everything. A
  /// machine that wants points shares with the others that do: it returns its excess over an equal
  /// share, unless the parent is about to lend to it.
  ///
  /// - `purse`: The milli-points in the machine's purse.
  /// - `used`: The milli-points that running sessions have cost so far.
  /// - `others`: The milli-points in the purses of the other machines that want points.
  /// - `lender`: The milli-points in the parent's purse.
  public static func returned(
    purse: Int64, isOnlyMachine: Bool, runsReward: Bool, used: Int64 = 0, others: [Int64] = [], lender: Int64 = 0
  ) -> Int64 {
    if isOnlyMachine { return 0 }
    guard runsReward else { return max(0, purse) }
    let free = Int128(max(0, purse)) - Int128(max(0, used))
    guard !others.isEmpty, free > 0 else { return 0 }
    let coming = fill([purse] + others, with: max(0, lender))
    guard coming[0] == 0 else { return 0 }
    let all = zip(others, coming.dropFirst()).reduce(free) { $0 + Int128(max(0, $1.0)) + Int128($1.1) }
    let count = Int128(others.count + 1)
    let more = free - (all + count - 1) / count
    return more < Int128(leastShared) ? 0 : Int64(clamping: more)
  }

  /// Returns the share of each purse when an amount fills them up to a common level.
  private static func fill(_ held: [Int64], with amount: Int64) -> [Int64] {
    var (sum, count) = (Int128(amount), 0)
    let order = held.indices.sorted { (max(0, held[$0]), $0) < (max(0, held[$1]), $1) }
    for index in order {
      let present = Int128(max(0, held[index]))
      guard count == 0 || sum > present * Int128(count) else { break }
      sum += present
      count += 1
    }
    var shares = [Int64](repeating: 0, count: held.count)
    guard count > 0 else { return shares }
    let (level, rest) = sum.quotientAndRemainder(dividingBy: Int128(count))
    for (place, index) in order.prefix(count).sorted().enumerated() {
      let extra: Int128 = Int128(place) < rest ? 1 : 0
      shares[index] = Int64(clamping: level + extra - Int128(max(0, held[index])))
    }
    return shares
  }
}
