import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// Children who learn, play and ask, and parents who answer and change points.
extension Household {
  private static let lesson = AppID("org.kde.gcompris")
  private static let game = AppID("net.minetest.Minetest")

  /// Performs one action of a child on a machine.
  func live(_ machine: SimulatedNode) {
    let served = machine.store.holdings.served
    guard machine.isRunning, !served.isEmpty else { return }
    let child = simulation.effectRandom.pick(served)
    switch simulation.effectRandom.below(5) {
    case 0, 1: learn(child, on: machine)
    case 2, 3: play(child, on: machine)
    default: ask(child, on: machine)
    }
  }

  private func record(_ category: AppCategory, of child: ChildID, on machine: SimulatedNode, from start: Int64)
    -> UsageRecord?
  {
    guard let id = RecordID(bytes: simulation.effectRandom.bytes(16)),
      let app = category == .learning ? Self.lesson : Self.game
    else { return nil }
    let end = machine.moment.at
    var record = UsageRecord(
      recordID: id, device: machine.device, appID: app, displayName: app.text, sessionStart: start, sessionEnd: end,
      zone: "UTC", activeMilliseconds: max(1, end - start), category: category,
      milliPointsPerMinute: Int64(1_000 * (1 + simulation.effectRandom.below(3))), earnedMilliPoints: 0,
      evidence: .tracked)
    record.child = child
    record.householdStart = start
    return record
  }

  /// Records that a child has learned for some minutes, perhaps on another machine at the same
  /// time.
  private func learn(_ child: ChildID, on machine: SimulatedNode) {
    let start = machine.moment.at - Int64(1 + simulation.effectRandom.below(1_200_000))
    let isBesideReward = simulation.effectRandom.once(in: 6)
    guard let record = record(.learning, of: child, on: machine, from: start) else { return }
    take(
      record, of: child, on: machine,
      LearningEvidence(
        inputs: nil, rewardMilliseconds: isBesideReward ? 1 : 0, elapsedMilliseconds: record.activeMilliseconds))
  }

  /// Lets a child play for a while, for which the machine wants points.
  private func play(_ child: ChildID, on machine: SimulatedNode) {
    let start = machine.moment.at - Int64(simulation.effectRandom.below(600_000))
    machine.rewards[child, default: 0] += 1
    machine.pointsNews()
    machine.act(after: Int64(1_000 + simulation.effectRandom.below(60_000_000))) { [unowned self, unowned machine] in
      machine.rewards[child, default: 1] -= 1
      machine.pointsNews()
      guard let record = record(.reward, of: child, on: machine, from: start) else { return }
      take(
        record, of: child, on: machine,
        LearningEvidence(
          inputs: nil, rewardMilliseconds: 0, elapsedMilliseconds: record.activeMilliseconds))
    }
  }

  private func take(
    _ record: UsageRecord, of child: ChildID, on machine: SimulatedNode, _ evidence: LearningEvidence
  ) {
    machine.actOnFacts("session") { [unowned machine] holdings, _ in
      var carries: [Purse.CarryKey: PointsRemainder] = [:]
      guard holdings.serves(child) else { return [] }
      _ = try holdings.takePoints(from: record, evidence, of: child, carries: &carries, at: machine.moment.at)
      return []
    }
  }

  private func ask(_ child: ChildID, on machine: SimulatedNode) {
    guard let id = CommandID(bytes: simulation.effectRandom.bytes(16)) else { return }
    let moment = machine.moment
    let request = ChildRequest(
      id: id, device: machine.device, at: moment.at, wish: .time(Grant(minutes: 30, scope: .all)), day: moment.day,
      reason: "please")
    machine.actOnFacts("request") { holdings, _ in
      if holdings.serves(child) { try holdings.add(Fact(child, .request, request.text)) }
      return []
    }
  }

  /// Answers open requests, reviews held learning, and gives or takes points, as a parent.
  func answer(_ parent: SimulatedNode) {
    guard parent.isRunning else { return }
    let child = simulation.effectRandom.pick(persons)
    let machines = HouseholdKey.machines(in: parent.store.holdings.registers.values)[child] ?? []
    let (moment, amount) = (parent.moment, Int64(simulation.effectRandom.below(40_000)) - 15_000)
    let source = RecordID(bytes: simulation.effectRandom.bytes(16))
    let (isApproved, changesPoints) = (simulation.effectRandom.once(in: 2), simulation.effectRandom.once(in: 3))
    parent.actOnFacts("answer") { holdings, clock in
      let (requests, answers) = try holdings.requests(of: child)
      let book = RequestBook(requests, answers)
      for request in requests where book.state(of: request.id, on: moment.day) == .open {
        let answer = RequestAnswer(
          request: request.id, verdict: isApproved ? .approved(minutes: nil) : .denied, day: moment.day, word: "",
          modified: clock())
        try holdings.add(Fact(child, .answer, answer.text))
      }
      var orders: ModelStore.Orders = []
      var purse = try holdings.purse(of: child)
      let paired = holdings.holders.filter { machines.contains($0.key) && $0.value.contains(child) }.keys.sorted()
      for held in purse.ledger.entries.values.filter({ $0.id.kind == .held }).map(\.id).sorted(by: {
        $0.source.bytes.lexicographicallyPrecedes($1.source.bytes)
      }) where paired.contains(held.purse) {
        guard purse.ledger.entries[EntryID(purse: held.purse, kind: .reviewed, source: held.source)] == nil else {
          continue
        }
        let review = ReviewLearning(child: child, record: held.source, isApproved: isApproved)
        orders.append((held.purse, CommandPayload(review)))
      }
      guard changesPoints, let source else { return orders }
      let entry = purse.adjust(by: amount, source: source, day: moment.day, at: moment.at, note: "for a reason")
      if let entry { try holdings.add(entry, of: child) }
      let rest = (entry?.milliPoints ?? 0) - amount
      if rest > 0, let machine = paired.first {
        let take = TakePoints(child: child, milliPoints: rest, day: moment.day, reason: "for a reason")
        orders.append((machine, CommandPayload(take)))
      }
      return orders
    }
  }
}
