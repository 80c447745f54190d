import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of points on several machines that are connected now and then.
@Suite struct PurseRelayTests {
  private func rules() throws -> RuleSet {
    var rules = RuleSet()
    rules.points.use = .payAsYouGo
    return rules
  }

  /// Returns a session of some minutes on a machine.
  private func session(
    _ device: DeviceID, _ category: AppCategory, _ id: RecordID, minutes: Int64, rate: Int64 = 1_000
  ) -> UsageRecord {
    let start: Int64 = 1_795_266_000_000
    return UsageRecord(
      recordID: id, device: device, appID: Fixed.app("org.example.App"), displayName: "App", sessionStart: start,
      sessionEnd: start + minutes * 60_000, zone: "UTC", activeMilliseconds: minutes * 60_000, category: category,
      milliPointsPerMinute: rate, earnedMilliPoints: 0, evidence: .tracked)
  }

  @Test(
    "However long machines are apart, they never spend more than there is; in whatever order and how often deliveries come, all end with the same"
  )
  func neverOverspent() async throws {
    for _ in 0..<6 {
      var random = SeededRandom()
      let note = random.note
      let family = FactFamily(&random)
      let parents = [try family.add(.parent), try family.add(.parent)]
      let machines = [try family.add(.child), try family.add(.child)]
      for (parent, machine) in [(0, 0), (0, 1), (1, 0)] {
        try await family.pair(parents[parent], machines[machine])
        try await family.serve(parents[parent], machines[machine], family.emma)
      }
      try await family.settle()
      let rules = try rules()
      let day = try #require(FamilyDay("2026-11-21"))
      for _ in 0..<60 {
        let id = family.source()
        let machine = random.pick(parents + machines)
        let device = family.device(machine)
        let amount = Int64(1 + random.below(30_000))
        switch random.below(5) {
        case 0 where machines.contains(machine):
          let record = session(device, .learning, id, minutes: Int64(1 + random.below(60)))
          try await family.act(machine) { $0.take(record, hold: nil, rules: rules, at: 1) }
        case 1 where machines.contains(machine):
          let record = session(device, .reward, id, minutes: Int64(1 + random.below(60)))
          try await family.act(machine) { $0.take(record, hold: nil, rules: rules, at: 1) }
        case 2:
          let other = family.device(random.pick((parents + machines).filter { $0 != machine }))
          try await family.act(machine) { $0.lend(amount, to: other, source: id, day: day, at: 1) }
        case 3 where parents.contains(machine):
          let signed = random.once(in: 3) ? -amount : amount
          try await family.act(machine) { $0.adjust(by: signed, source: id, day: day, at: 1, note: "") }
        default: try await family.carrySome(random.below(6), &random)
        }
        for holder in parents + machines {
          let own = try await family.ledger(holder).purse(of: family.device(holder))
          #expect(own >= 0, "\(note)")
        }
      }
      try await family.settle()
      // A restarted stream brings everything twice.
      for machine in machines {
        _ = try await family[machine].restart(
          family.device(parents[0]), .control, epoch: 77, cause: .peerLost(after: 0), at: 40)
      }
      try await family.settle()
      let ledgers = try await [0, 1, 2, 3].asyncMap { try await family.ledger($0) }
      for ledger in ledgers { #expect(ledger == ledgers[0], "\(note)") }
      #expect(ledgers[0].balance >= 0, "\(note)")
      for holder in parents + machines { #expect(ledgers[0].purse(of: family.device(holder)) >= 0, "\(note)") }
    }
  }

  @Test("A ledger that was read before is the one that is read anew, whatever is added, replaced, forgotten or undone")
  func readBefore() async throws {
    var random = SeededRandom()
    let note = random.note
    let family = FactFamily(&random)
    let pc = try family.add(.child)
    let day = try #require(FamilyDay("2026-11-21"))
    let emma = family.emma
    for number in 0..<60 {
      let source = family.source()
      switch random.below(4) {
      case 0, 1: try await family.act(pc) { $0.grant(Int64(number + 1), source: source, day: day, at: 1) }
      case 2:
        await #expect(throws: StoreError.self) {
          try await family.act(pc) { purse in
            _ = purse.grant(5, source: source, day: day, at: 1)
            throw StoreError.refused("Undone.")
          }
        }
      default:
        let maker = family.maker
        await #expect(throws: StoreError.self) {
          _ = try await family[pc].act(maker, at: 1) { effects, _ -> (Bool, ActOrders) in
            var purse = try effects.purse(of: emma)
            if let entry = purse.grant(5, source: source, day: day, at: 1) { try effects.add(entry, of: emma) }
            // The entry counts within the transaction, and is not stored.
            _ = try effects.ledger(of: emma)
            throw StoreError.refused("Undone.")
          }
        }
      }
      if number == 40 { try await family[pc].forgetAll(of: emma) }
      let cached = try await family[pc].look { try $0.ledger(of: emma) }
      #expect(try await family.ledger(pc) == cached, "\(note)")
    }
  }

