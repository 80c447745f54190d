import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct DecisionTests {
  private func verdict(
    _ texts: [(String, String)], at time: String, use: [String: Int64] = [:], app: String = "game"
  ) throws -> Verdict {
    let rules = try HouseholdSamples.rules(texts + [("family/zone", "Europe/Berlin"), ("mode", "limits")])
    var situation = try HouseholdSamples.situation(time, rules)
    for (day, minutes) in use {
      let id = try HouseholdSamples.app(app)
      let milliseconds = minutes * 60_000
      let category = rules.app(id).use?.category ?? .neutral
      situation.use[try HouseholdSamples.day(day)] = DayUse(
        screen: milliseconds, categories: [category: milliseconds], apps: [id: milliseconds])
    }
    return DayPlan(rules, day: situation.day).explain(.app(try HouseholdSamples.app(app)), in: situation).verdict
  }

  /// The instant; the hour at which a day begins; the minutes that a limit of 60 leaves with 50
  /// used, or that are left of the day.
  @Test(arguments: [
    // The clocks go forward on 2026-03-29 at 02:00 and back on 2026-10-25 at 03:00.
    ("2026-03-28T23:00:00Z", "0", 1_380.0), ("2026-10-24T22:00:00Z", "0", 1_500.0),
    ("2026-03-28T03:00:00Z", "4", 1_380.0), ("2026-10-24T02:00:00Z", "4", 1_500.0),
    ("2026-11-23T23:00:00Z", "0", 1_440.0), ("2026-11-23T02:59:00Z", "4", 1.0),
  ])
  func aDayEndsAtTheFamilysHourAndHasTheHoursItHas(time: String, hour: String, minutes: Double) throws {
    let closed = try verdict([("family/dayStart", hour), ("limits/daily", "0")], at: time)
    #expect(HouseholdSamples.minutes(closed) == minutes)
  }

  @Test(arguments: [
    // Bedtime from 20:00 to 07:00 lasts 10 hours in the night when the clocks go forward, and 12 in
    // the other.
    ("2026-03-28T19:00:00Z", 600.0), ("2026-10-24T18:00:00Z", 720.0), ("2026-11-23T19:00:00Z", 660.0),
    // At 06:59 one minute remains.
    ("2026-03-29T04:59:00Z", 1.0), ("2026-10-25T05:59:00Z", 1.0),
  ])
  func bedtimeFollowsTheClockOnTheWall(time: String, minutes: Double) throws {
    let closed = try verdict([("schedule/bedtime", "20:00-07:00")], at: time)
    #expect(closed.reason == .bedtime && !closed.isAllowed)
    #expect(HouseholdSamples.minutes(closed) == minutes)
  }

  @Test func aWindowInTheHourThatIsLeftOutIsEmpty() throws {
    let texts = [("schedule/bedtime", "02:00-03:00"), ("limits/weekly", "10080")]
    #expect(try verdict(texts, at: "2026-03-29T00:30:00Z").isAllowed)
    #expect(try verdict(texts, at: "2026-03-29T01:00:00Z").isAllowed)
    #expect(try verdict(texts, at: "2026-03-29T00:59:59Z").isAllowed)
    // The hour that occurs twice is closed both times.
    #expect(try !verdict(texts, at: "2026-10-25T00:30:00Z").isAllowed)
    #expect(try !verdict(texts, at: "2026-10-25T01:30:00Z").isAllowed)
    #expect(try verdict(texts, at: "2026-10-25T02:00:00Z").isAllowed)
  }

  @Test(arguments: [
    // Bedtime is moved to 22:00 on Monday; the night before, and the one after, are as planned.
    ("2026-11-23T05:00:00Z", false), ("2026-11-23T19:30:00Z", true), ("2026-11-23T21:00:00Z", false),
    ("2026-11-24T05:30:00Z", false), ("2026-11-24T06:00:00Z", true), ("2026-11-24T19:00:00Z", false),
  ])
  func aMovedBedtimeIsGoneWithItsDay(time: String, isAllowed: Bool) throws {
    let texts = [("schedule/bedtime", "20:00-07:00"), ("today/2026-11-23/bedtime", "22:00-07:00")]
    #expect(try verdict(texts, at: time).isAllowed == isAllowed)
  }

  @Test func aMovedBedtimeAfterMidnightBelongsToTheFamilysDay() throws {
    let texts = [
      ("schedule/bedtime", "20:00-07:00"), ("today/2026-11-23/bedtime", "00:30-07:00"), ("family/dayStart", "4"),
    ]
    #expect(try verdict(texts, at: "2026-11-23T22:00:00Z").isAllowed)
    #expect(try verdict(texts, at: "2026-11-23T23:29:00Z").isAllowed)
    #expect(try !verdict(texts, at: "2026-11-23T23:30:00Z").isAllowed)
    #expect(try !verdict(texts, at: "2026-11-24T19:00:00Z").isAllowed)
  }

  @Test func aDayOffHasNoSchoolTimes() throws {
    let texts = [("schedule/school", "mon-fri 08:00-13:00"), ("today/2026-11-23/school", "none")]
    #expect(try verdict(texts, at: "2026-11-23T09:00:00Z").isAllowed)
    #expect(try !verdict(texts, at: "2026-11-24T09:00:00Z").isAllowed)
  }

  @Test func rewardTimesOfOneDayLeaveTheOthersFree() throws {
    let texts = [("today/2026-11-24/rewardTimes", "15:00-16:00"), ("app/game/category", "reward")]
    #expect(HouseholdSamples.minutes(try verdict(texts, at: "2026-11-23T22:00:00Z")) == 60)
    #expect(try !verdict(texts, at: "2026-11-24T12:00:00Z").isAllowed)
    #expect(HouseholdSamples.minutes(try verdict(texts, at: "2026-11-24T14:30:00Z")) == 30)
    #expect(try verdict(texts, at: "2026-11-25T12:00:00Z").isAllowed)
  }

  @Test func aGrantRaisesEveryLimitThatItCoversOnItsDayAlone() throws {
    let grant = "today/2026-11-23/grant/0190a3d2-0000-7000-8000-000000000001"
    let limits = [
      ("limits/daily", "60"), ("limits/weekly", "60"), ("app/game/limit", "60"), ("app/game/category", "reward"),
    ]
    let use: [String: Int64] = ["2026-11-23": 60]
    #expect(try !verdict(limits, at: "2026-11-23T15:00:00Z", use: use).isAllowed)
    for (value, minutes) in [
      ("30", 30.0), ("30 reward", 30), ("20 app:game", 20), ("30 learning", nil), ("9 app:other", nil),
    ] {
      let verdict = try verdict(limits + [(grant, value)], at: "2026-11-23T15:00:00Z", use: use)
      #expect(verdict.isAllowed == (minutes != nil))
      if minutes != nil { #expect(HouseholdSamples.minutes(verdict) == minutes) }
    }
    // The next day has its own limit. Granted time and its use do not count for the week.
    let next = try verdict(
      [("limits/weekly", "100"), (grant, "30")], at: "2026-11-24T15:00:00Z", use: ["2026-11-23": 90])
    #expect(HouseholdSamples.minutes(next) == 40)
    // Granted time that was not used is gone.
    let unused = try verdict(
      [("limits/weekly", "100"), (grant, "30")], at: "2026-11-24T15:00:00Z", use: ["2026-11-23": 10])
    #expect(HouseholdSamples.minutes(unused) == 100)
  }

  @Test func aNewWeekBeginsOnMonday() throws {
    let weekly = [("limits/weekly", "60")]
    #expect(try !verdict(weekly, at: "2026-11-22T20:00:00Z", use: ["2026-11-16": 60]).isAllowed)
    #expect(HouseholdSamples.minutes(try verdict(weekly, at: "2026-11-22T20:00:00Z", use: ["2026-11-16": 60])) == 180)
    #expect(try verdict(weekly, at: "2026-11-23T08:00:00Z", use: ["2026-11-22": 60]).isAllowed)
    // Before midnight on Sunday, the new week's minutes follow.
    #expect(HouseholdSamples.minutes(try verdict(weekly, at: "2026-11-22T22:30:00Z", use: ["2026-11-16": 30])) == 90)
  }

  @Test func useOfADayThatAWrongClockReachedCountsForThisOne() throws {
    let limits = [("limits/daily", "60")]
    #expect(try !verdict(limits, at: "2026-11-23T15:00:00Z", use: ["2026-11-30": 60]).isAllowed)
  }

  @Test func aLeapSecondChangesNothing() throws {
    // Unix time repeats the second before midnight UTC: decisions there are those of its
    // neighbours.
    let texts = [("limits/daily", "60"), ("schedule/bedtime", "04:00-05:00")]
    let before = try verdict(texts, at: "2026-12-31T23:59:58Z")
    let during = try verdict(texts, at: "2026-12-31T23:59:59Z")
    let after = try verdict(texts, at: "2027-01-01T00:00:00Z")
    #expect([before, during, after].map(\.isAllowed) == [true, true, true])
    #expect(before.reason == during.reason && during.reason == after.reason)
  }
}
