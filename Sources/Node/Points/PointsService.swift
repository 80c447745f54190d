import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// A service that brings points to the child's machine that wants them, and ends what is over.
///
/// A parent says to which machines it lends, and lends its purse to those that want points. A
/// child's machine says whether it wants points, and returns its purse when it does not.
///
/// Spec: Protocol/11-rules.md §7.
struct PointsService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds before the next look without news, since a day may have ended.
  private static let pause: Int64 = 600_000
  private static let retry: Int64 = 5_000
  /// Milliseconds between two looks, so that many items in a row cause few of them.
  private static let rest: ClosedRange<Int64> = 50...50
  /// Milliseconds for which a machine that wants points keeps its share out of touch.
  ///
  /// It is longer than what runs on a machine is believed: otherwise points would go to and fro.
  private static let patience: Int64 = ChildStanding.staleMilliseconds + 30_000

  /// What a look at a child's points depends on.
  private struct Situation: Hashable {
    var facts: Int64
    var day: FamilyDay
    var machines: Set<DeviceID>
    var connected: Set<DeviceID>
    var isWanted: Bool
    /// On a parent, the machines that were just in touch; on a child's machine, those heard of.
    var near: Set<DeviceID>
  }

  func run() async {
    var known: [ChildID: Situation] = [:]
    var lastSeen: [DeviceID: BootInstant] = [:]
    var served: Set<HybridTimestamp> = []
    await context.factNews.follow(retry: Self.retry, "points could not be looked at", context.logger, rest: Self.rest) {
      let connected = await directory.connected
      let now = context.now()
      for device in connected { lastSeen[device] = now }
      lastSeen = lastSeen.filter { now - $0.value < Self.patience }
      let awaited = lastSeen.filter { !connected.contains($0.key) }
      try await look(&known, &served, connected, awaited: Set(awaited.keys))
      return awaited.values.min().map { Self.patience - (now - $0) } ?? Self.pause
    }
  }

  private func look(
    _ known: inout [ChildID: Situation], _ served: inout Set<HybridTimestamp>, _ connected: Set<DeviceID>,
    awaited: Set<DeviceID>
  ) async throws(StoreError) {
    let household = try await context.readHousehold()
    let isChild = context.profile.role == .child
    let running = isChild ? try await context.running(at: context.now()) : []
    for (child, machines) in children(of: household).sorted(by: { $0.key < $1.key }) {
      let rewards = running.filter { $0.use.child == child && $0.use.category == .reward }
      let isWanted = isChild && wants(child, rewards)
      let near = isChild ? try await heard(of: child, rewards) : awaited
      let present = Situation(
        facts: try await context.store.factMark(of: child), day: context.moment(household.rules(for: child)).day,
        machines: machines, connected: connected, isWanted: isWanted, near: near)
      // A ledger can be long, and most news is about something else.
      guard known[child] != present else { continue }
      // The next session finds a ledger that was read.
      _ = try await context.store.look { try $0.ledger(of: child).balance }
      if known[child]?.day != present.day { try await context.store.forgetPast(of: child, on: present.day) }
      switch context.profile.role {
      case .parent: try await lend(child, present)
      case .child:
        let own = rewards.filter { $0.device == context.own }.map(\.use)
        // Statements of the past are not needed: the bound only has them shared for once more.
        if served.count > 1_024 { served = [] }
        served.formUnion(try await give(child, own, present, served))
      }
      known[child] = present
    }
  }

  private func children(of household: Household) -> [ChildID: Set<DeviceID>] {
    let machines = HouseholdKey.machines(in: household.registers.registers)
    if context.profile.role == .child { return machines.filter { $0.value.contains(context.own) } }
    // A machine that another parent has taken from the child is lent nothing.
    let present = Set(household.machines.map(\.device))
    return machines.reduce(into: [:]) { found, entry in
      let (child, devices) = entry
      found[child] = devices.filter { !present.contains($0) || household.given($0).contains(child) }
    }
  }

  private func lend(_ child: ChildID, _ situation: Situation) async throws(StoreError) {
    let context = context
    _ = try await context.act(directory) { effects, clock -> (Bool, ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      try effects.lendPoints(
        of: child, to: situation.machines, connected: situation.connected, awaited: situation.near, at: moment,
        clock: { try clock() }, source: { RecordID(bytes: context.nextCommandID(moment.at).bytes) })
      return (true, .none)
    }
  }

  /// On a child's machine: ends what is over, and says whether it wants points or returns them.
  ///
  /// Returns the statements of other machines for whose sake it has shared.
  private func give(
    _ child: ChildID, _ rewards: [RunningUse], _ situation: Situation, _ served: Set<HybridTimestamp>
  ) async throws(StoreError) -> Set<HybridTimestamp> {
    let context = context
    return try await context.act(directory) { effects, clock -> (Set<HybridTimestamp>, ActOrders) in
      let rules = try effects.rules(of: child)
      let moment = context.moment(rules)
      let used = rules.points.use == .payAsYouGo ? try effects.costSoFar(of: rewards, child, rules.boundary) : 0
      let shared = try effects.returnPoints(
        of: child, isWanted: situation.isWanted, used: used, connected: situation.connected, heard: situation.near,
        served: served, at: moment, clock: { try clock() },
        source: { RecordID(bytes: context.nextCommandID(moment.at).bytes) })
      return (shared, .none)
    }.value
  }

  /// Returns whether a reward of a child runs on this machine, or a person redeems points here.
  private func wants(_ child: ChildID, _ rewards: [ChildStanding.Session]) -> Bool {
    let now = context.now().milliseconds
    return context.wantedPoints.withLock({ $0[child] }) ?? 0 > now || rewards.contains { $0.device == context.own }
  }

  /// Returns the machines that run a reward of a child, or want points, by what was told lately.
  private func heard(of child: ChildID, _ rewards: [ChildStanding.Session]) async throws(StoreError) -> Set<DeviceID> {
    let wall = context.wall()
    let said = try await context.store.facts([.need], of: child).compactMap { PointsNeed($0.text) }
      .filter { $0.isNeeded && abs(wall - $0.modified.wall) < ChildStanding.staleMilliseconds }
    return Set(said.map(\.modified.author) + rewards.filter { !$0.isStale }.map(\.device)).subtracting([context.own])
  }
}

/// The points on other machines that a child's machine gets as soon as a reward runs there.
///
/// Spec: Protocol/11-rules.md §5.
struct LoansInReach {
  var coming: Int64
  /// The milli-points that machines share which run a reward and were heard of lately.
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

  /// Returns whether rewards are open for the sake of points that are expected, and how long.
  ///
  /// The first reward that runs begins the wait.
  mutating func wait(for child: ChildID, isRunning: Bool, at now: BootInstant) -> (isOpen: Bool, ends: BootInstant?) {
    if let start = began[child], now - start < Self.pause {
      return now - start < Self.patience ? (true, start + Self.patience) : (false, start + Self.pause)
    }
    guard isRunning else { return (true, nil) }
    began[child] = now
    return (true, now + Self.patience)
  }
}
