import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct LedgerTests {
  private func source(_ random: inout SeededRandom) throws -> RecordID {
    try #require(RecordID(bytes: random.bytes(16)))
  }

  private func entry(_ random: inout SeededRandom) throws -> LedgerEntry {
    let kind = random.pick(LedgerEntry.Kind.allCases)
    let amount = Int64(random.below(1_000_000))
    let signed: Int64 =
      switch kind {
      case .earned, .refunded, .granted, .reviewed: amount
      case .spent, .redeemed, .leased, .repeated: -amount
      case .used, .expired, .held: 0
      case .adjusted: random.once(in: 2) ? amount : -amount
      }
    let day = try HouseholdSamples.day("2026-11-23").advanced(byDays: random.below(9))
    return LedgerEntry(
      EntryID(purse: Samples.deviceID(&random), kind: kind, source: try source(&random)), milliPoints: signed, day: day,
      at: Int64(random.below(1 << 40)), other: kind == .leased ? Samples.deviceID(&random) : nil,
      quantity: Int64(random.below(1_000)), lastDay: kind == .redeemed ? day : nil,
      hold: kind == .held ? random.pick(HoldReason.allCases) : nil, note: random.pick(["", "a b  c", "ä"]))
  }

  @Test func anEntryHasOneText() throws {
    var random = SeededRandom()
    for _ in 0..<500 {
      let entry = try entry(&random)
      #expect(entry.fault == nil, "\(random.note)")
      #expect(LedgerEntry(entry.text) == entry, "\(entry.text) \(random.note)")
    }
  }

  @Test func anotherTextIsNoEntry() throws {
    var random = SeededRandom()
    // Without a note, since a part of one would be another entry.
    var whole = try entry(&random)
    whole.note = ""
    let text = whole.text
    for other in ["", " ", text + "\n", " " + text, text.uppercased(), String(text.dropLast(3)), text + "\u{0}"] {
      #expect(LedgerEntry(other) == nil, "\(other) \(random.note)")
    }
    for _ in 0..<5_000 {
      var bytes = Array(text.utf8)
      bytes[random.below(bytes.count)] = UInt8(random.below(128))
      let changed = String(decoding: bytes, as: UTF8.self)
      if let entry = LedgerEntry(changed) { #expect(entry.text == changed, "\(random.note)") }
    }
  }

  @Test func everyOrderAndRepetitionEndsTheSame() throws {
    var random = SeededRandom()
    for _ in 0..<100 {
      var entries = try (0..<30).map { _ in try entry(&random) }
      // A faulty machine states some of them differently.
      for index in 0..<5 {
        var other = entries[index]
        other.note = "otherwise"
        if other.milliPoints > 0 { other.milliPoints += 1 }
        if other.id.kind == .repeated { other.milliPoints -= 1 }
        entries.append(other)
      }
      let expected = Ledger(entries)
      var other = Ledger()
      for _ in 0..<3 { for entry in entries.shuffled(using: &random) where random.once(in: 2) { other.merge(entry) } }
      other.merge(expected)
      #expect(other == expected && other.balance == expected.balance, "\(random.note)")
      #expect(other.repeats == expected.repeats, "\(random.note)")
      let sum = expected.entries.values.reduce(Int64(0)) { $0 + ($1.id.kind == .leased ? 0 : $1.milliPoints) }
      #expect(expected.balance == sum, "\(random.note)")
      let devices = Set(entries.map(\.id.purse) + entries.compactMap(\.other))
      #expect(devices.reduce(Int64(0)) { $0 + expected.purse(of: $1) } == sum, "\(random.note)")
    }
  }

  @Test func anEntryThatNoMachineCanTakeIsNotTaken() throws {
    var random = SeededRandom()
    var ledger = Ledger()
    var entry = LedgerEntry(
      EntryID(purse: Samples.deviceID(&random), kind: .earned, source: try source(&random)), milliPoints: -1,
      day: try HouseholdSamples.day("2026-11-23"), at: 0)
    for change in [
      { $0.milliPoints = -1 }, { $0.milliPoints = .max }, { $0.quantity = -1 }, { $0.at = -1 },
      { $0.other = $0.id.purse }, { $0.lastDay = $0.day }, { $0.hold = .clockJump }, { $0.note = "\u{0}" },
    ] as [(inout LedgerEntry) -> Void] {
      entry.milliPoints = 1
      var wrong = entry
      change(&wrong)
      #expect(wrong.fault != nil)
      ledger.merge(wrong)
      #expect(ledger.entries.isEmpty)
    }
  }

  @Test func machinesApartForAWeekNeverSpendMoreThanTheBalance() throws {
    var random = SeededRandom()
    let rules = try HouseholdSamples.rules([("mode", "points"), ("family/zone", "UTC")])
    for _ in 0..<60 {
      // A parent and two machines of the child. Pairs of them meet, or do not meet for a week.
      var purses = try [1, 2, 3].map { number in
        Purse(device: try #require(DeviceID(bytes: [UInt8](repeating: UInt8(number), count: 20))))
      }
      let machines = Set(purses[1...].map(\.device))
      var given: Int64 = 0
      var time = try HouseholdSamples.instant("2026-11-23T00:00:00Z")
      for step in 0..<(7 * 24) {
        time += 3_600_000
        let day = rules.boundary.day(containing: time)
        let own = 1 + random.below(2)
        switch random.below(7) {
        case 0:
          given +=
            purses[0].grant(Int64(random.below(20_000)), source: try source(&random), day: day, at: time)?.milliPoints
            ?? 0
        case 1:
          let record = try session(.learning, purses[own].device, at: time, &random)
          given += purses[own].take(record, hold: nil, rules: rules, at: time)?.milliPoints ?? 0
        case 2, 3:
          _ = purses[own].take(
            try session(.reward, purses[own].device, at: time, &random), hold: nil, rules: rules, at: time)
        case 4 where step < 24 || random.once(in: 24):
          // The parent meets a machine. They exchange all entries, and points move either way.
          purses[0].ledger.merge(purses[own].ledger)
          purses[own].ledger.merge(purses[0].ledger)
          let isPlaying = random.once(in: 2)
          let other = purses[own].ledger.purse(of: purses[3 - own].device)
          let returned = LeasePolicy.returned(
            purse: purses[own].spendable, isOnlyMachine: false, runsReward: isPlaying,
            used: Int64(random.below(10_000)), others: random.once(in: 2) ? [other] : [],
            lender: purses[own].ledger.purse(of: purses[0].device))
          _ = purses[own].lend(returned, to: purses[0].device, source: try source(&random), day: day, at: time)
          let asking: Set<DeviceID> = random.once(in: 3) ? machines : isPlaying ? [purses[own].device] : []
          let held = purses[0].ledger.purses(of: asking)
          for loan in LeasePolicy.loans(
            purse: purses[0].spendable, machines: machines, asking: asking, held: held)
          {
            _ = purses[0].lend(loan.milliPoints, to: loan.to, source: try source(&random), day: day, at: time)
          }
          // What was just written may or may not arrive, once or twice.
          if random.once(in: 2) { purses[own].ledger.merge(purses[0].ledger) }
          if random.once(in: 2) { purses[0].ledger.merge(purses[own].ledger) }
        default: break
        }
        var all = Ledger()
        for purse in purses { all.merge(purse.ledger) }
        let spent = all.entries.values.reduce(Int64(0)) { $0 - ($1.id.kind == .spent ? $1.milliPoints : 0) }
        #expect(spent <= given && all.balance == given - spent, "\(random.note)")
        for purse in purses { #expect(all.purse(of: purse.device) >= 0, "\(random.note)") }
      }
    }
  }

  private func session(
    _ category: AppCategory, _ device: DeviceID, at time: Int64, _ random: inout SeededRandom
  ) throws -> UsageRecord {
    let active = Int64(1 + random.below(3_600_000))
    return UsageRecord(
      recordID: try source(&random), device: device, appID: try HouseholdSamples.app("x"), displayName: "x",
      sessionStart: time, sessionEnd: time + active, zone: "UTC", activeMilliseconds: active, category: category,
      milliPointsPerMinute: 1_000, earnedMilliPoints: 0, evidence: .observed)
  }

  @Test func loansShareWhatAParentHas() throws {
    let devices = try (1...3).map { try #require(DeviceID(bytes: [UInt8](repeating: UInt8($0), count: 20))) }
    let all = Set(devices)
    #expect(LeasePolicy.loans(purse: 10, machines: [devices[1]], asking: []).map(\.milliPoints) == [10])
    #expect(LeasePolicy.loans(purse: 10, machines: all, asking: []).isEmpty)
    #expect(LeasePolicy.loans(purse: 10, machines: all, asking: all).map(\.milliPoints) == [4, 3, 3])
    #expect(LeasePolicy.loans(purse: 2, machines: all, asking: all).map(\.to) == Array(devices.prefix(2)))
    #expect(LeasePolicy.loans(purse: 0, machines: all, asking: all).isEmpty)
    // The emptiest purses are filled first, up to one level.
    let held: [DeviceID: Int64] = [devices[0]: 100, devices[1]: 10]
    #expect(LeasePolicy.loans(purse: 8, machines: all, asking: all, held: held).map(\.to) == [devices[2]])
    #expect(LeasePolicy.loans(purse: 31, machines: all, asking: all, held: held).map(\.milliPoints) == [11, 20])
    #expect(LeasePolicy.loans(purse: 190, machines: all, asking: all, held: held).map(\.milliPoints) == [90, 100])
    #expect(LeasePolicy.loans(purse: 220, machines: all, asking: all, held: held).map(\.milliPoints) == [10, 100, 110])
    #expect(
      LeasePolicy.loans(purse: .max, machines: all, asking: all, held: [devices[0]: .max]).map(\.milliPoints).reduce(
        0, +)
        == .max)
    #expect(LeasePolicy.loans(purse: -5, machines: [devices[0]], asking: all).isEmpty)
    #expect(LeasePolicy.returned(purse: 7, isOnlyMachine: false, runsReward: false) == 7)
    #expect(LeasePolicy.returned(purse: 7, isOnlyMachine: true, runsReward: false) == 0)
    #expect(LeasePolicy.returned(purse: 7, isOnlyMachine: false, runsReward: true) == 0)
  }

  @Test func aMachineThatWantsPointsSharesThem() {
    func returned(_ purse: Int64, used: Int64 = 0, _ others: [Int64], lender: Int64 = 0) -> Int64 {
      LeasePolicy.returned(
        purse: purse, isOnlyMachine: false, runsReward: true, used: used, others: others, lender: lender)
    }
    #expect(returned(100_000, []) == 0)
    #expect(returned(100_000, [0]) == 50_000)
    #expect(returned(100_000, [0, 0]) == 66_666)
    #expect(returned(100_000, [100_000]) == 0)
    #expect(returned(100_000, [200_000]) == 0)
    // The cost of running sessions stays, and a small amount is not worth an entry.
    #expect(returned(100_000, used: 80_000, [0]) == 10_000)
    #expect(returned(100_000, used: 120_000, [0]) == 0)
    #expect(returned(1_999, [0]) == 0)
    // The lender's points go to the other machines first, or come here.
    #expect(returned(100_000, [0], lender: 60_000) == 20_000)
    #expect(returned(50_000, [0], lender: 50_000) == 0)
    #expect(returned(0, [0], lender: 50_000) == 0)
    #expect(returned(.max, [.max], lender: .max) == 0)
  }

  @Test func aSecondMachineGetsItsShareAndPointsComeToRest() throws {
    var random = SeededRandom(seed: 3)
    let devices = try (1...3).map { try #require(DeviceID(bytes: [UInt8](repeating: UInt8($0), count: 20))) }
    let (day, machines) = (try #require(FamilyDay("2026-11-23")), Set(devices[1...]))
    var parent = Purse(device: devices[0])
    _ = parent.grant(100_000, source: try source(&random), day: day, at: 1)
    // The first machine asked alone.
    for loan in LeasePolicy.loans(purse: parent.spendable, machines: machines, asking: [devices[1]]) {
      _ = parent.lend(loan.milliPoints, to: loan.to, source: try source(&random), day: day, at: 1)
    }
    var ledger = parent.ledger
    #expect(ledger.purse(of: devices[1]) == 100_000)
    var entries = 0
    while true {
      let before = ledger.entries.count
      for (own, other) in [(1, 2), (2, 1)] {
        var purse = Purse(device: devices[own], ledger: ledger)
        let returned = LeasePolicy.returned(
          purse: purse.spendable, isOnlyMachine: false, runsReward: true, others: [ledger.purse(of: devices[other])],
          lender: ledger.purse(of: devices[0]))
        _ = purse.lend(returned, to: devices[0], source: try source(&random), day: day, at: 1)
        ledger = purse.ledger
      }
      parent.ledger = ledger
      for loan in LeasePolicy.loans(
        purse: parent.spendable, machines: machines, asking: machines, held: ledger.purses(of: machines))
      {
        _ = parent.lend(loan.milliPoints, to: loan.to, source: try source(&random), day: day, at: 1)
      }
      ledger = parent.ledger
      entries += ledger.entries.count - before
      if ledger.entries.count == before { break }
    }
    #expect(entries == 2 && ledger.balance == 100_000)
    #expect(ledger.purses(of: machines) == [devices[1]: 50_000, devices[2]: 50_000])
  }
}
