import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// The points of children, with the same effects that `PointsService` has in a node.
extension SimulatedNode {
  /// The inputs of a check of a child's points.
  struct PointsSituation: Hashable {
    var facts: Int
    var machines: Set<DeviceID>
    var connected: Set<DeviceID>
    var isWanted: Bool
    /// The machines that are connected to a parent that is connected to this machine.
    var heard: Set<DeviceID>
  }

  /// The present moment; a seed takes less than a day.
  var moment: FamilyMoment { FamilyMoment(day: Self.day, at: 1_800_000_000_000 + simulation.now / 1_000) }
  private static let day = FamilyDay.first.advanced(byDays: 1_000)

  /// Forgets what the previous process knew.
  func beginPoints() {
    isPointsNews = false
    knownPoints = [:]
    servedNeeds = []
    rewards = [:]
    pointsNews()
  }

  /// Plans a check of the points of all children.
  func pointsNews(after micros: Int64 = 2_000) {
    guard simulation.scenario.registers, !isPointsNews else { return }
    isPointsNews = true
    act(after: micros) { [unowned self] in
      isPointsNews = false
      lookAtPoints()
    }
  }

  private func lookAtPoints() {
    let machines = HouseholdKey.machines(in: store.holdings.registers.values)
    for (child, machines) in machines.sorted(by: { $0.key < $1.key }) where role == .parent || machines.contains(device)
    {
      let present = PointsSituation(
        facts: store.holdings.facts.last, machines: machines, connected: connected,
        isWanted: (rewards[child] ?? 0) > 0, heard: role == .child ? heard : [])
      guard knownPoints[child] != present else { continue }
      knownPoints[child] = present
      exchange(child, present)
    }
  }

  private var connected: Set<DeviceID> { Set(links.filter { $0.current != nil }.map(\.peer)) }

  private var heard: Set<DeviceID> {
    connected.compactMap { simulation.node($0) }.reduce(into: []) { $0.formUnion($1.connected) }
  }

  /// Lends or returns points.
  private func exchange(_ child: ChildID, _ situation: PointsSituation) {
    actOnFacts("points") { [unowned self] holdings, clock in
      let source = { [unowned self] in RecordID(bytes: simulation.effectRandom.bytes(16)) }
      if role == .parent {
        try holdings.lendPoints(
          of: child, to: situation.machines, connected: situation.connected, at: moment, clock: clock, source: source)
        if simulation.fault == .lendTwice { try lendAgain(child, &holdings) }
      } else if holdings.serves(child) {
        let served = try holdings.returnPoints(
          of: child, isWanted: situation.isWanted, connected: situation.connected, heard: situation.heard,
          served: servedNeeds, at: moment, clock: clock, source: source)
        servedNeeds.formUnion(served)
      }
      return []
    } then: { [unowned self] isDone in
      // A change that the disk refused is tried again.
      if !isDone {
        knownPoints[child] = nil
        pointsNews(after: 5_000_000)
      }
    }
  }

  /// Lends each new lease a second time; only a deliberate fault calls this.
  private func lendAgain(_ child: ChildID, _ holdings: inout ModelHoldings) throws {
    for fact in holdings.newFacts where fact.kind == .ledger {
      guard var entry = LedgerEntry(fact.text), entry.id.kind == .leased,
        let source = RecordID(bytes: simulation.effectRandom.bytes(16))
      else { continue }
      entry.id.source = source
      try holdings.add(Fact(child, .ledger, entry.text))
    }
  }

  /// Makes facts durable, and sends them.
  func actOnFacts(
    _ what: String, _ make: @escaping (inout ModelHoldings, () -> HybridTimestamp) throws -> ModelStore.Orders,
    then: @escaping (Bool) -> Void = { _ in }
  ) {
    let wall = wall
    disk.commit(what) { [unowned self] (store: inout ModelStore) throws(ModelStoreFault) in
      try store.act(
        nextID: { self.commandIDs.next(wall: wall, random: self.simulation.effectRandom.bytes(8)) }, at: wall,
        make: make)
    } then: { [unowned self] result in
      if case .success(let changes) = result {
        committed(changes)
        if !changes.isEmpty { pointsNews() }
        then(true)
      } else {
        then(false)
      }
    }
  }
}

extension ModelHoldings {
  /// Returns whether this machine serves a child.
  func serves(_ child: ChildID) -> Bool {
    inMemory { HouseholdKey.children(servedIn: try registers(in: .machine(own))) }.contains(child)
  }

  /// The children whom this machine serves.
  var served: [ChildID] { inMemory { HouseholdKey.children(servedIn: try registers(in: .machine(own))) }.sorted() }
}
