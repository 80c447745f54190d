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
  /// `asking` are the machines on which a reward runs or is about to. All amounts are milli-points
  /// in a purse.
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
  /// `used` are the milli-points that running sessions have cost so far, `others` the purses of the
  /// other machines that want points, and `lender` the parent's.
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

/// A statement by a child's machine whether it wants points.
///
/// The later of two statements by one machine counts.
///
/// Spec: Protocol/12-facts.md §3.
public struct PointsNeed: Hashable, Sendable {
  /// The time of the statement, and the machine that made it.
  public var modified: HybridTimestamp
  /// A Boolean value that indicates whether a reward runs on the machine, or is about to.
  public var isNeeded: Bool

  public init(modified: HybridTimestamp, isNeeded: Bool) { (self.modified, self.isNeeded) = (modified, isNeeded) }

  /// The statement as text: the machine, the hybrid time, `yes` or `no`.
  public var text: String { TextField.time(modified) + (isNeeded ? " yes" : " no") }

  public init?(_ text: String) {
    let fields = TextField.words(text)
    guard fields.count == 4, let modified = TextField.time(fields), ["yes", "no"].contains(fields[3]) else {
      return nil
    }
    self.init(modified: modified, isNeeded: fields[3] == "yes")
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

/// A statement by a parent's machine about the machines of a child that it lends points to.
///
/// The later of two statements by one parent counts.
///
/// Spec: Protocol/12-facts.md §3.
public struct ChildMachines: Hashable, Sendable {
  public static let most = 64

  /// The time of the statement, and the parent that made it.
  public var modified: HybridTimestamp
  public var machines: Set<DeviceID>

  /// Creates a statement, with the first 64 of the machines.
  public init(modified: HybridTimestamp, machines: Set<DeviceID>) {
    self.modified = modified
    self.machines = Set(machines.sorted().prefix(Self.most))
  }

  /// The statement as text: the parent, the hybrid time, the machines in ascending order.
  public var text: String {
    ([TextField.time(modified)] + machines.sorted().map(TextField.device)).joined(separator: " ")
  }

  public init?(_ text: String) {
    let fields = TextField.words(text)
    guard let modified = TextField.time(fields), fields.count <= 3 + Self.most else { return nil }
    self.init(modified: modified, machines: Set(fields.dropFirst(3).compactMap { TextField.device($0) }))
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

extension TextField {
  static func time(_ time: HybridTimestamp) -> String {
    [device(time.author), String(time.wall), String(time.counter)].joined(separator: " ")
  }

  static func time(_ fields: [String]) -> HybridTimestamp? {
    guard fields.count >= 3, let author = device(fields[0]), let wall = Int64(fields[1]),
      HybridTimestamp.walls.contains(wall), let counter = UInt32(fields[2])
    else { return nil }
    return HybridTimestamp(wall: wall, counter: counter, author: author)
  }
}
