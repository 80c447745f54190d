import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// Tests of learning on several machines at once, which earns once.
@Suite struct RepeatedLearningTests {
  /// One milli-point for each millisecond, so that points equal times.
  private static let rate: Int64 = 60_000
  private static let start: Int64 = 1_795_446_000_000

  private func rules() throws -> RuleSet {
    try HouseholdSamples.rules([("mode", "points"), ("family/zone", "Europe/Berlin")])
  }

  private func device(_ number: Int) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: UInt8(number), count: DeviceID.size)))
  }

  private func record(
    _ number: Int, _ device: DeviceID, _ category: AppCategory = .learning, from start: Int64, for length: Int64,
    rate: Int64 = rate
  ) throws -> UsageRecord {
    UsageRecord(
      recordID: try #require(RecordID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })),
      device: device, appID: try HouseholdSamples.app(category.rawValue), displayName: "x",
      sessionStart: Self.start + start, sessionEnd: Self.start + start + length, zone: "UTC",
      activeMilliseconds: length, category: category, milliPointsPerMinute: rate, earnedMilliPoints: 0,
      evidence: .observed)
  }

  @Test func theLaterSessionGivesBackWhatBothShare() throws {
    let rules = try rules()
    var (pc, tablet) = (Purse(device: try device(1)), Purse(device: try device(2)))
    _ = pc.take(try record(1, pc.device, from: 0, for: 600_000), hold: nil, rules: rules, at: 0)
    _ = tablet.take(try record(2, tablet.device, from: 400_000, for: 600_000), hold: nil, rules: rules, at: 0)
    #expect(pc.takeBackRepeats(at: 0).isEmpty && tablet.takeBackRepeats(at: 0).isEmpty)
    pc.ledger.merge(tablet.ledger)
    tablet.ledger.merge(pc.ledger)
    #expect(pc.takeBackRepeats(at: 0).isEmpty)
    let back = tablet.takeBackRepeats(at: 7)
    #expect(back.map(\.milliPoints) == [-200_000] && back.map(\.quantity) == [200_000])
    #expect(back.first?.id.kind == .repeated)
    #expect(tablet.takeBackRepeats(at: 8).isEmpty)
    #expect(tablet.ledger.balance == 1_000_000)
    #expect(tablet.ledger.earned(on: try HouseholdSamples.day("2026-11-23")) == 1_000_000)
  }

  @Test func onlyOtherMachinesAreLookedAt() throws {
    let rules = try rules()
    var pc = Purse(device: try device(1))
    for number in 1...3 {
      _ = pc.take(try record(number, pc.device, from: 0, for: 600_000), hold: nil, rules: rules, at: 0)
    }
    #expect(pc.ledger.repeats.isEmpty)
  }

  @Test func whatWasSpentIsTakenBackOnceThereIsMore() throws {
    let rules = try rules()
    var (pc, tablet) = (Purse(device: try device(1)), Purse(device: try device(2)))
    _ = pc.take(try record(1, pc.device, from: 0, for: 600_000), hold: nil, rules: rules, at: 0)
    _ = tablet.take(try record(2, tablet.device, from: 0, for: 600_000), hold: nil, rules: rules, at: 0)
    // The session whose ID sorts later began at the same moment.
    _ = tablet.take(
      try record(3, tablet.device, .reward, from: 700_000, for: 500_000), hold: nil, rules: rules, at: 0)
    tablet.ledger.merge(pc.ledger)
    #expect(tablet.takeBackRepeats(at: 0).map(\.milliPoints) == [-100_000])
    #expect(tablet.spendable == 0 && tablet.takeBackRepeats(at: 0).isEmpty)
    let day = try HouseholdSamples.day("2026-11-23")
    _ = tablet.grant(
      300_000, source: try #require(RecordID(bytes: [UInt8](repeating: 9, count: 16))), day: day, at: 0)
    // One entry for each session: the later entry replaces the earlier one.
    #expect(tablet.takeBackRepeats(at: 0).map(\.milliPoints) == [-400_000])
    #expect(tablet.ledger.entries.values.filter { $0.id.kind == .repeated }.map(\.milliPoints) == [-400_000])
    _ = tablet.grant(
      300_000, source: try #require(RecordID(bytes: [UInt8](repeating: 8, count: 16))), day: day, at: 0)
    #expect(tablet.takeBackRepeats(at: 0).map(\.milliPoints) == [-600_000])
    #expect(tablet.ledger.purse(of: tablet.device) == 100_000)
  }

  /// Machines learn, spend and meet in any order.
  ///
  /// Each span earns once, no purse is negative, and all machines agree.
  @Test func aSpanEarnsOnceInEveryOrder() throws {
    let rules = try rules()
    var random = SeededRandom()
    for _ in 0..<120 {
      let spends = random.once(in: 2)
      var purses = try (1...3).map { Purse(device: try device($0)) }
      var spans: [Range<Int64>] = []
      var free = [Int64](repeating: 0, count: purses.count)
      for number in 1...30 {
        let own = random.below(purses.count)
        // Sessions of one machine follow each other, and may be split anywhere.
        let from = free[own] + Int64(random.below(400_000))
        let length = Int64(1 + random.below(900_000))
        free[own] = from + length
        spans.append(from..<(from + length))
        let cut = random.once(in: 2) ? Int64(random.below(Int(length))) : 0
        if cut > 0 {
          _ = purses[own].take(
            try record(1_000 + number, purses[own].device, from: from, for: cut), hold: nil, rules: rules, at: 0)
        }
        _ = purses[own].take(
          try record(number, purses[own].device, from: from + cut, for: length - cut), hold: nil, rules: rules, at: 0)
        if spends, random.once(in: 3) {
          let game = try record(2_000 + number, purses[own].device, .reward, from: from, for: 500_000)
          _ = purses[own].take(game, hold: nil, rules: rules, at: 0)
        }
        let (one, other) = (random.below(purses.count), random.below(purses.count))
        if random.once(in: 2) { purses[one].ledger.merge(purses[other].ledger) }
        if random.once(in: 2) { _ = purses[one].takeBackRepeats(at: 0) }
        for purse in purses { #expect(purse.ledger.purse(of: purse.device) >= 0, "\(random.note)") }
      }
      // All meet twice, so that each learns what another has taken back.
      for _ in 0..<2 {
        for one in purses.indices { for other in purses.indices { purses[one].ledger.merge(purses[other].ledger) } }
        for one in purses.indices { _ = purses[one].takeBackRepeats(at: 0) }
      }
      var all = Ledger()
      for one in purses.indices.shuffled(using: &random) { all.merge(purses[one].ledger) }
      for purse in purses {
        var known = purse.ledger
        known.merge(all)
        #expect(known == all && known.repeats == all.repeats, "\(random.note)")
      }
      let owed = all.repeats.values.reduce(Int64(0)) { $0 + $1.milliPoints }
      let taken = all.entries.values.reduce(Int64(0)) { $0 - ($1.id.kind == .repeated ? $1.milliPoints : 0) }
      let earned = all.entries.values.reduce(Int64(0)) { $0 + ($1.id.kind == .earned ? $1.milliPoints : 0) }
      #expect(earned - owed == Self.length(spans), "\(random.note)")
      if !spends { #expect(taken == owed, "\(random.note)") }
      #expect(taken <= owed, "\(random.note)")
      for purse in purses where all.purse(of: purse.device) > 0 {
        for (id, found) in all.repeats where id.purse == purse.device {
          let entry = all.entries[EntryID(purse: id.purse, kind: .repeated, source: id.source)]
          #expect(-(entry?.milliPoints ?? 0) == found.milliPoints, "\(random.note)")
        }
      }
    }
  }

  private static func length(_ spans: [Range<Int64>]) -> Int64 {
    var (sum, through) = (Int64(0), Int64.min)
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let start = max(span.lowerBound, through)
      if span.upperBound > start { (sum, through) = (sum + span.upperBound - start, span.upperBound) }
    }
    return sum
  }
}
