import LatchkeyModel
import Testing

@testable import LatchkeyRules

/// Tests of what holds for several children who share an account: Protocol/11-rules.md §5.
@Suite struct SharedVerdictTests {
  /// Returns a verdict that is open until a minute of the boot clock, or without an end.
  private static func verdict(
    open: Int64?, _ reason: Reason? = .dailyLimit, category: AppCategory = .neutral
  ) -> Verdict {
    Verdict(
      category: category, isAllowed: true, reason: open == nil ? nil : reason, until: open.map(instant),
      decidedAt: instant(100))
  }

  /// Returns a verdict that is closed until a minute of the boot clock, or without an end.
  private static func verdict(closed: Int64?, _ reason: Reason, category: AppCategory = .neutral) -> Verdict {
    Verdict(
      category: category, isAllowed: false, reason: reason, until: closed.map(instant), decidedAt: instant(100))
  }

  private static func instant(_ minutes: Int64) -> BootInstant { BootInstant(milliseconds: minutes * 60_000) }

  struct Case: Sendable {
    var verdicts: [Verdict]
    var isAllowed: Bool
    var reason: Reason?
    var until: Int64?
    var place: Int
  }

  private static let strictest: [Case] = [
    Case(verdicts: [verdict(open: nil)], isAllowed: true, reason: nil, until: nil, place: 0),
    Case(
      verdicts: [verdict(open: nil), verdict(open: 130, .bedtime)], isAllowed: true, reason: .bedtime, until: 130,
      place: 1),
    Case(
      verdicts: [verdict(open: 120), verdict(open: 130, .bedtime)], isAllowed: true, reason: .dailyLimit, until: 120,
      place: 0),
    Case(
      verdicts: [verdict(open: 120), verdict(open: 120, .bedtime)], isAllowed: true, reason: .dailyLimit, until: 120,
      place: 0),
    Case(
      verdicts: [verdict(open: nil), verdict(closed: 200, .bedtime)], isAllowed: false, reason: .bedtime, until: 200,
      place: 1),
    Case(
      verdicts: [verdict(closed: 150, .lock), verdict(closed: 200, .bedtime)], isAllowed: false, reason: .lock,
      until: 200, place: 0),
    Case(
      verdicts: [verdict(closed: 150, .bedtime), verdict(closed: nil, .lock)], isAllowed: false, reason: .bedtime,
      until: nil, place: 0),
  ]

  private static let mildest: [Case] = [
    Case(verdicts: [verdict(open: nil)], isAllowed: true, reason: nil, until: nil, place: 0),
    Case(
      verdicts: [verdict(closed: 200, .bedtime), verdict(open: 130, .bedtime)], isAllowed: true, reason: .bedtime,
      until: 130, place: 1),
    Case(
      verdicts: [verdict(open: 120), verdict(open: nil)], isAllowed: true, reason: nil, until: nil, place: 1),
    Case(
      verdicts: [verdict(open: 120), verdict(open: 130, .bedtime)], isAllowed: true, reason: .bedtime, until: 130,
      place: 1),
    Case(
      verdicts: [verdict(closed: nil, .lock), verdict(closed: 200, .bedtime)], isAllowed: false, reason: .bedtime,
      until: 200, place: 1),
    Case(
      verdicts: [verdict(closed: nil, .lock), verdict(closed: nil, .lock)], isAllowed: false, reason: .lock,
      until: nil, place: 0),
  ]

  @Test("An application is closed if it is for any child, and open for the shortest time", arguments: strictest)
  func applications(expected: Case) throws {
    try expect(try #require(SharedVerdict(strictest: expected.verdicts)), expected)
  }

  @Test("Sessions are open for as long as they are for any child", arguments: mildest)
  func sessions(expected: Case) throws {
    try expect(try #require(SharedVerdict(mildest: expected.verdicts)), expected)
  }

  private func expect(_ shared: SharedVerdict, _ expected: Case) throws {
    #expect(shared.verdict.isAllowed == expected.isAllowed && shared.verdict.reason == expected.reason)
    #expect(shared.verdict.until == expected.until.map(Self.instant) && shared.place == expected.place)
  }

  @Test("It is a reward if it is one for any child, and learning for none")
  func categories() {
    let (learning, reward) = (Self.verdict(open: nil, category: .learning), Self.verdict(open: nil, category: .reward))
    #expect(SharedVerdict(strictest: [learning, learning])?.verdict.category == .neutral)
    #expect(SharedVerdict(strictest: [learning, reward])?.verdict.category == .reward)
    #expect(SharedVerdict(strictest: []) == nil && SharedVerdict(mildest: []) == nil)
  }

  @Test("What costs points or redeemed minutes is closed while nobody is named, and nothing else is")
  func unnamed() throws {
    let game = try #require(AppID("game"))
    for (use, rate, mode, closes) in [
      (PointsUse.payAsYouGo, 2_000, HouseholdMode.points, true), (.redeemFirst, 2_000, .points, true),
      (.payAsYouGo, 0, .points, false), (.payAsYouGo, 2_000, .limits, false),
    ] as [(PointsUse, Int64, HouseholdMode, Bool)] {
      var rules = RuleSet()
      (rules.mode, rules.points.use) = (mode, use)
      var app = RuleSet.App()
      (app.category, app.milliPointsPerMinute) = (.reward, rate)
      rules.apps[game] = app
      var situation = Situation(
        boot: Self.instant(100), time: 1_795_446_000_000, day: rules.boundary.day(containing: 1_795_446_000_000),
        spendable: 1_000_000, redeemed: [])
      situation.isUnnamed = true
      let verdict = DayPlan(rules, for: situation).explain(.app(game), in: situation).verdict
      #expect(verdict.isAllowed != closes && (verdict.reason == .unnamed) == closes, "\(use) \(rate) \(mode)")
      #expect(DayPlan(rules, for: situation).explain(.app(.otherPrograms), in: situation).verdict.isAllowed)
    }
  }

  @Test("A limit of nothing is nobody's to use up")
  func nothing() {
    var rules = RuleSet()
    rules.dailyLimit = DayLimits(everyDay: 0)
    let words = ReasonText.words(.dailyLimit, rules, of: .unknown, on: .first, name: "")
    #expect(words.worded() == "0 min of screen time a day")
    #expect(ReasonText.closed(.dailyLimit, words, of: "Ben").worded() == "no screen time a day for Ben")
  }

  @Test(
    "The words say whose rule it is",
    arguments: [
      (Reason.bedtime, "bedtime", "Ben's bedtime"), (.lock, "locked by a parent", "locked by a parent for Ben"),
      (.blocked, "Kart is blocked", "Kart is blocked for Ben"),
      (.dailyLimit, "2 h of screen time a day", "Ben's 2 h of screen time a day are used"),
      (.rewardTimes, "reward times", "outside of reward times for Ben"), (.unnamed, "say it", "say it"),
    ] as [(Reason, String, String)])
  func words(reason: Reason, words: String, told: String) {
    let phrase = Phrase(verbatim: words)
    #expect(ReasonText.closed(reason, phrase, of: "Ben").worded() == told)
    // What is open closes by the rule later.
    if told.hasSuffix(" are used") { #expect(ReasonText.open(reason, phrase, of: "Ben").worded() == "Ben's \(words)") }
  }
}
