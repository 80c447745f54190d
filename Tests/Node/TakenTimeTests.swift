import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// How much time a parent can take away, and what is said of it: Protocol/11-rules.md §5.
@Suite struct TakenTimeTests {
  private static let time: Int64 = 1_795_446_000_000
  private let kart, luanti: AppID

  init() throws {
    (kart, luanti) = (try #require(AppID("kart")), try #require(AppID("luanti")))
  }

  /// Returns the minutes that can be taken from a scope, of a limit of an hour of which 10 minutes
  /// are used, after some time was granted.
  private func left(_ scope: GrantScope, granted: String...) throws -> Int64? {
    var rules = RuleSet()
    let day = rules.boundary.day(containing: Self.time)
    rules.dailyLimit = try DayLimits("60")
    rules.groups[kart] = RuleSet.Group()
    rules.groups[kart]?.members = [kart, luanti]
    rules.groups[kart]?.limit = try DayLimits("60")
    for (number, text) in granted.enumerated() {
      let id = try #require(CommandID(bytes: [UInt8](repeating: UInt8(number + 1), count: 16)))
      rules.grants[day, default: [:]][id] = try Grant(typed: text)
    }
    let use = DayUse(screen: 600_000, apps: [kart: 600_000], groups: [kart: 600_000])
    let situation = Situation(boot: BootInstant(milliseconds: 1), time: Self.time, day: day, use: [day: use])
    let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    let standing = ChildStanding(
      child: child, plan: DayPlan(rules, for: situation), situation: situation, running: [])
    return standing.left(of: scope).map { $0 / 60_000 }
  }

  @Test("What was granted for some programs alone is not there to take from all of them")
  func granted() throws {
    #expect(try left(.all) == 50)
    #expect(try left(.all, granted: "30") == 80)
    #expect(try left(.all, granted: "60 neutral") == 50)
    #expect(try left(.all, granted: "60 app:kart", "5") == 55)
    #expect(try left(.category(.neutral), granted: "60 neutral") == nil, "There is no limit on the category.")
  }

  @Test("Of a group's limit, what every application of the group was granted can be taken")
  func groups() throws {
    #expect(try left(.app(kart)) == 50)
    #expect(try left(.app(kart), granted: "60 app:kart") == 50, "The group's limit holds for the other one as well.")
    #expect(try left(.app(kart), granted: "60 app:kart", "15 app:luanti") == 65)
    #expect(try left(.app(kart), granted: "20 neutral") == 70)
  }

  @Test("What was given and what was taken today is told in its order, with the reason")
  func told() throws {
    var rules = RuleSet()
    let day = rules.boundary.day(containing: Self.time)
    let ids = try (1...4).map { try #require(CommandID(bytes: [UInt8](repeating: UInt8($0), count: 16))) }
    rules.grants[day] = [
      ids[0]: try Grant(typed: "30"), ids[2]: try Grant(typed: "15 reward"), ids[3]: try Grant(typed: "5 app:kart"),
    ]
    rules.deductions[day] = [ids[1]: try Deduction(typed: "10\nrude at dinner")]
    rules.grants[day]?[ids[0]] = Grant(minutes: 30, scope: .all, reason: "tidied up")
    rules.grants[day.advanced(byDays: -1)] = [ids[1]: try Grant(typed: "45")]
    let situation = Situation(boot: BootInstant(milliseconds: 1), time: Self.time, day: day, use: [:])
    var standing = ChildStanding(
      child: ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10)), plan: DayPlan(rules, for: situation),
      situation: situation, running: [])
    standing.answerWords = [ids[2]: "after dinner", ids[3]: ""]
    #expect(
      standing.notices().map { $0.sentence.worded() } == [
        "30 min more today: tidied up", "10 min less today: rude at dinner",
        "15 min more today for rewards, as asked: after dinner",
        "5 min more today for kart, as asked.",
      ])
    #expect(standing.notices().map { $0.rule.prefix(5) } == ["more/", "less/", "more/", "more/"])
  }
}