  @Test("A parent asks a machine for points; it gives what it has, once")
  func taking() async throws {
    var random = SeededRandom(seed: 5)
    let family = FactFamily(&random)
    let (mum, pc) = (try family.add(.parent), try family.add(.child))
    try await family.pair(mum, pc)
    try await family.serve(mum, pc, family.emma)
    try await family.settle()
    let day = try #require(FamilyDay("2026-11-21"))
    let id = family.source()
    try await family.act(pc) { $0.grant(7_000, source: id, day: day, at: 1) }
    let take = TakePoints(child: family.emma, milliPoints: 10_000, day: day, reason: "rules")
    let device = family.device(pc)
    let given = try await family[mum].act(family.maker, at: 1) { _, _ -> (Bool, ActOrders) in
      (true, ActOrders(commands: [(device: device, payload: CommandPayload(take))]))
    }
    try await family.settle()
    let command = try #require(try await family[mum].command(given.commands[0].commandID))
    #expect(command.status == .executed)
    #expect(command.stateInForce?.as(PointsTaken.self) == PointsTaken(7_000))
    for machine in [mum, pc] { #expect(try await family.ledger(machine).balance == 0) }
    // Emma's machine does not accept anything of Tom's.
    let wrong = TakePoints(child: family.tom, milliPoints: 1, day: day, reason: "rules")
    let refused = try await family[mum].act(family.maker, at: 1) { _, _ -> (Bool, ActOrders) in
      (true, ActOrders(commands: [(device: device, payload: CommandPayload(wrong))]))
    }
    try await family.settle()
    #expect(try await family[mum].command(refused.commands[0].commandID)?.status == .failed)
  }

  @Test("Of two reviews of held learning, the first that arrives holds")
  func reviewing() async throws {
    var random = SeededRandom(seed: 6)
    let family = FactFamily(&random)
    let (mum, pc) = (try family.add(.parent), try family.add(.child))
    try await family.pair(mum, pc)
    try await family.serve(mum, pc, family.emma)
    try await family.settle()
    let rules = try rules()
    let record = session(family.device(pc), .learning, family.source(), minutes: 5)
    let held = try await family.act(pc) { $0.take(record, hold: .noActivity, rules: rules, at: 1) }
    #expect(held?.quantity == 5_000 && held?.milliPoints == 0)
    let (child, device) = (family.emma, family.device(pc))
    let given = try await family[mum].act(family.maker, at: 1) { _, _ -> (Bool, ActOrders) in
      let reviews = [true, false].map { ReviewLearning(child: child, record: record.recordID, isApproved: $0) }
      return (true, ActOrders(commands: reviews.map { (device: device, payload: CommandPayload($0)) }))
    }
    try await family.settle()
    #expect(try await family.ledger(mum).balance == 5_000)
    let statuses = try await given.commands.asyncMap { try await family[mum].command($0.commandID)?.status }
    #expect(statuses == [.executed, .superseded])
    let unknown = ReviewLearning(child: child, record: family.source(), isApproved: true)
    let failed = try await family[mum].act(family.maker, at: 1) { _, _ -> (Bool, ActOrders) in
      (true, ActOrders(commands: [(device: device, payload: CommandPayload(unknown))]))
    }
    try await family.settle()
    #expect(try await family[mum].command(failed.commands[0].commandID)?.status == .failed)
  }
}

extension Store {
  /// Forgets everything about a child, as when a machine stops serving the child.
  fileprivate func forgetAll(of child: ChildID) async throws {
    guard let key = RegisterKey(["child", child.description]) else { return }
    let own = try await look { $0.own }
    let maker = EditMaker(
      nextID: { CommandID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10)) },
      payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
    _ = try await edit([RegisterChange(.machine(own), key, nil)], maker, at: 1)
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
