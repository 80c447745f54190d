import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The commands by which a parent lets an application run.
@Suite struct ExplainedChangeTests {
  private func sentence(
    _ app: AppID, _ rules: String..., by change: (inout ChildExplanation.Opening) -> Void = { _ in }
  ) -> String? {
    var found = SampleValues.explanation
    found.app.appID = app
    change(&found.opening)
    found.rules = rules.map { .init(rule: $0, words: $0, isOpen: false, leftMilliseconds: nil) }
    return ExplainedChange.sentence(found)
  }

  @Test("Who approves an application that stays closed reads the command that opens it")
  func approved() async throws {
    let kart = try #require(AppID("kart"))
    var script = ScriptedNode.Script()
    script.explanation.app = AppToday(
      appID: kart, displayName: "Kart", category: .reward, usedMilliseconds: 0,
      verdict: VerdictToday(isAllowed: false, rule: "programs", reason: "only listed applications may run"))
    script.explanation.rules = [.init(rule: "programs", words: "programs", isOpen: false, leftMilliseconds: nil)]
    let said = await RequestText.outcome(
      SampleValues.requests[2], isApproved: true, minutes: nil, at: ScriptedNode(script))
    #expect(said[1] == "Kart stays closed for now: only listed applications may run.", "\(said)")
    #expect(said.last?.contains("`latchkey app set kart --child Emma --category reward`") == true, "\(said)")
  }

