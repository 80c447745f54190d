import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Tests of limits, of which each option sets its part and leaves the rest as it is.
@Suite struct LimitWordsTests {
  private func set(_ run: ScriptedRun) -> RuleRequest? {
    run.node.calls.lazy.compactMap { if case .setRules("Emma", let request) = $0 { request } else { nil } }.first
  }

  private static func script(own: String?, family: String? = nil) -> ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.rules.rules.removeAll { $0.key == "limits/daily" }
    if let own { script.rules.rules.append(SampleValues.rule("limits/daily", own)) }
    if let family { script.rules.family.append(SampleValues.rule("limits/daily", family)) }
    return script
  }

  @Test(
    arguments: [
      (nil, ["--daily", "2h"], "120"), (nil, ["--weekends", "3h"], "sat-sun 180"),
      (nil, ["--daily", "2h", "--weekends", "3h"], "mon-fri 120, sat-sun 180"),
      ("mon-fri 120, sat-sun 180", ["--daily", "1h"], "mon-fri 60, sat-sun 180"),
      ("mon-fri 120, sat-sun 180", ["--weekends", "4h"], "mon-fri 120, sat-sun 240"),
      ("mon-fri 120, sat-sun 180", ["--weekends", "none"], "mon-fri 120"),
      ("mon-fri 120", ["--daily", "1h"], "mon-fri 60"), ("sat-sun 180", ["--daily", "1h"], "mon-fri 60, sat-sun 180"),
      ("120", ["--daily", "1h"], "60"), ("120", ["--weekends", "3h"], "mon-fri 120, sat-sun 180"),
      ("mon-fri 120, sat-sun 180", ["--daily", "3h", "--weekends", "3h"], "180"),
      ("120", ["--daily", "mon-thu 1h, fri 1h30m"], "mon-thu 60, fri 90, sat-sun 120"),
      ("mon 30, tue-fri 60, sat-sun 180", ["--daily", "Wednesday none"], "mon 30, tue 60, thu-fri 60, sat-sun 180"),
      ("mon 30, tue-sun 60", ["--daily", "2h"], "mon-fri 120, sat-sun 60"), ("120", ["--daily", "2"], "2"),
    ] as [(String?, [String], String)])
  func aPartIsSetAndTheRestStays(before: String?, options: [String], after: String) async {
    let run = await ScriptedRun(
      ["limit", "set", "--child", "Emma"] + options, node: ScriptedNode(Self.script(own: before)))
    #expect(run.status == 0 && set(run) == RuleRequest([.init("limits/daily", after)]), "\(run.node.calls)")
  }

  @Test func whatHoldsForTheFamilyStaysForOtherDays() async {
    let script = Self.script(own: nil, family: "120")
    let run = await ScriptedRun("limit", "set", "--child", "Emma", "--weekends", "3h", script: script)
    #expect(set(run) == RuleRequest([.init("limits/daily", "mon-fri 120, sat-sun 180")]))
  }

  @Test func aCategoryAndAWeekHaveLimitsOfTheirOwn() async {
    let run = await ScriptedRun(
      "limit", "set", "--child", "Emma", "--category", "rewards", "--daily", "45m", "--weekly", "4h")
    #expect(
      set(run) == RuleRequest([.init("category/reward/limit", "45"), .init("category/reward/weekly", "240")]))
    let family = await ScriptedRun("limit", "set", "--family", "--daily", "2h")
    #expect(family.node.calls.contains(.setSettings(RuleRequest([.init("limits/daily", "120")]))))
  }

  @Test(
    arguments: [
      ("mon-fri 120, sat-sun 180", ["--weekends"], "120"), ("mon-fri 120, sat-sun 180", ["--daily"], "sat-sun 180"),
      ("mon-fri 120, sat-sun 180", [], nil), ("mon-fri 120, sat-sun 180", ["--daily", "--weekends"], nil),
      ("120", ["--daily"], nil), ("sat-sun 180", ["--weekends"], nil),
    ] as [(String, [String], String?)])
  func aPartIsRemovedAndTheRestStays(before: String, options: [String], after: String?) async {
    let run = await ScriptedRun(
      ["limit", "remove", "--child", "Emma"] + options, node: ScriptedNode(Self.script(own: before)))
    #expect(run.status == 0 && set(run) == RuleRequest([.init("limits/daily", after)]), "\(run.node.calls)")
  }

  @Test(
    arguments: [
      (nil, [], 67, "Emma has no rule “screen time a day”"), ("120", ["--weekends"], 67, "of their own"),
      ("120", ["--weekly"], 67, "Emma has no rule “screen time a week”"),
      ("mon 30, tue-fri 60, sat-sun 180", ["--weekends"], 65, "Monday to Friday have different limits"),
    ] as [(String?, [String], Int32, String)])
  func whatIsNotSetIsNotRemoved(before: String?, options: [String], status: Int32, words: String) async {
    let run = await ScriptedRun(
      ["limit", "remove", "--child", "Emma"] + options, node: ScriptedNode(Self.script(own: before)))
    #expect(run.status == status && set(run) == nil)
    #expect(run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test func aRemovalSaysWhatHoldsInstead() async {
    var script = Self.script(own: nil, family: "120")
    let nothing = await ScriptedRun("limit", "remove", "--child", "Emma", script: script)
    #expect(nothing.console.notes.joined().contains("That of the whole family holds: 2 h. --family changes it."))
    script.rules.rules.append(SampleValues.rule("limits/weekly", "600"))
    let week = await ScriptedRun("limit", "remove", "--child", "Emma", script: script)
    #expect(set(week) == RuleRequest([.init("limits/weekly", nil)]))
    #expect(week.console.notes.first == "Emma: no limit on screen time a week.", "\(week.console.notes)")
  }

  @Test func aRuleIsReadAsItIsWritten() {
    for rule in ["90", "mon-fri 90, sat-sun 120", "mon 1, wed-thu 2", "sun 0"] {
      #expect(LimitDays(rule: rule).rule == rule)
    }
    #expect(LimitDays(rule: nil).rule == nil)
    for text in ["", "mon", "mon-", "sun-mon 1h", "mon 1h, mon 2h", "mon 1h,", "1h, 2h", "mon25 1h", "month 1h -"] {
      #expect(LimitChange(text) == nil, "\(text)")
    }
  }
}
