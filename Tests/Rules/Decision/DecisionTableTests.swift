import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// One rule alone, and its decision about a game on Monday at 16:00.
struct RuleCase: Sendable, CustomTestStringConvertible {
  var texts: [(String, String)]
  var reason: Reason
  var isAllowed: Bool
  var minutes: Double?

  var testDescription: String { texts.map { "\($0.0) \($0.1)" }.joined(separator: "; ") }
  /// The keys.
  ///
  /// A weekday's limit counts as that of every day, since only one of two limits on a thing holds.
  var keys: Set<String> { Set(texts.map { $0.0.replacing(/\/(mon|tue)$/, with: "") }) }

  /// A Boolean value that indicates whether the reason depends on the family's points, whose modes
  /// exclude each other.
  var isOfPoints: Bool { reason == .points || reason == .redeemedTime }

  static func group(_ name: String) -> GroupName { GroupName(name) ?? .screenTime }

  static let all: [RuleCase] = [
    RuleCase(texts: [("app/game/blocked", "yes")], reason: .blocked, isAllowed: false, minutes: nil),
    RuleCase(texts: [("app/game/blocked", "now")], reason: .blocked, isAllowed: false, minutes: nil),
    RuleCase(texts: [("lock", "on now")], reason: .lock, isAllowed: false, minutes: nil),
    RuleCase(texts: [("lock", "until 2026-11-23T15:30Z now")], reason: .lock, isAllowed: false, minutes: 30),
    RuleCase(texts: [("lock", "on")], reason: .lock, isAllowed: false, minutes: nil),
    RuleCase(texts: [("lock", "until 2026-11-23T15:30Z")], reason: .lock, isAllowed: false, minutes: 30),
    RuleCase(texts: [("schedule/bedtime", "20:00-07:00")], reason: .bedtime, isAllowed: true, minutes: 240),
    RuleCase(texts: [("schedule/bedtime", "15:00-17:00")], reason: .bedtime, isAllowed: false, minutes: 60),
    RuleCase(texts: [("schedule/bedtime", "sun 23:00-16:30")], reason: .bedtime, isAllowed: false, minutes: 30),
    RuleCase(texts: [("limits/breaks", "60 10")], reason: .breaks, isAllowed: true, minutes: 25),
    RuleCase(texts: [("limits/breaks", "30 15")], reason: .breaks, isAllowed: false, minutes: 10),
    RuleCase(texts: [("schedule/school", "mon-fri 14:00-16:30")], reason: .school, isAllowed: false, minutes: 30),
    RuleCase(texts: [("schedule/school", "mon 18:00-19:00")], reason: .school, isAllowed: true, minutes: 120),
    RuleCase(texts: [("schedule/rewardTimes", "15:00-18:00")], reason: .rewardTimes, isAllowed: true, minutes: 120),
    RuleCase(
      texts: [("schedule/rewardTimes", "mon 15:00-17:00, mon 17:00-18:30")], reason: .rewardTimes, isAllowed: true,
      minutes: 150),
    RuleCase(texts: [("schedule/rewardTimes", "17:00-18:00")], reason: .rewardTimes, isAllowed: false, minutes: 60),
    RuleCase(texts: [("app/game/hours", "15:00-18:00")], reason: .appHours, isAllowed: true, minutes: 120),
    RuleCase(texts: [("app/game/hours", "17:00-18:00")], reason: .appHours, isAllowed: false, minutes: 60),
    RuleCase(
      texts: [("group/fun/members", "game"), ("group/fun/hours", "15:30-17:00")],
      reason: .groupHours(group("fun")), isAllowed: true, minutes: 60),
    RuleCase(texts: [("app/game/limit", "60")], reason: .appLimit, isAllowed: true, minutes: 40),
    RuleCase(texts: [("app/game/limit", "20")], reason: .appLimit, isAllowed: false, minutes: 480),
    // Of the 20 minutes, 10 were within the hours.
    RuleCase(texts: [("app/game/limit", "60 within 15:00-18:00")], reason: .appLimit, isAllowed: true, minutes: 50),
    RuleCase(texts: [("app/game/limit", "10 within 15:30-17:00")], reason: .appLimit, isAllowed: false, minutes: 60),
    RuleCase(texts: [("app/game/limit", "5 within 17:00-18:00")], reason: .appLimit, isAllowed: true, minutes: 60),
    // On Monday 5 minutes of the hours are ahead, and on Tuesday the limit is used up at 15:30.
    RuleCase(texts: [("app/game/limit", "30 within 15:00-16:05")], reason: .appLimit, isAllowed: true, minutes: 1_410),
    // The night from Sunday to Monday is over, and that to Tuesday begins at 22:00.
    RuleCase(
      texts: [("group/all/members", "game\npen"), ("group/all/limit/mon", "70 within 22:00-02:00")],
      reason: .groupLimit(group("all")), isAllowed: true, minutes: 415),
    RuleCase(
      texts: [("group/all/members", "game\npen"), ("group/all/limit", "70")],
      reason: .groupLimit(group("all")), isAllowed: true, minutes: 45),
    RuleCase(
      texts: [("category/reward/limit/mon", "90")], reason: .categoryLimit(.reward), isAllowed: true, minutes: 60),
    RuleCase(texts: [("category/reward/limit", "0")], reason: .categoryLimit(.reward), isAllowed: false, minutes: 480),
    RuleCase(texts: [("limits/daily", "180")], reason: .dailyLimit, isAllowed: true, minutes: 120),
    RuleCase(texts: [("limits/daily", "59")], reason: .dailyLimit, isAllowed: false, minutes: 480),
    // Time is left until midnight, and for 30 minutes of the next day.
    RuleCase(texts: [("limits/daily/tue", "30")], reason: .dailyLimit, isAllowed: true, minutes: 510),
    RuleCase(
      texts: [("category/reward/weekly", "100")], reason: .categoryWeekly(.reward), isAllowed: true, minutes: 70),
    RuleCase(
      texts: [("category/reward/weekly", "30")], reason: .categoryWeekly(.reward), isAllowed: false, minutes: 480),
    RuleCase(texts: [("limits/weekly", "600")], reason: .weeklyLimit, isAllowed: true, minutes: 540),
    RuleCase(texts: [("limits/weekly", "60")], reason: .weeklyLimit, isAllowed: false, minutes: 480),
    RuleCase(texts: [("mode", "points")], reason: .points, isAllowed: true, minutes: 10),
    RuleCase(
      texts: [("mode", "points"), ("points/use", "redeemFirst")], reason: .redeemedTime, isAllowed: true, minutes: 25),
  ]
}