  @Test("What is not listed gets a category, and of many programs each has a command in a list of its own")
  func unlisted() throws {
    let kart = try #require(AppID("kart"))
    #expect(
      sentence(kart, "programs")
        == "A parent lets it run with `latchkey app set kart --child Emma --category reward`. That holds from then on, not "
        + "today alone.")
    #expect(
      sentence(kart, "dailyLimit", "appHours")
        == "A parent lets it run with `latchkey grant Emma 30m` and `latchkey app set kart --child Emma --hours "
        + "00:00-24:00`. What is not for today alone holds from then on.")
    let list = "`latchkey apps refused --child Emma` lists what was closed, with the command that allows each."
    #expect(sentence(.otherPrograms, "programs") == list)
    #expect(
      sentence(.otherPrograms, "programs", "lock") == "A parent lets it run with `latchkey unlock Emma`. \(list)")
    #expect(sentence(.unknownPrograms, "redeemedTime") == nil)
  }

  @Test("What is the child's own is allowed by `apps allow`, also where a rule lists it already")
  func own() throws {
    let kart = try #require(AppID("kart"))
    let allow =
      "A parent lets it run with `latchkey apps allow kart --child Emma`. That holds from then on, not today alone."
    #expect(sentence(kart, "programs") { $0.isRefused = true } == allow)
    #expect(sentence(kart) { ($0.isRefused, $0.isUnrecognized) = (true, true) } == allow)
    #expect(
      sentence(kart, "programs", "appHours") { $0.isRefused = true }
        == "A parent lets it run with `latchkey apps allow kart --child Emma` and `latchkey app set kart --child Emma --hours "
        + "00:00-24:00`. What is not for today alone holds from then on.")
    #expect(
      sentence(kart, "programs") { ($0.isRefused, $0.enabledCategory) = (true, .reward) }?.hasPrefix(
        "A parent lets it run with `latchkey app set kart --child Emma --enabled --category reward` and `latchkey apps allow "
          + "kart --child Emma`.") == true)
    #expect(
      sentence(kart) { $0.isUnrecognized = true }
        == "When it is started, it is closed, and `latchkey apps refused --child Emma` lists it with the command that allows it."
    )
    #expect(
      sentence(kart, "programs") { $0.mayBeOwn = true }?.hasSuffix(
        "If its program is in a folder of the child's own, it is closed all the same when it is started: `latchkey apps refused "
          + "--child Emma` lists it then, with the command that allows it.") == true)
    #expect(
      sentence(kart) { $0.isRefused = true }
        == "`latchkey apps allow kart --child Emma` allows the file of it that was refused.")
    #expect(sentence(kart) == nil)
  }

  @Test("Each command opens the rule: with the time that is missing, where breaks are set, and on the family's day")
  func opens() throws {
    let kart = try #require(AppID("kart"))
    let start = "A parent lets it run with `latchkey "
    func command(_ rule: String, _ change: (inout ChildExplanation.Opening) -> Void) -> String? {
      sentence(kart, rule, by: change)?.split(separator: "`").dropFirst().first.map(String.init)
    }
    #expect(command("weeklyLimit") { $0.missingMinutes = 46 } == "latchkey grant Emma 75m")
    #expect(command("weeklyLimit") { $0.missingMinutes = 1_430 } == "latchkey grant Emma 1440m")
    #expect(command("dailyLimit") { $0.missingMinutes = nil } == nil, "No grant is long enough.")
    let family = sentence(kart, "breaks") { ($0.hasOwnBreaks, $0.hasFamilysBreaks) = (false, true) }
    #expect(family?.hasPrefix("\(start)breaks remove --family`. That holds from then on") == true)
    let both = sentence(kart, "breaks") { $0.hasFamilysBreaks = true }
    #expect(both?.hasPrefix("\(start)breaks remove --child Emma` and `latchkey breaks remove --family`.") == true)
    #expect(
      command("programs") { $0.enabledCategory = .learning }
        == "latchkey app set kart --child Emma --enabled --category learning")
    #expect(command("rewardTimes") { _ in } == "latchkey times --child Emma --today --reward 00:00-24:00")
    #expect(
      command("rewardTimes") { $0.dayStartHour = 4 }
        == "latchkey times --child Emma --today --reward \"00:00-04:00, 04:00-24:00\"")
  }

  @Test("Commands for another day name it, none grants time for it, and none opens a day that is over")
  func otherDay() throws {
    let kart = try #require(AppID("kart"))
    #expect(
      sentence(kart, "bedtime") { $0.day = "2026-11-23" }
        == "A parent lets it run with `latchkey bedtime set --child Emma --day 2026-11-23 none`.")
    #expect(sentence(kart, "dailyLimit") { $0.day = "2026-11-23" } == nil)
    #expect(
      sentence(kart, "blocked", "school") { $0.day = "2026-11-23" }?
        .hasSuffix("What is not for that day alone holds from then on.") == true)
    #expect(sentence(kart, "blocked") { $0.day = "2026-11-20" } == nil)
  }

  @Test("The times of a whole family day open every hour of it", arguments: [0, 1, 4, 12, 23])
  func wholeDay(hour: Int) throws {
    let text = ExplainedChange.wholeDay(from: hour).filter { $0 != "\"" }
    let (child, day) = (SampleValues.child.childID, try #require(FamilyDay("2026-11-21")))
    func register(_ zone: Zone, _ key: RegisterKey, _ value: String) -> Register {
      Register(zone, key, value, modified: HybridTimestamp(wall: 1, counter: 0, author: SampleValues.parentID))
    }
    let read = RuleSet.read(
      [
        register(.family, "family/dayStart", String(hour)), register(.family, "mode", "limits"),
        register(.family, "schedule/rewardTimes", "16:00-16:30"),
        register(.family, "app/kart/category", "reward"),
        register(.child(child), "today/2026-11-21/rewardTimes", text),
      ], child: child)
    #expect(read.notInForce.isEmpty, "\(read.notInForce)")
    let (rules, kart) = (read.rules, try #require(AppID("kart")))
    for minute in stride(from: Int64(0), to: 1_440, by: 30) {
      let time = rules.boundary.start(of: day) + minute * 60_000
      let situation = Situation(boot: BootInstant(milliseconds: 1), time: time, day: day)
      #expect(DayPlan(rules, for: situation).decide(situation).verdicts[.app(kart)]?.isAllowed == true, "\(minute)")
    }
  }
}
