import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of reports and totals of a child that are read from the store.
@Suite struct ChildUseReportTests {
  @Test(
    "A report and the totals of a day read the same from overlapping records of accounts and machines",
    // With the second seed, use began later on the last day that was counted anew.
    arguments: [nil, 569_791_545] as [UInt64?])
  func agree(seed: UInt64?) async throws {
    let rig = try StoreRig()
    var random = seed.map { SeededRandom(seed: $0) } ?? SeededRandom()
    let emma = try #require(ChildID(bytes: random.bytes(16)))
    let tom = try #require(ChildID(bytes: random.bytes(16)))
    let (first, last) = (try #require(FamilyDay("2026-03-01")), try #require(FamilyDay("2026-11-30")))
    let utc = try DayBoundary(zone: "UTC", dayStartHour: 0)
    let (from, to) = (utc.start(of: first) + 172_800_000, utc.end(of: last) - 172_800_000)
    var records: [UsageRecord] = []
    for number in 0..<400 {
      let start = Int64.random(in: from..<(to - 100_000_000), using: &random)
      // A record with more use than its clock had time is longer than any range of the wall clock.
      let length = Int64(random.below(number % 7 == 0 ? 1_000_000 : 100_000_000))
      var record = try rig.session(start: start, end: start + length, app: random.pick(["a", "b", "c"]))
      record.activeMilliseconds = number % 7 == 0 ? 200_000_000 : length / Int64(1 + random.below(3))
      record.account = random.pick([nil, 1_000, 1_001])
      if number % 2 == 0 { record.device = Fixed.device(2) }
      record.child = random.pick([emma, emma, tom, nil])
      // The wall clock was wrong for some records; they count where the household's clock places
      // them.
      if number % 5 == 0 { record.householdStart = Int64.random(in: from..<(to - 100_000_000), using: &random) }
      record.displayName = "name \(record.householdStart)"
      records.append(record)
    }
    _ = try await rig.store.record(records, at: to)
    let emmas = records.filter { $0.child == emma }
    for zone in ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Kiritimati"] {
      for hour in [0, 4, 23] {
        let boundary = try DayBoundary(zone: zone, dayStartHour: hour)
        for period in ReportPeriod.allCases {
          let (report, names) = try await rig.store.sessions(
            of: emma, from: boundary.start(of: first), to: boundary.end(of: last),
            into: UsageReport(boundary, period, from: first, through: last)
          ) { $0.add($1) }
          var totals = UseTotals(boundary)
          for use in try await rig.store.look({ try $0.use(of: emma, since: boundary.start(of: first)) }) {
            totals.add(use)
          }
          var expected: [FamilyDay: Int64] = [:]
          for (day, use) in totals.use where day >= first && day <= last {
            expected[period.start(of: day), default: 0] += use.screen
          }
          let sums = Dictionary(uniqueKeysWithValues: report.periods.map { ($0.start, $0.milliseconds) })
          #expect(sums.filter { $0.value > 0 } == expected.filter { $0.value > 0 }, "\(zone) \(hour) \(random.note)")
          // At least one pair overlaps; otherwise the test would show nothing.
          #expect(sums.values.reduce(0, +) < emmas.reduce(0) { $0 + $1.activeMilliseconds })
          for app in ["a", "b", "c"] {
            let newest = emmas.filter { $0.appID.text == app }.max { $0.householdStart < $1.householdStart }
            #expect(names[Fixed.app(app)] == newest?.displayName, "\(random.note)")
          }
        }
      }
    }
    // What is kept by day is what the records hold, also after some of them are forgotten.
    func use(_ records: [UsageRecord]) -> [FamilyDay: DayUse] {
      var totals = UseTotals(utc)
      for record in records where record.child == emma {
        totals.add(
          UseSpan(
            app: record.appID, category: record.category, start: record.householdStart,
            milliseconds: record.activeMilliseconds))
      }
      return totals.use
    }
    func kept() async throws -> [FamilyDay: DayUse] {
      var totals = UseTotals(utc)
      for use in try await rig.store.look({ try $0.use(of: emma, since: 0) }) { totals.add(use) }
      return totals.use
    }
    #expect(try await kept() == use(records))
    let middle = (from + to) / 2
    try await rig.store.forgetSharedUse(before: middle)
    #expect(
      try await kept() == use(records.filter { $0.device == rig.own || $0.householdStart >= middle }),
      "\(random.note)")
  }

  @Test("More ranges of a day than a person makes are joined where the gaps are smallest")
  func joined() throws {
    var set = SpanSet()
    for start in [0, 100, 130, 500] as [Int64] { _ = set.insert(start..<start + 20) }
    set.limit(to: 3)
    #expect(set.ranges == [0..<20, 100..<150, 500..<520])
    set.limit(to: 1)
    #expect(set.ranges == [0..<520])
  }
}
