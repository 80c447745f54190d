import LatchkeyCalendar
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct DailySummaryBuilderTests {
  private func device() throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 20)))
  }

  private func session(
    _ app: String, _ category: AppCategory, start: Int64, minutes: Int64, earned: Int64 = 0, rate: Int64 = 1_000,
    name: String? = nil
  ) throws -> UsageSlice {
    UsageSlice(
      appID: try #require(AppID(app)), displayName: name ?? app, category: category,
      rate: PointsRate(milliPointsPerMinute: rate), start: start, end: start + minutes * 60_000,
      activeMilliseconds: minutes * 60_000, earnedMilliPoints: earned)
  }

  @Test func aDayHasItsTotalsAndARowForEachApplication() throws {
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4)
    let start = boundary.start(of: try #require(FamilyDay("2026-10-25")))
    var builder = DailySummaryBuilder(device: try device(), boundary: boundary)
    builder.add(try session("maths", .learning, start: start, minutes: 10, earned: 10_000))
    builder.add(try session("maths", .learning, start: start + 900_000, minutes: 5, earned: 5_000, name: "Maths 2"))
    builder.add(try session("chess", .reward, start: start, minutes: 20, rate: 2_000))
    builder.add(try session("shell", .neutral, start: start, minutes: 1))
    // A session over the end of the day: 30 minutes in this one, 30 in the next.
    let end = boundary.end(of: try #require(FamilyDay("2026-10-25")))
    builder.add(try session("maths", .learning, start: end - 1_800_000, minutes: 60, earned: 60_001))
    let summaries = builder.summaries()
    #expect(summaries.map(\.day) == ["2026-10-26", "2026-10-25"])
    #expect(summaries.map(\.zone) == ["Europe/Berlin", "Europe/Berlin"])
    #expect(summaries.map(\.learningMilliseconds) == [1_800_000, 2_700_000])
    #expect(summaries.map(\.rewardMilliseconds) == [0, 1_200_000])
    #expect(summaries.map(\.earnedMilliPoints) == [30_001, 45_000])
    #expect(summaries[1].apps.map(\.appID.text) == ["maths", "chess", "shell"])
    #expect(summaries[1].apps.map(\.milliPoints) == [45_000, 40_000, 0])
    #expect(summaries[1].apps[0].displayName == "maths")
    #expect(summaries[0].device == (try device()))
  }

  @Test func costsAreRoundedUpOncePerDay() throws {
    var builder = DailySummaryBuilder(device: try device(), boundary: try DayBoundary(zone: "UTC", dayStartHour: 0))
    for number in 0..<60 {
      var part = try session("chess", .reward, start: Int64(number) * 1_000, minutes: 0, rate: 1)
      (part.end, part.activeMilliseconds) = (part.start + 1_000, 1_000)
      builder.add(part)
    }
    #expect(builder.summaries().flatMap(\.apps).map(\.milliPoints) == [1])
  }

  @Test func whatALedgerSaysWasPaidCountsInPlaceOfTheCost() throws {
    let day = try #require(FamilyDay("2026-10-24"))
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    var builder = DailySummaryBuilder(device: try device(), boundary: boundary)
    // 10 of its 40 minutes are in the next day.
    var paid = try session("chess", .reward, start: boundary.end(of: day) - 1_800_000, minutes: 40)
    paid.paidMilliPoints = 7
    var free = try session("chess", .reward, start: boundary.start(of: day), minutes: 5)
    free.paidMilliPoints = 0
    builder.add(paid)
    builder.add(free)
    #expect(builder.summaries().flatMap(\.apps).map(\.milliPoints) == [2, 5])
  }

  /// Days of 24, 23 and 25 hours in Berlin.
  @Test(arguments: [("2026-11-21", 24), ("2026-03-29", 23), ("2026-10-25", 25)] as [(String, Int64)])
  func moreUseThanTheDayIsLongIsImpossible(day: String, hours: Int64) throws {
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 0)
    let start = boundary.start(of: try #require(FamilyDay(day)))
    func summary(_ sessions: [UsageSlice]) throws -> DailySummary {
      var builder = DailySummaryBuilder(device: try device(), boundary: boundary)
      for session in sessions { builder.add(session) }
      let summaries = builder.summaries()
      #expect(summaries.count == 1)
      return try #require(summaries.first)
    }
    let whole = try session("maths", .learning, start: start, minutes: hours * 60)
    #expect(try summary([whole]).dayMilliseconds == hours * 3_600_000)
    #expect(try !summary([whole]).isImpossible)
    // A clock that is slowed loses less than a minute.
    var slow = whole
    slow.activeMilliseconds += 60_000
    #expect(try !summary([slow]).isImpossible)
    slow.activeMilliseconds += 1
    let one = try summary([slow])
    #expect(one.isImpossible && one.apps.map(\.isImpossible) == [true])
    // Two applications, each of which is possible.
    let two = try summary([
      try session("maths", .learning, start: start, minutes: 13 * 60),
      try session("words", .neutral, start: start, minutes: 13 * 60),
    ])
    #expect(two.isImpossible && two.apps.map(\.isImpossible) == [false, false])
  }

  @Test func doubtfulSessionsAreCountedAndTold() throws {
    var builder = DailySummaryBuilder(device: try device(), boundary: try DayBoundary(zone: "UTC", dayStartHour: 0))
    builder.add(try session("maths", .learning, start: 0, minutes: 10), isDoubtful: true)
    builder.add(try session("maths", .learning, start: 0, minutes: 10))
    // Over the end of the day.
    builder.add(try session("maths", .learning, start: 86_400_000 - 60_000, minutes: 2), isDoubtful: true)
    let summaries = builder.summaries()
    #expect(summaries.map(\.doubtfulSessions) == [1, 2])
    #expect(summaries.map(\.learningMilliseconds) == [60_000, 21 * 60_000])
    #expect(summaries.allSatisfy { !$0.isImpossible })
  }

  @Test func recordsBeyondAllMeasureStayWithinIt() throws {
    var builder = DailySummaryBuilder(device: try device(), boundary: try DayBoundary(zone: "UTC", dayStartHour: 0))
    var hostile = try session("maths", .learning, start: 0, minutes: 1)
    (hostile.activeMilliseconds, hostile.earnedMilliPoints) = (.max, .max)
    builder.add(hostile)
    builder.add(hostile)
    (hostile.start, hostile.end) = (.min, .max)
    builder.add(hostile)
    (hostile.activeMilliseconds, hostile.earnedMilliPoints) = (.min, .min)
    builder.add(hostile)
    hostile.category = .reward
    builder.add(hostile)
    #expect(builder.summaries().map(\.earnedMilliPoints) == [.max, .max])
  }

  @Test func anyOrderAndAnyCutGiveTheSameTotals() throws {
    var random = SeededRandom()
    let boundary = try DayBoundary(zone: "America/New_York", dayStartHour: 5)
    let base = boundary.start(of: try #require(FamilyDay("2026-10-30")))
    for _ in 0..<200 {
      var sessions: [UsageSlice] = []
      for number in 0..<Int.random(in: 1...20, using: &random) {
        let category = AppCategory.allCases[Int.random(in: 0...2, using: &random)]
        var one = try session(
          "app\(number % 4)", category, start: base + Int64.random(in: 0...300_000_000, using: &random),
          minutes: Int64.random(in: 0...1_700, using: &random), rate: Int64.random(in: 0...3_000, using: &random))
        one.activeMilliseconds -= min(one.activeMilliseconds, Int64.random(in: 0...9_999_999, using: &random))
        one.earnedMilliPoints = category == .learning ? Int64.random(in: 0...90_000, using: &random) : 0
        sessions.append(one)
      }
      var inOrder = DailySummaryBuilder(device: try device(), boundary: boundary)
      var shuffled = inOrder
      var cut = inOrder
      for one in sessions { inOrder.add(one) }
      for one in sessions.shuffled(using: &random) { shuffled.add(one) }
      for one in sessions {
        for part in one.cut(at: [Int64.random(in: one.start...one.end, using: &random)]) { cut.add(part) }
      }
      let summaries = inOrder.summaries()
      #expect(shuffled.summaries() == summaries, "seed \(random.seed)")
      for all in [summaries, cut.summaries()] {
        let apps = all.flatMap(\.apps)
        let active = sessions.reduce(0) { $0 + $1.activeMilliseconds }
        let earned = sessions.reduce(0) { $0 + $1.earnedMilliPoints }
        #expect(apps.reduce(0) { $0 + $1.activeMilliseconds } == active, "seed \(random.seed)")
        #expect(all.reduce(0) { $0 + $1.earnedMilliPoints } == earned, "seed \(random.seed)")
        for day in all {
          func sum(_ category: AppCategory) -> Int64 {
            day.apps.filter { $0.category == category }.reduce(0) { $0 + $1.activeMilliseconds }
          }
          #expect(day.learningMilliseconds == sum(.learning), "seed \(random.seed)")
          #expect(day.rewardMilliseconds == sum(.reward), "seed \(random.seed)")
        }
      }
    }
  }
}
