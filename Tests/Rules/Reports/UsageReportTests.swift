import LatchkeyCalendar
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct UsageReportTests {
  private func session(
    _ app: String, from start: Int64, for length: Int64, active: Int64, _ category: AppCategory = .learning
  ) throws -> UsageSlice {
    UsageSlice(
      appID: try HouseholdSamples.app(app), displayName: app, category: category,
      rate: PointsRate(milliPointsPerMinute: 1_000), start: start, end: start + length, activeMilliseconds: active,
      earnedMilliPoints: category == .learning ? active / 60 : 0)
  }

  @Test func totalsAreTheSumOfTheRecordsForEveryZoneAndLengthOfDay() throws {
    var random = SeededRandom()
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Kiritimati"]
    for zone in zones {
      for hour in [0, 4, 23] {
        let boundary = try DayBoundary(zone: zone, dayStartHour: hour)
        // A year with both changes of the clocks, and sessions that cross edges.
        let first = try HouseholdSamples.day("2026-01-01")
        let last = try HouseholdSamples.day("2026-12-31")
        var reports = ReportPeriod.allCases.map { UsageReport(boundary, $0, from: first, through: last) }
        var expected: [ReportPeriod: [FamilyDay: Int64]] = [:]
        var total: Int64 = 0
        var earned: Int64 = 0
        for _ in 0..<300 {
          let span = boundary.end(of: last) - boundary.start(of: first) - 200_000_000
          let length = Int64(random.below(180_000_000))
          let start = boundary.start(of: first) + Int64.random(in: 0..<span, using: &random)
          let active = length / Int64(1 + random.below(3))
          let session = try session(random.pick(["a", "b", "c"]), from: start, for: length, active: active)
          total += session.activeMilliseconds
          earned += session.earnedMilliPoints
          for index in reports.indices { reports[index].add(session) }
          for (day, part) in boundary.slices(of: session) {
            for period in ReportPeriod.allCases {
              expected[period, default: [:]][period.start(of: day), default: 0] += part.activeMilliseconds
            }
          }
        }
        for (period, report) in zip(ReportPeriod.allCases, reports) {
          let periods = report.periods
          let sums = Dictionary(uniqueKeysWithValues: periods.map { ($0.start, $0.milliseconds(.learning)) })
          #expect(sums == expected[period]?.filter { sums[$0.key] != nil || $0.value > 0 }, "\(zone) \(random.note)")
          #expect(periods.map(\.start) == periods.map(\.start).sorted(by: >))
          #expect(periods.reduce(0) { $0 + $1.milliseconds(.learning) } == total, "\(zone) \(hour) \(random.note)")
          #expect(periods.joined.earned == earned, "\(zone) \(hour) \(random.note)")
          #expect(periods.joined.sessions == 300)
        }
      }
    }
  }

  @Test func aWeekBeginsOnMondayAndAMonthOnTheFirst() throws {
    let day = try HouseholdSamples.day("2027-01-02")
    #expect(ReportPeriod.day.start(of: day) == day)
    #expect(ReportPeriod.week.start(of: day).description == "2026-12-28")
    #expect(ReportPeriod.month.start(of: day).description == "2027-01-01")
  }

  @Test func whatLiesOutsideIsLeftOut() throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    let day = try HouseholdSamples.day("2026-11-23")
    let hour = HouseholdSamples.hour
    var report = UsageReport(boundary, .day, from: day, through: day)
    let start = boundary.start(of: day)
    report.add(try session("a", from: start - hour, for: 2 * hour, active: 2 * hour))
    report.add(try session("a", from: start + 23 * hour, for: 2 * hour, active: 2 * hour))
    report.add(try session("a", from: start - 9 * hour, for: hour, active: hour))
    report.add(try session("b", from: start, for: 24 * hour, active: 24 * hour, .reward))
    report.add(try session("a", from: start + 3, for: 0, active: hour))
    #expect(report.periods.count == 1)
    let rows = try #require(report.periods.first?.rows)
    #expect(rows.map(\.app.text) == ["b", "a"])
    #expect(rows.map(\.milliseconds) == [24 * hour, 3 * hour])
  }

  @Test func noSessionTraps() throws {
    var random = SeededRandom()
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4)
    let numbers: [Int64] = [.min, -1, 0, 1, 1_795_446_000_000, HybridTimestamp.wallLimit, .max]
    for (first, last) in [(FamilyDay.first, FamilyDay.last), (.last, .first), (.last, .last)] {
      var report = UsageReport(boundary, .month, from: first, through: last)
      for _ in 0..<200 {
        var slice = try session("a", from: 0, for: 1, active: 1)
        (slice.start, slice.end) = (random.pick(numbers), random.pick(numbers))
        slice.activeMilliseconds = random.pick(numbers.filter { $0 >= 0 })
        report.add(slice)
      }
      _ = report.periods
    }
  }
}

extension [UsageReport.Period] {
  fileprivate var joined: (earned: Int64, sessions: Int64) {
    flatMap(\.rows).reduce((0, 0)) { ($0.0 + $1.earnedMilliPoints, $0.1 + $1.sessions) }
  }
}
