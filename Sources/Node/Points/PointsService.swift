import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// A service that brings points to the machine of a child's that wants them, and forgets what is over.
///
/// A parent says to which machines it lends, and lends its purse to those that want points. A child's machine says whether
/// it wants points, and returns its purse when it does not.
///
/// Spec: Protocol/11-rules.md §7.
struct PointsService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds before the next look without news, since a day may have ended; and before the next try after a fault.
  private static let pause: Int64 = 600_000
  private static let retry: Int64 = 5_000
  /// Milliseconds between two looks, so that many items in a row cause few of them.
  private static let rest: Int64 = 50

  /// What a look at a child's points depends on.
  private struct Situation: Hashable {
    var facts: Int64
    var day: FamilyDay
    var machines: Set<DeviceID>
    var connected: Set<DeviceID>
    var isWanted: Bool
  }

  func run() async {
    var known: [ChildID: Situation] = [:]
    while !Task.isCancelled {
      let seen = context.factNews.version
      var wait = Self.pause
      do { try await look(&known) } catch {
        context.logger.error("points could not be looked at", metadata: ["reason": "\(error)"])
        wait = Self.retry
      }
      do { try await Task.sleep(for: .milliseconds(Self.rest)) } catch { return }
      await context.factNews.wait(after: seen, milliseconds: wait)
    }
  }

  private func look(_ known: inout [ChildID: Situation]) async throws(StoreError) {
    let connected = await connected()
    let household = try await context.readHousehold()
    for (child, machines) in children(of: household).sorted(by: { $0.key < $1.key }) {
      let isWanted = context.profile.role == .child ? try await wants(child) : false
      let present = Situation(
        facts: try await context.store.factMark(of: child), day: context.moment(household.rules(for: child)).day,
        machines: machines,
        connected: connected, isWanted: isWanted)
      // A ledger can be long, and most news is about something else.
      guard known[child] != present else { continue }
      // The next session finds a ledger that was read.
      _ = try await context.store.look { try $0.ledger(of: child).balance }
      if known[child]?.day != present.day { try await context.store.forgetPast(of: child, on: present.day) }
      switch context.profile.role {
      case .parent: try await lend(child, machines, connected: connected)
      case .child: try await give(child, isWanted: isWanted, connected: connected)
      }
      known[child] = present
    }
  }

  /// Returns the children whose points this machine looks after, on a parent with their machines.
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

  private func connected() async -> Set<DeviceID> {
    var connected: Set<DeviceID> = []
    for link in await directory.all where await link.current != nil {
      connected.insert(link.peer)
    }
    return connected
  }

  /// On a parent: says to which machines it lends, and lends.
  private func lend(_ child: ChildID, _ machines: Set<DeviceID>, connected: Set<DeviceID>) async throws(StoreError) {
    let context = context
    _ = try await context.act(directory) { effects, clock -> (Bool, ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      try effects.lendPoints(
        of: child, to: machines, connected: connected, at: moment, clock: { try clock() },
        source: { RecordID(bytes: context.nextCommandID(moment.at).bytes) })
      return (true, .none)
    }
  }

  /// On a child's machine: ends what is over, says whether it wants points, and returns those that it does not.
  private func give(_ child: ChildID, isWanted: Bool, connected: Set<DeviceID>) async throws(StoreError) {
    let context = context
    _ = try await context.act(directory) { effects, clock -> (Bool, ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      try effects.returnPoints(
        of: child, isWanted: isWanted, connected: connected, at: moment, clock: { try clock() },
        source: { RecordID(bytes: context.nextCommandID(moment.at).bytes) })
      return (true, .none)
    }
  }

  /// Returns whether a reward of a child runs on this machine, or somebody redeems points here.
  private func wants(_ child: ChildID) async throws(StoreError) -> Bool {
    let now = context.now().milliseconds
    if context.wantedPoints.withLock({ $0[child] }) ?? 0 > now { return true }
    return try await context.store.openSessions().contains { $0.category == .reward && $0.child == child }
  }
}
