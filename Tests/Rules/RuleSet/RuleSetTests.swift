import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct RuleSetTests {
  private let emma = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
  private let tom = ChildID(milliseconds: 2, random: [UInt8](repeating: 2, count: 10))

  private func register(_ zone: Zone, _ key: String, _ value: String?) throws -> Register {
    Register(zone, try #require(RegisterKey(key)), value, modified: .never)
  }

  @Test func aChildsRuleHoldsInsteadOfTheFamilys() throws {
    let registers = [
      try register(.family, "category/reward/limit", "60"), try register(.family, "limits/weekly", "600"),
      try register(.family, "mode", "limits"), try register(.child(emma), "category/reward/limit", "90"),
      try register(.child(emma), "limits/weekly", nil), try register(.child(emma), "mode", "later"),
      try register(.child(tom), "mode", "points"),
    ]
    for registers in [registers, registers.reversed()] {
      let (rules, notInForce) = RuleSet.read(registers, child: emma)
      #expect(rules.categories[.reward]?.limit == DayLimits(everyDay: 90))
      #expect(rules.weeklyLimit == 600)
      // A value that cannot be read is not in force, and is reported.
      #expect(rules.mode == .limits)
      #expect(notInForce.map(\.key.text) == ["mode"])
      #expect(RuleSet.read(registers, child: tom).rules.mode == .points)
      #expect(RuleSet.read(registers, child: tom).rules.categories[.reward]?.limit == DayLimits(everyDay: 60))
    }
  }

  /// The limits of Monday, of Saturday and of every other day that follow from a child's and the
  /// family's registers.
  @Test(
    arguments: [
      ([:], ["": "60"], [60, 60, 60]), ([:], ["": "60", "sat": "90"], [60, 90, 60]),
      ([:], ["sat": "90"], [nil, 90, nil]), (["mon": "30"], ["": "60", "sat": "90"], [30, 90, 60]),
      (["": "20"], ["": "60", "sat": "90"], [20, 20, 20]), (["": "none"], ["": "60", "sat": "90"], [nil, nil, nil]),
      (["sat": "none"], ["": "60", "sat": "90"], [60, nil, 60]), (["mon": "0", "": "20"], ["mon": "9"], [0, 20, 20]),
      (["mon": "later", "": "020"], ["": "60"], [60, 60, 60]), (["mon": "none"], [:], [nil, nil, nil]),
    ] as [([String: String], [String: String], [Int?])])
  func aWeekdaysLimitLiesOverThatOfEveryDay(own: [String: String], family: [String: String], limits: [Int?]) throws {
    for (base, read) in [
      ("limits/daily", { $0.dailyLimit }), ("category/reward/limit", { $0.categories[.reward]?.limit }),
      ("app/a/limit", { $0.apps.values.first?.limit }),
    ] as [(String, (RuleSet) -> DayLimits?)] {
      func registers(_ zone: Zone, _ days: [String: String]) throws -> [Register] {
        try days.map { try register(zone, base + ($0.isEmpty ? "" : "/\($0)"), $1) }
      }
      let all = try registers(.child(emma), own) + registers(.family, family)
      for registers in [all, all.reversed()] {
        let limit = read(RuleSet.read(registers, child: emma).rules)
        #expect([Weekday.monday, .saturday, .sunday].map { limit?[$0]?.minutes } == limits)
        #expect((limit == nil) == limits.allSatisfy { $0 == nil })
      }
    }
  }

  @Test func whatIsNotInForceIsToldWithItsReason() throws {
    let registers = [
      try register(.child(emma), "later/version", "x"), try register(.family, "lock", "on"),
      try register(.child(emma), "family/zone", "Europe/Berlin"), try register(.child(emma), "limits/daily", "090"),
      try register(.child(tom), "later/version", "x"), try register(.child(emma), "later/deleted", nil),
    ]
    let notInForce = RuleSet.read(registers, child: emma).notInForce
    #expect(notInForce.map(\.key.text) == ["lock", "family/zone", "later/version", "limits/daily"])
    #expect(notInForce[0].reason == "The rule lock can only be of one child: set it there.")
    #expect(notInForce.contains { $0.reason.contains("update Latchkey") })
  }

  @Test func unknownProgramsAreOneApplicationWhoseRuleIsOneSetting() throws {
    let registers = [
      try register(.child(emma), "app/latchkey.unknown/category", "learning"),
      try register(.family, "app/latchkey.unknown/limit/mon", "5"),
    ]
    for (chosen, category, isBlocked) in [
      (nil, .neutral, false), ("count", .neutral, false), ("reward", .reward, false), ("block", .neutral, true),
    ] as [(String?, AppCategory, Bool)] {
      let choice = try register(.family, "unknownPrograms", chosen)
      let (rules, notInForce) = RuleSet.read(registers + [choice], child: emma)
      let unknown = rules.app(.unknownPrograms)
      #expect(unknown.name == "Unknown programs" && unknown.use == AppUse(category: category))
      #expect(unknown.isBlocked == isBlocked)
      #expect(rules.apps.isEmpty && notInForce.count == 2)
      #expect(notInForce.allSatisfy { $0.reason.contains("--unknown-programs") })
    }
  }

  @Test("Of several groups the strictest holds, and an application's own category and rate hold over theirs")
  func groups() throws {
    let (chess, pen) = (try #require(AppID("chess")), try #require(AppID("pen")))
    let texts = [
      ("group/a/members", "chess\npen"), ("group/a/rate", "1000"), ("group/a/allowed", "yes"),
      ("group/b/members", "chess"), ("group/b/rate", "5000"), ("group/b/limit", "60"),
    ]
    func rules(_ more: [(String, String)], _ category: AppCategory? = nil) throws -> RuleSet {
      let registers = try (texts + more).map { try register(.family, $0.0, $0.1) }
      return RuleSet.read(registers, child: emma, defaults: category.map { [chess: $0] } ?? [:]).rules
    }
    #expect(try rules([], .learning).app(chess).milliPointsPerMinute == 1_000, "Learning earns the least.")
    #expect(try rules([], .reward).app(chess).milliPointsPerMinute == 5_000, "A reward costs the most.")
    #expect(try rules([], .reward).categoryByDefault(chess) == .reward)
    #expect(try !rules([]).app(chess).isAlwaysAllowed && rules([]).app(pen).isAlwaysAllowed)
    #expect(try rules([("group/b/allowed", "yes")]).app(chess).isAlwaysAllowed)
    let strict = try rules([("group/b/category", "reward"), ("group/a/category", "learning")], .learning)
    #expect(strict.app(chess).category == .reward && strict.categoryByDefault(chess) == nil)
    #expect(
      try rules([("app/chess/category", "neutral"), ("group/b/category", "reward")]).app(chess).category == .neutral)
    #expect(try rules([("group/b/blocked", "yes")]).app(chess).isBlocked)
    let off = try rules([("app/chess/enabled", "no"), ("group/b/blocked", "yes")])
    #expect(!off.app(chess).isBlocked && off.usedGroups.values.allSatisfy { !$0.members.contains(chess) })
    #expect(try rules([]).apps.keys.contains(pen), "A group names its applications.")
  }

  @Test func defaultsGiveWayToAParentsSetting() throws {
    let chess = try #require(AppID("org.gnome.Chess"))
    let defaults = [chess: AppCategory.reward]
    let without = RuleSet.read([], child: emma, defaults: defaults).rules
    #expect(without.app(chess).use == AppUse(category: .reward) && without.categoryByDefault(chess) == .reward)
    let registers = [
      try register(.family, "app/org.gnome.Chess/category", "learning"),
      try register(.child(emma), "app/org.gnome.Chess/rate", "500"),
    ]
    let rules = RuleSet.read(registers, child: emma, defaults: defaults).rules
    #expect(rules.app(chess).use == AppUse(category: .learning, milliPointsPerMinute: 500))
    #expect(rules.categoryByDefault(chess) == nil)
    // Another rule of the application leaves the default; one whose rules are off has none.
    let blocked = [try register(.child(emma), "app/org.gnome.Chess/blocked", "yes")]
    let limited = RuleSet.read(blocked, child: emma, defaults: defaults).rules
    #expect(limited.app(chess).isBlocked && limited.app(chess).use?.category == .reward)
    let off = [try register(.family, "app/org.gnome.Chess/enabled", "no")]
    let disabled = RuleSet.read(off, child: emma, defaults: defaults).rules
    #expect(disabled.app(chess).use == nil && disabled.categoryByDefault(chess) == nil)
  }

  @Test("A well-known application has a category until a parent sets one; its rate is the category's")
  func wellKnown() throws {
    let (kart, math) = (try #require(AppID("supertuxkart")), try #require(AppID("tuxmath")))
    #expect(DefaultCategory.all.count == 45)
    let rules = RuleSet.read([try register(.family, "category/reward/rate", "2500")], child: emma).rules
    #expect(rules.app(kart).use?.category == .reward && rules.app(math).use?.category == .learning)
    #expect(rules.app(kart).use.map { rules.perMinute($0) } == 2_500)
    #expect(rules.apps.isEmpty, "A default is no rule.")
    let own = try [
      register(.family, "app/supertuxkart/category", "neutral"),
      register(.child(emma), "app/supertuxkart/category", "learning"),
    ]
    #expect(RuleSet.read(own, child: emma).rules.app(kart).use?.category == .learning)
    #expect(RuleSet.read(own, child: tom).rules.app(kart).use?.category == .neutral)
    let deleted = [try register(.child(emma), "app/supertuxkart/category", nil)]
    #expect(RuleSet.read(deleted, child: emma).rules.app(kart).use?.category == .reward)
  }

  @Test func ratesComeFromTheApplicationThenTheCategory() {
    var rules = RuleSet()
    #expect(rules.rate(of: AppUse(category: .reward)).milliPointsPerHour == 60_000)
    rules.categories[.reward] = RuleSet.Category()
    rules.categories[.reward]?.rate = 2_000
    #expect(rules.rate(of: AppUse(category: .reward)).milliPointsPerHour == 120_000)
    #expect(rules.rate(of: AppUse(category: .reward, milliPointsPerMinute: 0)).milliPointsPerHour == 0)
  }
}