@Suite struct DecisionTableTests {
  private func verdict(_ texts: [(String, String)]) throws -> Verdict {
    var texts = texts + [("app/game/category", "reward"), ("app/game/rate", "1000"), ("family/zone", "Europe/Berlin")]
    if !texts.contains(where: { $0.0 == "mode" }) { texts.append(("mode", "limits")) }
    let rules = try HouseholdSamples.rules(texts)
    let game = try HouseholdSamples.app("game")
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    let minute = HouseholdSamples.minute
    situation.use = [
      situation.day: DayUse(
        screen: 60 * minute, categories: [.reward: 30 * minute], apps: [game: 20 * minute],
        groups: [RuleCase.group("all"): 25 * minute], appsWithin: [game: 10 * minute],
        groupsWithin: [RuleCase.group("all"): 15 * minute])
    ]
    // The last 35 minutes without a pause.
    situation.presence.insert(situation.time - 35 * minute..<situation.time)
    situation.spendable = 10_000
    situation.redeemed = [RedeemedTime(milliseconds: 25 * minute, lastDay: situation.day)]
    situation.running = [1_000: [.app(game)]]
    let plan = DayPlan(rules, day: situation.day)
    let decided = plan.decide(situation)
    let verdict = try #require(decided.verdicts[.app(game)])
    #expect(plan.explain(.app(game), in: situation).verdict == verdict)
    #expect(decided.closures.map(\.account) == (verdict.isAllowed ? [] : [1_000]))
    return verdict
  }

