import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyRules

@Suite struct DecisionPropertyTests {
  private static let zones = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]

  private func texts(_ random: inout SeededRandom) -> [(String, String)] {
    let all: [(String, [String])] = [
      ("app/game/category", ["reward"]), ("app/game/rate", ["2000", "0"]),
      ("app/game/limit", ["60", "none", "0", "40 within 10:00-20:00", "5 within 22:00-03:00"]),
      ("app/game/limit/sun", ["20 within 02:00-03:30", "45"]),
      ("app/book/category", ["learning"]), ("app/tool/allowed", ["yes"]), ("app/bad/blocked", ["yes", "now"]),
      ("category/reward/limit", ["45"]), ("category/reward/limit/sat", ["120"]), ("category/reward/weekly", ["200"]),
      ("limits/daily", ["90", "1440"]), ("limits/daily/mon", ["0", "none"]), ("limits/carryOver", ["30", "1440"]),
      ("limits/breaks", ["45 10", "5 240"]),
      ("limits/weekly", ["500", "0"]),
      ("schedule/bedtime", ["20:00-07:00", "fri-sat 22:30-09:00"]), ("schedule/school", ["mon-fri 08:00-13:00"]),
      ("schedule/rewardTimes", ["14:00-19:00", "sat-sun 00:00-24:00"]), ("lock", ["off", "on", "on now"]),
      ("mode", ["limits", "points"]), ("points/use", ["payAsYouGo", "redeemFirst"]),
      ("unknownPrograms", ["count", "reward", "block"]), ("programs", ["all", "listed"]),
      ("group/fun/members", ["game\nother", "book\ngame"]),
      ("group/fun/limit", ["30", "0", "30 within 18:00-19:00", "0 within 06:00-07:00"]),
      ("group/fun/weekly", ["100"]),
      ("group/fun/hours", ["10:00-20:00"]), ("group/fun/allowed", ["yes"]), ("app/game/hours", ["sat-sun 09:00-19:00"]),
      ("days/2026-01-01..2026-12-31/limit", ["45", "none"]),
      ("days/2026-03-01..2026-11-30/bedtime", ["22:00-06:00", "none"]),
      ("days/2026-06-01..2026-06-30/rewardTimes", ["12:00-13:00"]),
      ("family/dayStart", ["0", "4", "23"]),
    ]
    var texts: [(String, String)] = [("family/zone", random.pick(Self.zones))]
    for (key, values) in all where random.once(in: 2) { texts.append((key, random.pick(values))) }
    return texts
  }

  private func situation(_ rules: RuleSet, _ random: inout SeededRandom) throws -> Situation {
    let year = try HouseholdSamples.instant("2026-01-01T00:00:00Z")
    let time = year + Int64(random.below(365 * 86_400)) * 1_000
    let day = rules.boundary.day(containing: time)
    let apps = try ["game", "book", "tool", "bad", "other"].map { try HouseholdSamples.app($0) }
    var situation = Situation(boot: BootInstant(milliseconds: Int64(random.below(1 << 40))), time: time, day: day)
    for offset in -7...1 where random.once(in: 2) {
      var use = DayUse(screen: Int64(random.below(7_200_000)))
      for category in AppCategory.allCases { use.categories[category] = Int64(random.below(3_600_000)) }
      for app in apps {
        use.apps[app] = Int64(random.below(3_600_000))
        use.appsWithin[app] = Int64(random.below(3_600_000))
      }
      for group in rules.groups.keys {
        use.groups[group] = Int64(random.below(3_600_000))
        use.groupsWithin[group] = Int64(random.below(3_600_000))
      }
      situation.use[day.advanced(byDays: offset)] = use
    }
    for _ in 0..<random.below(6) {
      let start = time - Int64(random.below(12 * 3_600_000))
      situation.presence.insert(start..<min(time, start + Int64(random.below(7_200_000))))
    }
    situation.spendable = Int64(random.below(60_000))
    situation.redeemed = (0..<random.below(3)).map { _ in
      RedeemedTime(milliseconds: Int64(random.below(3_600_000)), lastDay: day.advanced(byDays: random.below(3) - 1))
    }
    situation.running = [1_000: Set(apps.filter { _ in random.once(in: 2) }.map { .app($0) }), 1_001: [.unknown]]
    return situation
  }

  private func scope(_ random: inout SeededRandom) throws -> GrantScope {
    random.pick([.all, .category(.reward), .app(try HouseholdSamples.app("game"))])
  }

  /// Returns rules and a situation; on some days, time was taken away.
  private func drawn(
    _ random: inout SeededRandom, with texts: [(String, String)] = []
  ) throws -> (rules: RuleSet, situation: Situation) {
    var rules = try HouseholdSamples.rules(self.texts(&random) + texts)
    let situation = try situation(rules, &random)
    for offset in -3...0 where random.once(in: 3) {
      let less = Grant(minutes: 1 + random.below(60), scope: try scope(&random))
      rules.deductions[situation.day.advanced(byDays: offset), default: [:]][Samples.commandID(&random)] =
        Deduction(less, reason: "")
    }
    return (rules, situation)
  }

  @Test func moreTimeTakenAwayNeverGivesMore() throws {
    var random = SeededRandom()
    for _ in 0..<600 {
      let (rules, situation) = try drawn(&random)
      var less = rules
      let time = Grant(minutes: 1 + random.below(200), scope: try scope(&random))
      less.deductions[situation.day.advanced(byDays: -random.below(3)), default: [:]][Samples.commandID(&random)] =
        Deduction(time, reason: "")
      let before = DayPlan(rules, day: situation.day).decide(situation).verdicts
      for (subject, new) in DayPlan(less, day: situation.day).decide(situation).verdicts where new.isAllowed {
        let old = try #require(before[subject])
        #expect(old.isAllowed, "\(subject) \(random.note)")
        if let until = old.until { #expect(try #require(new.until) <= until, "\(subject) \(random.note)") }
      }
    }
  }

  @Test func moreGrantsNeverGiveLessTime() throws {
    var random = SeededRandom()
    for _ in 0..<600 {
      let (rules, situation) = try drawn(&random)
      var granted = rules
      for _ in 0...random.below(3) {
        let day = situation.day.advanced(byDays: random.below(3) - 1)
        granted.grants[day, default: [:]][Samples.commandID(&random)] = Grant(
          minutes: 1 + random.below(200), scope: try scope(&random))
      }
      let before = DayPlan(rules, day: situation.day).decide(situation).verdicts
      let after = DayPlan(granted, day: situation.day).decide(situation).verdicts
      for (subject, old) in before {
        let new = try #require(after[subject])
        #expect(new.isAllowed || !old.isAllowed, "\(subject) \(random.note)")
        guard old.isAllowed else { continue }
        if let until = new.until { #expect(try #require(old.until) <= until, "\(subject) \(random.note)") }
      }
    }
  }

  @Test func theVerdictIsTheLeastOfWhatIsConsidered() throws {
    var random = SeededRandom()
    for _ in 0..<600 {
      let (rules, situation) = try drawn(&random)
      let plan = DayPlan(rules, day: situation.day)
      let decided = plan.decide(situation)
      for (subject, verdict) in decided.verdicts {
        let (explained, considered) = plan.explain(subject, in: situation)
        #expect(explained == verdict, "\(random.note)")
        let isClosed = considered.contains { if case .closed = $0.standing { true } else { false } }
        #expect(verdict.isAllowed == !isClosed, "\(random.note)")
        let times = considered.compactMap { if case .open(let time) = $0.standing { time } else { nil } }
        if verdict.isAllowed { #expect(verdict.until == times.min().map { situation.boot + $0 }, "\(random.note)") }
        for warning in verdict.warnings { #expect(warning >= situation.boot, "\(random.note)") }
        if let until = verdict.until, until > situation.boot { #expect(decided.decideAgain <= until) }
      }
      for closure in decided.closures { #expect(decided.verdicts[closure.subject]?.isAllowed == false) }
      #expect(decided.decideAgain > situation.boot, "\(random.note)")
    }
  }

  /// A program that is allowed until T and has run since is allowed one millisecond before T, and
  /// not at T.
  @Test func whatIsAllowedUntilATimeIsClosedThen() throws {
    var random = SeededRandom()
    let game = try HouseholdSamples.app("game")
    var checked = 0
    for _ in 0..<1_200 {
      let (rules, situation) = try drawn(&random, with: [("mode", "limits")])
      var start = situation
      start.use = start.use.filter { $0.key <= start.day }
      start.running = [1_000: [.app(game)]]
      let verdict = DayPlan(rules, day: start.day).explain(.app(game), in: start).verdict
      guard verdict.isAllowed, let until = verdict.until else { continue }
      checked += 1
      let category = rules.app(game).use?.category ?? .neutral
      for early in [Int64(1), 0] {
        var end = start
        let passed = until - start.boot - early
        (end.boot, end.time) = (start.boot + passed, start.time + passed)
        end.day = rules.boundary.day(containing: end.time)
        end.presence.insert(start.time..<end.time)
        var totals = UseTotals(rules)
        totals.add(UseSpan(app: game, category: category, start: start.time, milliseconds: passed))
        for (day, use) in totals.use { end.use[day, default: DayUse()].add(use) }
        let later = DayPlan(rules, day: end.day).explain(.app(game), in: end).verdict
        #expect(later.isAllowed == (early == 1), "\(verdict) then \(later) \(random.note)")
      }
    }
    #expect(checked > 50, "\(random.note)")
  }

  @Test func settingTheWallClockGainsNothing() throws {
    var random = SeededRandom()
    let rules = try HouseholdSamples.rules([
      ("limits/daily", "60"), ("schedule/bedtime", "20:00-07:00"), ("family/zone", "Europe/Berlin"), ("mode", "limits"),
    ])
    let game = Subject.app(try HouseholdSamples.app("game"))
    let start = try HouseholdSamples.instant("2026-11-23T07:00:00Z")
    for _ in 0..<6 {
      var clock = HouseholdClock(
        ClockReading(bootID: "a", boot: BootInstant(milliseconds: 0), wall: start, isVouched: true))
      var use: [FamilyDay: DayUse] = [:]
      var offset: Int64 = 0
      var used = 0
      // Three days in which a program runs whenever it is allowed, and the clock is set at random.
      for minute in 0..<(3 * 1_440 - 60) {
        if random.once(in: 60) { offset = Int64.random(in: -172_800_000...172_800_000, using: &random) }
        let boot = BootInstant(milliseconds: Int64(minute) * 60_000)
        let real = start + boot.milliseconds
        clock.read(ClockReading(bootID: "a", boot: boot, wall: real + offset, isVouched: false))
        let day = clock.day(at: boot, rules.boundary)
        let situation = Situation(
          boot: boot, time: clock.time(at: boot), dayTime: clock.dayTime(at: boot), day: day, use: use,
          running: [1_000: [game]])
        guard DayPlan(rules, for: situation).decide(situation).closures.isEmpty else { continue }
        use[day, default: DayUse()].screen += 60_000
        used += 1
        #expect((7..<20).contains((real / 3_600_000 + 1) % 24), "\(random.note)")
      }
      #expect(used == 180, "\(random.note)")
    }
  }

  @Test func aClockSetForwardBeforeABootAndBackBeforeTheNextGainsNothing() throws {
    let rules = try HouseholdSamples.rules([("limits/daily", "60"), ("mode", "limits")])
    let game = Subject.app(try HouseholdSamples.app("game"))
    let start = try HouseholdSamples.instant("2026-11-23T07:00:00Z")
    var clock = HouseholdClock(
      ClockReading(bootID: "0", boot: BootInstant(milliseconds: 0), wall: start, isVouched: true))
    var use: [FamilyDay: DayUse] = [:]
    var used = 0
    // Boots of four hours each, with the clock right, a day ahead, right again, and on the next
    // day.
    for (number, (real, offset)) in [(0, 0), (4, 24), (9, 0), (24, 0), (30, 0), (36, -12)].enumerated() {
      for minute in 0..<240 {
        let boot = BootInstant(milliseconds: Int64(minute) * 60_000)
        let wall = start + Int64(real + offset) * 3_600_000 + boot.milliseconds
        clock.read(ClockReading(bootID: "\(number)", boot: boot, wall: wall, isVouched: false))
        let day = clock.day(at: boot, rules.boundary)
        let situation = Situation(
          boot: boot, time: clock.time(at: boot), dayTime: clock.dayTime(at: boot), day: day, use: use,
          running: [1_000: [game]])
        guard DayPlan(rules, for: situation).decide(situation).closures.isEmpty else { continue }
        use[day, default: DayUse()].screen += 60_000
        used += 1
      }
    }
    // The limits of two days, used in two days.
    #expect(used == 120)
  }

  @Test func anotherZoneOfTheFamilyGainsNothing() throws {
    var random = SeededRandom()
    let game = Subject.app(try HouseholdSamples.app("game"))
    let start = try HouseholdSamples.instant("2026-11-23T12:00:00Z")
    for _ in 0..<10 {
      var clock = HouseholdClock(
        ClockReading(bootID: "a", boot: BootInstant(milliseconds: 0), wall: start, isVouched: true))
      var use: [FamilyDay: DayUse] = [:]
      var used = 0
      var rules = try HouseholdSamples.rules([("limits/daily", "60"), ("mode", "limits")])
      var days: Set<FamilyDay> = []
      for minute in 0..<(2 * 1_440) {
        if random.once(in: 100) { rules.zone = random.pick(["Pacific/Honolulu", "UTC", "Pacific/Kiritimati"]) }
        let boot = BootInstant(milliseconds: Int64(minute) * 60_000)
        let day = clock.day(at: boot, rules.boundary)
        days.insert(day)
        let situation = Situation(
          boot: boot, time: clock.time(at: boot), dayTime: clock.dayTime(at: boot), day: day, use: use,
          running: [1_000: [game]])
        guard DayPlan(rules, for: situation).decide(situation).closures.isEmpty else { continue }
        use[day, default: DayUse()].screen += 60_000
        used += 1
      }
      // Each day has its limit once, and two days have at most four dates in any zones.
      #expect(used <= 60 * days.count && days.count <= 4, "\(random.note)")
    }
  }

  @Test func theOrderInWhichEditsArriveChangesNothing() throws {
    var random = SeededRandom()
    for _ in 0..<100 {
      var registers: [Register] = []
      for step in 0..<40 {
        let (text, value) = random.pick(texts(&random))
        let key = try HouseholdSamples.key(text)
        let rule = try Rule(key, typed: value)
        let zone = key.belongs(in: .family) && random.once(in: 2) ? Zone.family : .child(HouseholdSamples.emma)
        guard key.belongs(in: zone) else { continue }
        var register = rule.register(
          in: zone,
          modified: HybridTimestamp(
            wall: Int64(random.below(30)), counter: UInt32(step), author: Samples.deviceID(&random)))
        if random.once(in: 5) { register.value = nil }
        registers.append(register)
      }
      let told = RegisterMap(registers)
      let late = RegisterMap(registers.shuffled(using: &random))
      let rules = RuleSet.read(told.registers, child: HouseholdSamples.emma).rules
      let other = RuleSet.read(late.registers.shuffled(using: &random), child: HouseholdSamples.emma).rules
      #expect(rules == other, "\(random.note)")
      let situation = try situation(rules, &random)
      #expect(
        DayPlan(rules, day: situation.day).decide(situation) == DayPlan(other, day: situation.day).decide(situation),
        "\(random.note)")
    }
  }

  @Test func noSituationTraps() throws {
    var random = SeededRandom()
    let numbers: [Int64] = [.min, -1, 0, 1, 60_000, HybridTimestamp.wallLimit, .max]
    for _ in 0..<2_000 {
      let rules = try HouseholdSamples.rules(texts(&random))
      let day = random.pick([FamilyDay.first, .last, rules.boundary.day(containing: 1_795_446_000_000)])
      var situation = Situation(boot: BootInstant(milliseconds: 5), time: random.pick(Array(numbers[1...5])), day: day)
      let game = try HouseholdSamples.app("game")
      for other in [day, .first, .last, day.advanced(byDays: -1)] {
        situation.use[other] = DayUse(
          screen: random.pick(numbers), categories: [.reward: random.pick(numbers)], apps: [game: random.pick(numbers)],
          appsWithin: [game: random.pick(numbers)])
      }
      situation.spendable = random.pick(numbers)
      situation.redeemed = (0..<3).map { _ in RedeemedTime(milliseconds: random.pick(numbers), lastDay: day) }
      situation.running = [0: [.app(game), .unknown]]
      _ = DayPlan(rules, day: day).decide(situation)
    }
  }
}
