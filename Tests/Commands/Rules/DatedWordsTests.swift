import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of what is said of exceptions for days that overlap.
@Suite struct DatedWordsTests {
  private static func rule(_ key: RegisterKey, _ value: String, later: Int64 = 0, isFamilys: Bool = false)
    -> RuleListing
  {
    var rule = SampleValues.rule(key, value)
    rule.setAt += later
    rule.isFamilys = isFamilys
    return rule
  }

  /// Emma has 3 h in Advent, and then 1 h on a Saturday of it; the family has 10 min on that day.
  private static var script: ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.rules.rules = [
      rule("days/2026-11-20..2026-12-02/limit", "180"), rule("days/2026-11-20..2026-12-02/name", "Advent"),
      rule("today/2026-11-21/limit", "60", later: 1),
    ]
    return script
  }

  private static let advent = "“screen time on 2026-11-20..2026-12-02 3 h” (Advent)"

  @Test func aRemovalSaysWhichExceptionHoldsThen() async {
    var script = Self.script
    let removed = await ScriptedRun("days", "remove", "today", "--child", "Emma", script: script)
    #expect(
      removed.console.notes.first == "Emma: “screen time on 2026-11-21” is no longer set. Now \(Self.advent) holds.",
      "\(removed.console.notes)")
    script.rules.family = [Self.rule("today/2026-11-21/limit", "10", isFamilys: true)]
    let own = await ScriptedRun("days", "remove", "today", "--child", "Emma", script: script)
    #expect(own.console.notes == removed.console.notes)
    // The range is removed, and the single day and the family's remain.
    script.rules.family = [Self.rule("today/2026-11-22/limit", "10", isFamilys: true)]
    let range = await ScriptedRun("days", "remove", "advent", "--child", "Emma", script: script)
    #expect(
      range.console.notes.first == "Emma: “screen time on 2026-11-20..2026-12-02” is no longer set. "
        + "Now “screen time on 2026-11-21 1 h” and the family's “screen time on 2026-11-22 10 min” hold, "
        + "and on the other days the plan holds.", "\(range.console.notes)")
    script.rules.rules = [Self.rule("today/2026-11-21/limit", "60")]
    script.rules.family = [Self.rule("today/2026-11-21/limit", "10", isFamilys: true)]
    let familys = await ScriptedRun("days", "remove", "today", "--child", "Emma", script: script)
    #expect(
      familys.console.notes.first == "Emma: “screen time on 2026-11-21” is no longer set for the child alone. "
        + "That of the whole family holds: 10 min.", "\(familys.console.notes)")
  }

  @Test func aReceiptSaysWhatIsReplacedOnSomeDays() async {
    let set = await ScriptedRun(
      "limit", "set", "--child", "Emma", "--day", "2026-12-01..2026-12-04", "--daily", "2h", script: Self.script)
    #expect(
      set.console.notes.contains(
        "On 2026-12-01..2026-12-02 this holds instead of \(Self.advent), which was set before."),
      "\(set.console.notes)")
    let school = await ScriptedRun("times", "--child", "Emma", "--today", "--school", "none", script: Self.script)
    #expect(!school.console.notes.joined().contains("instead"), "\(school.console.notes)")
  }

  @Test func aReceiptOfTheFamilySaysWhichChildrenHaveTheirOwn() async {
    let set = await ScriptedRun(
      "limit", "set", "--family", "--day", "2026-12-01", "--daily", "10m", script: Self.script)
    #expect(
      set.console.notes.contains(
        "Not for Emma on 2026-12-01: \(Self.advent) holds there, which is set for the child alone."),
      "\(set.console.notes)")
    let free = await ScriptedRun(
      "limit", "set", "--family", "--day", "2026-12-09", "--daily", "10m", script: Self.script)
    #expect(!free.console.notes.joined().contains("Not for Emma"), "\(free.console.notes)")
  }

  @Test func aRuleOfTheFamilysPlanSaysWhichChildrenHaveTheirOwn() async {
    var script = Self.script
    script.rules.rules = [
      Self.rule(ChildRule.dailyLimit.key.registerKey ?? "lock", "120"), Self.rule("today/2026-11-21/limit", "60"),
    ]
    let set = await ScriptedRun("limit", "set", "--family", "--daily", "1h", script: script)
    let words = set.console.notes.joined(separator: "\n")
    #expect(
      words.contains("Not for Emma: “screen time a day 2 h” holds there, which is set for the child alone."), "\(words)"
    )
    #expect(words.contains("Not for Emma today: “screen time on 2026-11-21 1 h” holds there"), "\(words)")
    let same = await ScriptedRun("limit", "set", "--family", "--daily", "2h", script: script).console.notes.joined()
    #expect(!same.contains("“screen time a day 2 h” holds there"), "\(same)")
    let other = await ScriptedRun("limit", "set", "--family", "--weekly", "9h", script: script)
    #expect(!other.console.notes.joined().contains("Not for Emma"), "\(other.console.notes)")
  }

  @Test func theFamilysDaysAreListedAlsoWhereTheChildsHold() async {
    var script = ScriptedNode.Script()
    let days = "days/2026-12-23..2027-01-06"
    let (name, school) = (RegisterKey("\(days)/name") ?? "lock", RegisterKey("\(days)/school") ?? "lock")
    script.rules.rules = [Self.rule(school, "none", later: 1)]
    // The node leaves out what does not hold for the child.
    script.rules.family = [Self.rule(name, "Christmas", isFamilys: true)]
    let hidden = await ScriptedRun("days", "--child", "Emma", script: script)
    #expect(!hidden.console.output.contains("as on other days"), "\(hidden.console.output)")
    script.settings.rules = script.rules.family + [Self.rule(school, "none", isFamilys: true)]
    let whole = await ScriptedRun("days", "--child", "Emma", script: script)
    #expect(!whole.console.output.contains("as on other days"), "\(whole.console.output)")
    #expect(whole.console.output.components(separatedBy: "no school time").count == 3, "\(whole.console.output)")
    #expect(whole.console.notes.joined().contains("holds and not the family's"), "\(whole.console.notes)")
  }

  @Test func theListSaysWhichHolds() async {
    let days = await ScriptedRun("days", "--child", "Emma", script: Self.script)
    #expect(
      days.console.notes == ["For Emma on 2026-11-21, “screen time on 2026-11-21 1 h” holds and not \(Self.advent)."],
      "\(days.console.notes)")
  }

  @Test func theListSaysOfEachDayOnlyWhatHolds() async {
    var script = ScriptedNode.Script()
    script.rules.rules = [
      Self.rule("days/2026-12-01..2026-12-05/limit", "60"),
      Self.rule("days/2026-12-02..2026-12-04/limit", "90", later: 1),
      Self.rule("today/2026-12-03/limit", "120", later: 2),
    ]
    let notes = await ScriptedRun("days", "--child", "Emma", script: script).console.notes
    for day in ["2026-12-02", "2026-12-04"] {
      #expect(notes.filter { $0.hasPrefix("For Emma on \(day),") }.count == 1, "\(notes)")
    }
    let third = notes.filter { $0.hasPrefix("For Emma on 2026-12-03,") }
    #expect(notes.count == 4 && third.count == 2, "\(notes)")
    #expect(third.allSatisfy { $0.contains("2 h” holds and not") }, "\(notes)")
  }

  @Test func allDaysOfANameAreNamedBeforeTheyAreRemoved() async {
    var script = ScriptedNode.Script()
    for days in ["2026-12-23..2026-12-31", "2027-12-23..2027-12-31"] {
      script.rules.rules += [
        Self.rule(RegisterKey("days/\(days)/name") ?? "lock", "Christmas"),
        Self.rule(RegisterKey("days/\(days)/school") ?? "lock", "none"),
      ]
    }
    let removed = await ScriptedRun("days", "remove", "christmas", "--child", "Emma", script: script)
    #expect(
      removed.console.notes.first
        == "These are all days of that name: 2026-12-23..2026-12-31 and 2027-12-23..2027-12-31.")
  }
}