  @Test(arguments: RuleCase.all)
  func sessionsCloseWhenNothingMayBeUsed(rule: RuleCase) throws {
    let texts = rule.texts + [("sessions", "close"), ("family/zone", "Europe/Berlin")]
    let rules = try HouseholdSamples.rules(texts)
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    situation.use = [situation.day: DayUse(screen: 60 * HouseholdSamples.minute)]
    situation.presence.insert(situation.time - 35 * HouseholdSamples.minute..<situation.time)
    let plan = DayPlan(rules, day: situation.day)
    let verdict = plan.decideSessions(situation)
    switch rule.reason {
    case .lock, .bedtime, .breaks, .dailyLimit, .weeklyLimit:
      #expect(verdict.isAllowed == rule.isAllowed && verdict.reason == rule.reason)
      #expect(HouseholdSamples.minutes(verdict) == rule.minutes)
      if let until = verdict.until { #expect(plan.decide(situation).decideAgain <= until) }
    default: #expect(verdict.isAllowed && verdict.reason == nil && verdict.until == nil)
    }
  }

  @Test(
    "Sessions that close later open again when what closes them is over",
    arguments: [
      ([("schedule/bedtime", "20:00-07:00")], "2026-11-24T06:00:00Z"),
      ([("limits/daily", "120")], "2026-11-23T23:00:00Z"), ([("limits/breaks", "45 10")], "2026-11-23T15:55:00Z"),
      ([("schedule/bedtime", "20:00-07:00"), ("limits/daily", "300")], "2026-11-24T06:00:00Z"),
    ])
  func sessionsOpenAgain(texts: [(String, String)], opens: String) throws {
    let rules = try HouseholdSamples.rules(texts + [("family/zone", "Europe/Berlin"), ("sessions", "close")])
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    situation.use = [situation.day: DayUse(screen: 60 * HouseholdSamples.minute)]
    let plan = DayPlan(rules, day: situation.day)
    let closing = try #require(plan.decideSessions(situation).until)
    let opening = try #require(plan.sessionsOpen(after: closing, situation))
    let wanted = try HouseholdSamples.situation(opens, rules)
    #expect(opening - situation.boot == wanted.time - situation.time)
  }

  @Test func grantedTimeForOneThingKeepsSessionsOpen() throws {
    let grant = ("today/2026-11-23/grant/0190a3d2-0000-7000-8000-000000000001", "30 app:game")
    let rules = try HouseholdSamples.rules([("limits/daily", "60"), grant, ("family/zone", "Europe/Berlin")])
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    situation.use = [situation.day: DayUse(screen: 60 * HouseholdSamples.minute)]
    let verdict = DayPlan(rules, day: situation.day).decideSessions(situation)
    #expect(verdict.isAllowed && HouseholdSamples.minutes(verdict) == 30)
  }

  @Test(arguments: RuleCase.all)
  func everyRuleAlone(of rule: RuleCase) throws {
    let verdict = try verdict(rule.texts)
    #expect(verdict.isAllowed == rule.isAllowed)
    #expect(verdict.reason == rule.reason)
    #expect(HouseholdSamples.minutes(verdict) == rule.minutes)
    #expect(verdict.category == .reward)
    if let until = verdict.until, verdict.isAllowed, let minutes = rule.minutes {
      let expected = [15, 5, 1].filter { $0 <= minutes }.map { until.milliseconds - Int64($0) * 60_000 }
      #expect(verdict.warnings.map(\.milliseconds) == expected)
    } else {
      #expect(verdict.warnings.isEmpty)
    }
  }

  @Test func everyPairOfRules() throws {
    for (index, first) in RuleCase.all.enumerated() {
      for second in RuleCase.all[(index + 1)...] where first.keys.isDisjoint(with: second.keys) {
        let verdict = try verdict(first.texts + second.texts)
        let note = "\(first.testDescription) and \(second.testDescription)"
        #expect(verdict.isAllowed == (first.isAllowed && second.isAllowed), "\(note)")
        // The cases are in the order of reasons, so that the first one names the rule that closes.
        let expected: RuleCase
        if verdict.isAllowed {
          expected = (second.minutes ?? 0) < (first.minutes ?? 0) ? second : first
        } else {
          expected = first.isAllowed ? second : first
        }
        #expect(verdict.reason == expected.reason, "\(note)")
        var minutes = expected.minutes
        if !first.isAllowed, !second.isAllowed {
          minutes = first.minutes.flatMap { one in second.minutes.map { max(one, $0) } }
        }
        #expect(HouseholdSamples.minutes(verdict) == minutes, "\(note)")
      }
    }
  }

  @Test(arguments: RuleCase.all)
  func whatIsAlwaysAllowedSurvivesEveryRuleButABlock(rule: RuleCase) throws {
    let verdict = try verdict(rule.texts + [("app/game/allowed", "yes")])
    #expect(verdict.isAllowed == (rule.reason != .blocked))
    if rule.reason != .blocked { #expect(verdict.until == nil) }
  }

  @Test(arguments: RuleCase.all)
  func learningIsAllowedInSchoolTimeAndCostsNothing(rule: RuleCase) throws {
    let texts: [(String, String)] = rule.texts + [("app/book/category", "learning"), ("app/game/category", "reward")]
    var all = texts.filter { !$0.0.hasPrefix("app/game/b") && !$0.0.hasPrefix("app/game/l") }
    if !all.contains(where: { $0.0 == "mode" }) { all.append(("mode", "limits")) }
    let rules = try HouseholdSamples.rules(all + [("family/zone", "Europe/Berlin")])
    let book = try HouseholdSamples.app("book")
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    situation.presence.insert(situation.time - 35 * HouseholdSamples.minute..<situation.time)
    let verdict = try #require(DayPlan(rules, day: situation.day).decide(situation).verdicts[.app(book)])
    switch rule.reason {
    case .lock, .bedtime, .breaks: #expect(verdict.isAllowed == rule.isAllowed)
    default: #expect(verdict.isAllowed)
    }
  }

  @Test(
    "Unused screen time goes over to the next day within the week, up to the bound",
    arguments: [
      // Of 60 minutes a day, 30 are used on Monday, 70 on Tuesday and 10 on Wednesday.
      ("2026-11-24T11:00:00Z", "60", 20.0), ("2026-11-24T11:00:00Z", "20", 10), ("2026-11-24T11:00:00Z", "0", 0),
      ("2026-11-25T11:00:00Z", "60", 70), ("2026-11-25T11:00:00Z", "5", 50),
    ])
  func carriedOver(at text: String, most: String, left: Double) throws {
    let rules = try HouseholdSamples.rules([("limits/daily", "60"), ("limits/carryOver", most), ("mode", "limits")])
    var situation = try HouseholdSamples.situation(text, rules)
    let minute = HouseholdSamples.minute
    let monday = situation.day.startOfWeek
    situation.use = [monday: DayUse(screen: 30 * minute)]
    situation.use[monday.advanced(byDays: 1)] = DayUse(screen: 70 * minute)
    situation.use[monday.advanced(byDays: 2)] = DayUse(screen: 10 * minute)
    if situation.day < monday.advanced(byDays: 2) { situation.use[monday.advanced(byDays: 2)] = nil }
    let verdict = DayPlan(rules, day: situation.day).explain(.unknown, in: situation).verdict
    #expect(verdict.isAllowed == (left > 0) && verdict.reason == .dailyLimit)
    if left > 0 { #expect(HouseholdSamples.minutes(verdict) == left) }
    #expect(DayPlan(rules, day: situation.day).carried(in: situation) <= HouseholdSamples.hour)
  }

  @Test(
    "An exception for a day is its whole limit, and what it leaves goes over",
    arguments: [
      // Of 60 minutes a day, none is used on Monday and 10 are used on Tuesday.
      ("2026-11-24", "90", "2026-11-24T11:00:00Z", 80.0), ("2026-11-24", "90", "2026-11-25T11:00:00Z", 120),
      ("2026-11-23", "20", "2026-11-24T11:00:00Z", 70), ("2026-11-25", "none", "2026-11-25T11:00:00Z", nil),
    ])
  func carriedAroundAnException(day: String, limit: String, at text: String, left: Double?) throws {
    let rules = try HouseholdSamples.rules([
      ("limits/daily", "60"), ("limits/carryOver", "60"), ("today/\(day)/limit", limit), ("mode", "limits"),
    ])
    var situation = try HouseholdSamples.situation(text, rules)
    let tuesday = situation.day.startOfWeek.advanced(byDays: 1)
    situation.use = [tuesday: DayUse(screen: 10 * HouseholdSamples.minute)]
    let plan = DayPlan(rules, day: situation.day)
    let standing = plan.explain(.unknown, in: situation).considered.first { $0.reason == .dailyLimit }?.standing
    if let left { #expect(standing == .open(Int64(left * 60_000))) } else { #expect(plan.carried(in: situation) == 0) }
  }

  @Test(
    "A break follows so much use without a pause of its length, and lasts whatever is used meanwhile",
    arguments: [
      // Minutes before the present in which the child was there; how much is open, or closed.
      ([-44..<0], true, 1.0), ([-45..<0], false, 10), ([-50..<0], false, 5), ([-55..<0], true, 45),
      // The use of the break does not count; that after it does.
      ([-60..<0], true, 40), ([-50 ..< -45], true, 45), ([-50 ..< -4], false, 5),
      // A pause of 10 minutes begins anew, and a shorter one does not.
      ([-50 ..< -20, -10..<0], true, 35), ([-50 ..< -20, -11..<0], true, 4), ([-40 ..< -10], true, 45),
      ([-40 ..< -9], true, 14), ([], true, 45),
      // What is over, and what is not yet.
      ([-200 ..< -100, 5..<20], true, 45),
    ] as [([Range<Int64>], Bool, Double)])
  func breaks(use: [Range<Int64>], isOpen: Bool, minutes: Double) throws {
    let rules = try HouseholdSamples.rules([("limits/breaks", "45 10"), ("mode", "limits")])
    var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    let minute = HouseholdSamples.minute
    for range in use {
      situation.presence.insert(
        situation.time + range.lowerBound * minute..<situation.time + range.upperBound * minute)
    }
    let verdict = DayPlan(rules, day: situation.day).explain(.unknown, in: situation).verdict
    #expect(verdict.isAllowed == isOpen && verdict.reason == .breaks)
    #expect(HouseholdSamples.minutes(verdict) == minutes)
  }

  @Test("Breaks are counted from the day before, also over midnight and the night in which clocks change")
  func breaksOverMidnight() throws {
    let rules = try HouseholdSamples.rules([
      ("limits/breaks", "60 30"), ("mode", "limits"), ("family/zone", "Europe/Berlin"),
    ])
    for text in ["2026-11-22T23:10:00Z", "2026-10-25T00:40:00Z", "2026-03-29T01:10:00Z"] {
      var situation = try HouseholdSamples.situation(text, rules)
      situation.presence.insert(situation.time - 70 * HouseholdSamples.minute..<situation.time)
      let plan = DayPlan(rules, day: situation.day)
      let verdict = plan.explain(.unknown, in: situation).verdict
      #expect(!verdict.isAllowed && HouseholdSamples.minutes(verdict) == 20, "\(text)")
      // Three days ago is forgotten.
      situation.presence = SpanSet()
      situation.presence.insert(situation.time - 72 * 60 * HouseholdSamples.minute..<situation.time - 5)
      #expect(plan.explain(.unknown, in: situation).verdict.reason == .breaks)
    }
  }

  @Test("Where only listed applications may run, a category or being always allowed lists one, and nothing else does")
  func onlyListedApplications() throws {
    let rules = try HouseholdSamples.rules([
      ("programs", "listed"), ("app/game/category", "reward"), ("app/pen/allowed", "yes"), ("app/chess/limit", "30"),
      ("app/off/category", "learning"), ("app/off/enabled", "no"), ("app/org.kde.gcompris/name", "GCompris"),
      ("mode", "limits"),
    ])
    let situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    let verdicts = DayPlan(rules, day: situation.day).decide(situation).verdicts
    for (name, isListed) in [
      ("game", true), ("pen", true), ("chess", false), ("off", false), ("org.kde.gcompris", false),
      (AppID.unknownPrograms.text, false), (AppID.otherPrograms.text, false),
    ] {
      let verdict = try #require(verdicts[Subject(try HouseholdSamples.app(name))])
      #expect(verdict.isAllowed == isListed && verdict.reason == (isListed ? nil : .notListed), "\(name)")
      #expect(rules.isClosedAsUnlisted(try HouseholdSamples.app(name)) == !isListed, "\(name)")
    }
  }

  @Test("A program is refused as unlisted unless a block comes first, until its application or matcher is listed")
  func refusedPrograms() throws {
    let listed = [("programs", "listed"), ("unknownPrograms", "block"), ("app/chess/blocked", "yes")]
    let rules = try HouseholdSamples.rules(listed)
    let situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    let plan = DayPlan(rules, day: situation.day)
    for app in [
      AppID.unknownPrograms, .otherPrograms, try HouseholdSamples.app("chess"), try HouseholdSamples.app("new"),
    ] {
      let reason = plan.explain(Subject(app), in: situation).verdict.reason
      #expect(rules.isClosedAsUnlisted(app) == (reason == .notListed), "\(app)")
    }
    let matcher = AppMatcher(kind: .path, value: "/home/emma/game")
    func isUnlisted(_ target: RefusedProgram.Target, _ more: [(String, String)]) throws -> Bool {
      try HouseholdSamples.rules([("programs", "listed")] + more)
        .isUnlisted(RefusedProgram(account: 1_000, target: target, name: "game", refusedAt: 5))
    }
    let app = RefusedProgram.Target.app(try HouseholdSamples.app("game"))
    #expect(try isUnlisted(app, []) && isUnlisted(.matcher(matcher), []))
    #expect(try !isUnlisted(app, [("app/game/category", "neutral")]) && !isUnlisted(app, [("removed", "yes")]))
    #expect(try isUnlisted(app, [("programs", "all")]), "All programs may run meanwhile.")
    let named = [("app/game/matchers", "path /home/emma/game")]
    #expect(try isUnlisted(.matcher(matcher), named), "A matcher alone lists nothing.")
    #expect(try !isUnlisted(.matcher(matcher), named + [("app/game/category", "neutral")]))
  }

  @Test func unknownProgramsGetTheTreatmentThatWasChosen() throws {
    for (text, isAllowed, reason) in [
      ("count", true, nil), ("reward", false, Reason.points), ("block", false, .unknownProgram),
    ] as [(String, Bool, Reason?)] {
      let rules = try HouseholdSamples.rules([("unknownPrograms", text)])
      var situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
      situation.running = [1_000: [.unknown]]
      let decided = DayPlan(rules, day: situation.day).decide(situation)
      #expect(decided.verdicts[.unknown]?.isAllowed == isAllowed)
      #expect(decided.verdicts[.unknown]?.reason == reason)
      #expect(decided.closures.count == (isAllowed ? 0 : 1))
    }
  }

  @Test func nothingHoldsForAChildWhoWasRemovedAndLittleForAnApplicationThatIsNotEnabled() throws {
    let rules = try HouseholdSamples.rules([("removed", "yes"), ("lock", "on"), ("app/game/blocked", "yes")])
    let situation = try HouseholdSamples.situation("2026-11-23T15:00:00Z", rules)
    for verdict in DayPlan(rules, day: situation.day).decide(situation).verdicts.values { #expect(verdict.isAllowed) }
    let other = try HouseholdSamples.rules([
      ("app/game/enabled", "no"), ("app/game/blocked", "yes"), ("limits/daily", "30"),
    ])
    let verdict = DayPlan(other, day: situation.day).decide(situation).verdicts[.app(try HouseholdSamples.app("game"))]
    #expect(verdict?.reason == .dailyLimit)
  }
}
