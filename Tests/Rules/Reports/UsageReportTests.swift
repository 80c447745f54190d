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

  @Test("A report and the totals of days agree for every zone and length of day, and points and sessions add up")
  func agreesWithTotals() throws {
    var random = SeededRandom()
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Kiritimati"]
    for zone in zones {
      for hour in [0, 4, 23] {
        let boundary = try DayBoundary(zone: zone, dayStartHour: hour)
        // A year with both changes of the clocks, and with sessions that cross edges and overlap.
        let first = try HouseholdSamples.day("2026-01-01")
        let last = try HouseholdSamples.day("2026-12-31")
        var reports = ReportPeriod.allCases.map { UsageReport(boundary, $0, from: first, through: last) }
        var totals = UseTotals(boundary)
        var earned: Int64 = 0
        for _ in 0..<300 {
          let span = boundary.end(of: last) - boundary.start(of: first) - 200_000_000
          let start = boundary.start(of: first) + Int64.random(in: 0..<span, using: &random)
          let active = Int64(random.below(180_000_000))
          let app = random.pick(["a", "b", "c"])
          let session = try session(
            app, from: start, for: active * Int64(1 + random.below(3)), active: active,
            app == "a" ? .reward : random.pick([.learning, .neutral]))
          totals.add(
            UseSpan(app: session.appID, category: session.category, start: start, milliseconds: active))
          earned += session.earnedMilliPoints
          for index in reports.indices { reports[index].add(session) }
        }
        for (period, report) in zip(ReportPeriod.allCases, reports) {
          var expected: [FamilyDay: DayUse] = [:]
          for (day, use) in totals.use { expected[period.start(of: day), default: DayUse()].add(use) }
          let periods = report.periods
          #expect(periods.map(\.start) == expected.keys.sorted(by: >), "\(zone) \(hour) \(random.note)")
          for found in periods {
            let use = expected[found.start]
            #expect(found.milliseconds == use?.screen, "\(zone) \(hour) \(random.note)")
            #expect(found.categories == use?.categories, "\(zone) \(hour) \(random.note)")
            // The application that has only one category.
            let row = found.rows.first { $0.app.text == "a" }?.milliseconds
            #expect(try row == use?.apps[HouseholdSamples.app("a")], "\(zone) \(hour) \(random.note)")
          }
          #expect(periods.joined.earned == earned, "\(zone) \(hour) \(random.note)")
          #expect(periods.joined.sessions == 300)
        }
      }
    }
  }

  @Test func anHourOfTwoProgramsIsAnHour() throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    let day = try HouseholdSamples.day("2026-11-23")
    let hour = HouseholdSamples.hour
    var report = UsageReport(boundary, .week, from: day, through: day)
    let start = boundary.start(of: day)
    report.add(try session("maths", from: start, for: hour, active: hour))
    report.add(try session("writing", from: start, for: hour, active: hour))
    report.add(try session("game", from: start + hour / 2, for: hour, active: hour, .reward))
    // A session that ended at once is a session, too.
    report.add(try session("game", from: start, for: 9, active: 0, .reward))
    let week = try #require(report.periods.first)
    #expect(week.milliseconds == hour * 3 / 2)
    #expect(week.categories == [.learning: hour, .reward: hour])
    #expect(week.rows.map(\.milliseconds) == [hour, hour, hour])
    #expect(week.rows.map(\.sessions) == [2, 1, 1])
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
    report.add(try session("c", from: start + 24 * hour, for: hour, active: hour))
    #expect(report.periods.count == 1)
    let rows = try #require(report.periods.first?.rows)
    #expect(rows.map(\.app.text) == ["b", "a"])
    #expect(rows.map(\.milliseconds) == [24 * hour, 2 * hour + 3])
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

extension DayUse {
  fileprivate mutating func add(_ other: DayUse) {
    screen += other.screen
    categories.merge(other.categories, uniquingKeysWith: +)
    apps.merge(other.apps, uniquingKeysWith: +)
  }
}
