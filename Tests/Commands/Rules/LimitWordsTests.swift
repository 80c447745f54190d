import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of limits, of which each option sets its part and leaves the rest as it is.
@Suite struct LimitWordsTests {
  private func set(_ run: ScriptedRun) -> RuleRequest? {
    run.node.edits.first { $0.child == "Emma" }?.request
  }

  /// Creates a script in which these limits are set: for each key after `limits/daily`, the
  /// minutes.
  private static func script(own: [String: String] = [:], family: [String: String] = [:]) throws -> ScriptedNode.Script
  {
    func rules(_ limits: [String: String]) throws -> [RuleListing] {
      try limits.sorted { $0.key < $1.key }.map { day, value in
        SampleValues.rule(try #require(RegisterKey("limits/daily" + (day.isEmpty ? "" : "/\(day)"))), value)
      }
    }
    var script = ScriptedNode.Script()
    script.rules.rules.removeAll { $0.key.text.hasPrefix("limits/") }
    script.rules.rules += try rules(own)
    script.rules.family += try rules(family)
    return script
  }

  /// The changes in the order in which they were sent, such as `=120 sat=180 mon-`: the weekday,
  /// and the value or a removal.
  private static func text(_ request: RuleRequest?) -> String? {
    request?.changes.map { change in
      let day = change.key.replacing("limits/daily", with: "").replacing("/", with: "")
      return day + (change.value.map { "=\($0)" } ?? "-")
    }.joined(separator: " ")
  }

  /// What is in force stays at the node: the terminal sends what a person changes, and nothing
  /// else.
  @Test(
    arguments: [
      ([:], ["--daily", "2h"], "=120"), ([:], ["--weekends", "3h"], "sat=180 sun=180"),
      ([:], ["--daily", "2h", "--weekends", "3h"], "=120 sat=180 sun=180"),
      (["": "120", "sat": "180", "sun": "180"], ["--daily", "1h"], "=60"),
      (["": "120", "sat": "180", "sun": "180"], ["--weekends", "4h"], "sat=240 sun=240"),
      (["": "120", "sat": "180"], ["--weekends", "none"], "sat=none sun=none"),
      (["mon": "30", "fri": "60", "sat": "60"], ["--daily", "2h"], "=120 mon- fri-"),
      (["": "120"], ["--daily", "mon-thu 1h, fri 1h30m"], "mon=60 tue=60 wed=60 thu=60 fri=90"),
      (["mon": "30"], ["--daily", "Wednesday none"], "wed=none"), (["": "120"], ["--daily", "2"], "=2"),
      (["": "120"], ["--daily", "none"], "=none"),
      (["": "120"], ["--daily", "mon-sun 1h"], "mon=60 tue=60 wed=60 thu=60 fri=60 sat=60 sun=60"),
    ] as [([String: String], [String], String)])
  func onlyWhatIsNamedIsChanged(before: [String: String], options: [String], changes: String) async throws {
    let run = await ScriptedRun(
      ["limit", "set", "--child", "Emma"] + options, node: ScriptedNode(try Self.script(own: before)))
    #expect(run.status == 0 && Self.text(set(run)) == changes, "\(run.node.calls)")
    // The family's limits are not made the child's.
    let family = await ScriptedRun(
      ["limit", "set", "--child", "Emma"] + options,
      node: ScriptedNode(try Self.script(own: before, family: ["": "90", "sat": "100", "tue": "80"])))
    #expect(Self.text(set(family)) == changes, "\(family.node.calls)")
  }

  @Test func aCategoryAndAWeekHaveLimitsOfTheirOwn() async {
    let run = await ScriptedRun(
      "limit", "set", "--child", "Emma", "--category", "rewards", "--daily", "45m", "--weekly", "4h")
    #expect(
      set(run) == RuleRequest([.init("category/reward/limit", "45"), .init("category/reward/weekly", "240")]))
    let family = await ScriptedRun("limit", "set", "--family", "--daily", "2h")
    #expect(family.node.edits.contains(.init(child: nil, request: RuleRequest([.init("limits/daily", "120")]))))
  }

  @Test(
    arguments: [
      (["": "120", "sat": "180", "sun": "180"], ["--weekends"], "sat- sun-"),
      (["": "120", "sat": "180", "fri": "90"], ["--daily"], "- fri-"), (["": "120", "sat": "180"], [], "- sat-"),
      (["": "120", "sun": "180"], ["--daily", "--weekends"], "- sun-"), (["": "120"], ["--daily"], "-"),
      (["sat": "180"], ["--weekends"], "sat-"),
    ] as [([String: String], [String], String)])
  func aPartIsRemovedAndTheRestStays(before: [String: String], options: [String], changes: String) async throws {
    let run = await ScriptedRun(
      ["limit", "remove", "--child", "Emma"] + options, node: ScriptedNode(try Self.script(own: before)))
    #expect(run.status == 0 && Self.text(set(run)) == changes, "\(run.node.calls)")
  }

  @Test(
    arguments: [
      ([:], [], "Emma has no rule “screen time a day”"), (["": "120"], ["--weekends"], "of their own"),
      (["": "120"], ["--weekly"], "Emma has no rule “screen time a week”"),
    ] as [([String: String], [String], String)])
  func whatIsNotSetIsNotRemoved(before: [String: String], options: [String], words: String) async throws {
    let run = await ScriptedRun(
      ["limit", "remove", "--child", "Emma"] + options, node: ScriptedNode(try Self.script(own: before)))
    #expect(run.status == 67 && set(run) == nil)
    #expect(run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test func aRemovalSaysWhatHoldsInstead() async throws {
    var script = try Self.script(family: ["": "120"])
    let nothing = await ScriptedRun("limit", "remove", "--child", "Emma", script: script)
    #expect(nothing.console.notes.joined().contains("That of the whole family holds: 2 h. --family changes it."))
    script.rules.rules.append(SampleValues.rule("limits/weekly", "600"))
    let week = await ScriptedRun("limit", "remove", "--child", "Emma", script: script)
    #expect(set(week) == RuleRequest([.init("limits/weekly", nil)]))
    #expect(week.console.notes.first == "Emma: no limit on screen time a week.", "\(week.console.notes)")
  }

  @Test func weekdaysWithTheSameLimitAreToldAtOnce() async throws {
    let node = ScriptedNode(try Self.script(own: ["fri": "30", "sat": "180", "sun": "180"], family: ["sat": "100"]))
    let set = await ScriptedRun(["limit", "set", "--child", "Emma", "--daily", "2h", "--weekends", "3h"], node: node)
    #expect(
      set.console.notes.prefix(3) == [
        "Emma: screen time a day 2 h.", "Emma: no separate limit for screen time on Fridays.",
        "Emma: screen time on Saturdays and Sundays 3 h.",
      ], "\(set.console.notes)")
    let removed = await ScriptedRun(["limit", "remove", "--child", "Emma", "--weekends"], node: node)
    #expect(
      removed.console.notes.prefix(2) == [
        "Emma: no separate limit for screen time on Saturdays. That of the whole family holds: 1 h 40 min.",
        "Emma: no separate limit for screen time on Sundays.",
      ], "\(removed.console.notes)")
  }

  @Test func aTextThatIsNoLimitIsRefused() {
    for text in ["", "mon", "mon-", "sun-mon 1h", "mon 1h, mon 2h", "mon 1h,", "1h, 2h", "mon25 1h", "month 1h -"] {
      #expect(throws: RuleFault.self, "\(text)") { try DayLimits.Change(given: text) }
    }
  }
}
