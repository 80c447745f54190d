import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite struct TimesPageTests {
  private static let bedtime = FamilySample.rule("schedule/bedtime", "mon-fri 20:00-07:00, sat-sun 21:00-08:00")

  private static func node(
    _ family: FamilySample, refusing refusals: [String: LocalAPIError] = [:]
  ) -> AnsweringNode {
    AnsweringNode(
      [
        Endpoints.getToday.route.operationID: family.day, Endpoints.getRules.route.operationID: family.childRules,
        Endpoints.getStatus.route.operationID: family.status,
        Endpoints.setRules.route.operationID: RuleEdit(rules: family.childRules, commands: []),
      ], refusing: refusals)
  }

  private static func send(
    _ node: AnsweringNode, _ family: FamilySample, _ rule: PlanRule, _ values: [String: String],
    version: String? = nil, path: String = "/children/times"
  ) async throws -> FormOutcome {
    let form = try #require(PageTable.form(at: path, for: .parent))
    let fields = [
      "child": family.childID.description, "rule": rule.rawValue, "version": version ?? family.plan.version(of: rule),
    ].merging(values) { $1 }
    return try await form.act(FormCall(node: node, fields: FamilySample.fields(fields), now: FamilySample.now))
  }

  private static func page(_ outcome: FormOutcome) throws -> (status: Int, text: String) {
    let shown = try #require(outcome.shown)
    let text = FamilySample.render(shown.template, shown.data)
    FamilySample.check(text)
    return (shown.status, text)
  }

  @Test func theWeekIsDrawnAndWrittenAndEachRuleHasAForm() throws {
    var family = FamilySample()
    family.rules = [
      Self.bedtime, FamilySample.rule("limits/daily", "120"), FamilySample.rule("limits/daily/sat", "180"),
      FamilySample.rule("limits/breaks", "45 10"), FamilySample.rule("today/2026-11-29/limit", "30"),
      FamilySample.rule("days/2026-12-23..2027-01-06/school", "none"),
      FamilySample.rule("days/2026-12-23..2027-01-06/name", FamilySample.hostile),
      FamilySample.rule("app/kart/hours", "15:00-18:00"),
    ]
    family.family = [FamilySample.rule("schedule/school", "mon-fri 08:00-13:00", isFamilys: true)]
    let page = FamilySample.render(TimesPage.template, TimesPage.data(family.plan, now: FamilySample.now))
    FamilySample.check(page)
    for part in [
      "20:00-07:00", "08:00-13:00", "a break of 10 min after 45 min", "Sun 29 Nov", "Wed 23 Dec – Wed 6 Jan", "3 h",
      "class=\"night\"", "kart: hours", "/children/days/remove", "&lt;b&gt;",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    for rule in PlanRule.allCases { #expect(page.contains("value=\"\(rule.rawValue)\"")) }
    #expect(page.contains("Hours of applications") && page.contains("<td>kart: hours 15:00-18:00</td>"), "\(page)")
    #expect(page.contains("viewBox=\"0 0 660 300\"") && page.matches(of: /rect class="hours" x=/).count == 7)
    // The night from Sunday to Monday is drawn on both.
    let drawn = PlanChart.data(family.plan.plan)["bars"] as? [PageData] ?? []
    let bars = drawn.filter { $0["kind"] as? String == "night" }
    #expect(bars.count == 14)
    let all = bars.compactMap { $0["width"] as? Int }.reduce(0, +)
    #expect(all == 7 * 11 * 25)
  }

  @Test func nothingIsSetForAnEmptyPlan() throws {
    let page = FamilySample.render(TimesPage.template, TimesPage.data(FamilySample().plan, now: FamilySample.now))
    FamilySample.check(page)
    #expect(page.contains("No day differs from the plan.") && page.contains("Now: not set"))
    let accented = FamilySample.render(
      TimesPage.template, TimesPage.data(FamilySample().plan, now: FamilySample.now), in: .pseudo)
    for word in ["Bedtime", "Single days", "Only today", "Look at the change", "not set"] {
      #expect(!accented.contains(word), "\(word)")
    }
  }

  @Test func aChangeIsSaidInWordsBeforeItIsSaved() async throws {
    var family = FamilySample()
    (family.rules, family.isConnected) = ([Self.bedtime], false)
    let node = Self.node(family)
    let (status, text) = try Self.page(try await Self.send(node, family, .bedtime, ["value": "19:30 - 7:00"]))
    #expect(status == 200 && node.edits.withLock { $0.isEmpty })
    for part in [
      "Emma: bedtime – 19:30-07:00.", "Until now: mon-fri 20:00-07:00, sat-sun 21:00-08:00.", "It begins next: 19:30.",
      "Emma&#39;s PC is off, and is told when it is back.", "name=\"confirm\" value=\"yes\"", "Nothing is saved yet.",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    let saved = try await Self.send(node, family, .bedtime, ["value": "19:30-7:00", "confirm": "yes"])
    #expect(saved.shown == nil && saved.page.hasSuffix("/times"))
    let seen = RuleRequest.Change("schedule/bedtime", "mon-fri 20:00-07:00, sat-sun 21:00-08:00")
    #expect(node.edits.withLock { $0 } == [RuleRequest([.init("schedule/bedtime", "19:30-07:00")], seen: [seen])])
  }

  @Test func todayAloneAndDaysWithANameStandBesideAlways() async throws {
    var family = FamilySample()
    family.rules = [Self.bedtime]
    func changes(_ rule: PlanRule, _ values: [String: String]) throws -> [RuleRequest.Change] {
      try PlanEdit(rule, FamilySample.fields(values), family.plan).changes
    }
    #expect(
      try changes(.bedtime, ["value": "22:00-8:00", "when": "today"]) == [
        .init("today/2026-11-29/bedtime", "22:00-08:00")
      ])
    let christmas = try changes(
      .daily, ["value": "4h", "when": "days", "first": "2026-12-23", "last": "2027-01-06", "name": "Christmas"])
    #expect(christmas.map(\.key) == ["limit", "name"].map { "days/2026-12-23..2027-01-06/\($0)" })
    #expect(christmas.map(\.value) == ["240", "Christmas"])
    #expect(
      try changes(.school, ["when": "days", "first": "2026-12-24"]) == [.init("today/2026-12-24/school", "none")])
    let (_, text) = try Self.page(
      try await Self.send(Self.node(family), family, .bedtime, ["value": "22:00-8:00", "when": "today"]))
    #expect(text.contains("It holds today alone, from now on.") && text.contains("On other days, this goes on:"))
  }

  @Test func theWholeWeekOfALimitIsWhatTheFieldSays() throws {
    var family = FamilySample()
    func changes(_ value: String) throws -> [RuleRequest.Change] {
      try PlanEdit(.daily, FamilySample.fields(["value": value]), family.plan).changes
    }
    #expect(try changes("2h") == [.init("limits/daily", "120")])
    #expect(try changes("sat-sun 3h") == [.init("limits/daily/sat", "180"), .init("limits/daily/sun", "180")])
    family.rules = [FamilySample.rule("limits/daily", "120"), FamilySample.rule("limits/daily/sat", "180")]
    #expect(family.plan.typed(.daily).value == "mon-fri 120, sat 180, sun 120")
    #expect(try changes("mon-fri 2h, sun 2h") == [.init("limits/daily/sat", "none")])
    #expect(try changes("2h") == [.init("limits/daily/sat", nil)])
    #expect(try changes("none") == [.init("limits/daily", nil), .init("limits/daily/sat", nil)])
    #expect(throws: PlanEdit.Fault.self) { try changes("mon-fri 120, sat 180, sun 120") }
    func other(_ rule: PlanRule, _ values: [String: String]) throws -> [RuleRequest.Change] {
      try PlanEdit(rule, FamilySample.fields(values), family.plan).changes
    }
    #expect(try other(.breaks, ["value": "45min", "length": "10"]) == [.init("limits/breaks", "45 10")])
    #expect(try other(.weekly, ["value": "10h"]) == [.init("limits/weekly", "600")])
    #expect(try other(.carryOver, ["value": "1h30m"]) == [.init("limits/carryOver", "90")])
  }

  @Test(arguments: [
    (PlanRule.bedtime, ["value": "late"], "value"), (.bedtime, ["value": "0:00-24:00"], "value"),
    (.bedtime, ["value": "mon 20:00-7:00", "when": "today"], "value"),
    (.daily, ["value": "25h"], "value"), (.breaks, ["value": "45min"], "value"), (.weekly, ["value": "200h"], "value"),
    (.school, ["value": "8:00-13:00", "when": "days"], "first"),
    (.school, ["value": "8:00-13:00", "when": "days", "first": "2026-11-01"], "last"),
    (.school, ["value": "8:00-13:00", "when": "days", "first": "2026-12-24", "last": "2026-12-01"], "last"),
    (.school, ["value": "8:00-13:00", "when": "always", "first": "2026-12-24"], "first"),
    (.school, ["value": "8:00-13:00", "name": "Christmas"], "name"),
    (.school, ["value": "8:00-13:00", "when": "today", "last": "2026-12-24"], "last"),
    (.school, ["value": "8:00-13:00", "when": "today", "name": "\u{202E}"], "name"), (.reward, [:], "value"),
  ])
  func whatCannotBeReadIsSaidBesideItsFieldAndStaysThere(
    _ rule: PlanRule, _ values: [String: String], _ field: String
  ) async throws {
    let family = FamilySample()
    let node = Self.node(family)
    do throws(PlanEdit.Fault) {
      _ = try PlanEdit(rule, FamilySample.fields(values), family.plan)
      Issue.record("It was read.")
    } catch { #expect(error.field == field, "\(error)") }
    let (status, text) = try Self.page(try await Self.send(node, family, rule, values))
    #expect(status == 400 && text.contains("id=\"fault-\(rule.rawValue)\"") && node.edits.withLock { $0.isEmpty })
    for value in values.values where value.utf8.allSatisfy({ $0 < 0x80 }) {
      #expect(text.contains("value=\"\(value)\""), "\(value)")
    }
    if values.count > 0 { #expect(text.contains("aria-invalid=\"true\"")) }
  }

  @Test func theSecondOfTwoTabsIsToldWhatChangedAndNothingIsSaved() async throws {
    var family = FamilySample()
    family.rules = [Self.bedtime]
    let shown = family.plan.version(of: .bedtime)
    family.rules = [FamilySample.rule("schedule/bedtime", "21:00-06:00", setAt: FamilySample.now - 60_000)]
    let node = Self.node(family)
    for confirm in [[:], ["confirm": "yes"]] {
      let values = ["value": "19:30-7:00"].merging(confirm) { $1 }
      let (status, text) = try Self.page(try await Self.send(node, family, .bedtime, values, version: shown))
      #expect(status == 409 && text.contains("Nothing was saved") && text.contains("bedtime 21:00-06:00"), "\(text)")
      #expect(text.contains("value=\"19:30-7:00\"") && text.contains(family.plan.version(of: .bedtime)))
    }
    // A rule of a single day counts as well, and another rule does not.
    #expect(node.edits.withLock { $0.isEmpty })
    var other = family
    other.rules.append(FamilySample.rule("today/2026-11-29/bedtime", "none"))
    #expect(other.plan.version(of: .bedtime) != family.plan.version(of: .bedtime))
    #expect(other.plan.version(of: .school) == family.plan.version(of: .school))
    family.rules = []
    let removed = try Self.page(
      try await Self.send(Self.node(family), family, .bedtime, ["value": "20:00-7:00"], version: shown))
    #expect(removed.status == 409 && removed.text.contains("is not set any more"))
  }

  @Test func theNodeComparesEachKeyThatAFormCanChangeAlsoThoseThatAreNotSet() throws {
    var family = FamilySample()
    let daily = ["limits/daily"] + ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map { "limits/daily/\($0)" }
    func seen(_ value: String) throws -> [RuleRequest.Change] {
      let edit = try PlanEdit(.daily, FamilySample.fields(["value": value]), family.plan)
      return family.plan.seen(.daily, edit.changes)
    }
    // Two tabs see no limit: one sets Monday, the other Tuesday, and each compares what the other
    // sets.
    for value in ["mon 1h", "tue 1h30m", "2h"] {
      let seen = try seen(value)
      #expect(Set(seen.map(\.key)) == Set(daily) && seen.count == 8 && seen.allSatisfy { $0.value == nil }, "\(value)")
    }
    // Many single days do not keep what the form itself can change from being compared.
    family.rules = [FamilySample.rule("limits/daily", "60")]
    for day in 0..<RuleRequest.mostSeen {
      let key = DayRule.limit.key(on: DayRange(family.plan.today.advanced(byDays: day)))
      family.rules.append(FamilySample.rule(try #require(RegisterKey(key.text)), "30"))
    }
    let many = try seen("2h")
    #expect(many.count == RuleRequest.mostSeen && Set(many.prefix(8).map(\.key)) == Set(daily))
    #expect(many[0] == .init("limits/daily", "60"))
    #expect(family.plan.seen(.school, []) == [.init("schedule/school", nil)])
  }

  @Test func aTabThatWasFasterAfterTheLastLookIsToldOfByTheNode() async throws {
    var family = FamilySample()
    family.rules = [Self.bedtime]
    let refusal = [Endpoints.setRules.route.operationID: LocalAPIError(.tooLate, "It was changed.")]
    let node = Self.node(family, refusing: refusal)
    let values = ["value": "19:30-7:00", "confirm": "yes"]
    let (status, text) = try Self.page(try await Self.send(node, family, .bedtime, values))
    #expect(status == 409 && text.contains("Nothing was saved") && text.contains("value=\"19:30-7:00\""), "\(text)")
    let seen = node.edits.withLock { $0.first?.seen }
    #expect(seen == [.init("schedule/bedtime", "mon-fri 20:00-07:00, sat-sun 21:00-08:00")])
    let days = FamilySample.rule("days/2026-12-23..2027-01-06/school", "none")
    family.rules = [days]
    await #expect(throws: PageFault.self) { () async throws -> Void in
      _ = try await Self.send(
        Self.node(family, refusing: refusal), family, .school, ["key": days.key.text, "confirm": "yes"],
        version: ChildPlan.version(of: [days]), path: "/children/days/remove")
    }
  }

  @Test func daysAreRemovedWithTheirNameAfterAQuestion() async throws {
    var family = FamilySample()
    let days = FamilySample.rule("days/2026-12-23..2027-01-06/school", "none")
    family.rules = [days, FamilySample.rule("days/2026-12-23..2027-01-06/name", "Christmas")]
    let node = Self.node(family)
    let values = ["key": days.key.text]
    let version = ChildPlan.version(of: [days])
    let path = "/children/days/remove"
    let (status, text) = try Self.page(
      try await Self.send(node, family, .school, values, version: version, path: path))
    #expect(status == 200 && text.contains("On Wed 23 Dec – Wed 6 Jan, the plan holds again."))
    _ = try await Self.send(
      node, family, .school, values.merging(["confirm": "yes"]) { $1 }, version: version, path: path)
    let edits = node.edits.withLock { $0 }
    let name = "days/2026-12-23..2027-01-06/name"
    #expect(
      edits == [
        RuleRequest(
          [.init(days.key.text, nil), .init(name, nil)],
          seen: [.init(days.key.text, "none"), .init(name, "Christmas")])
      ])
    await #expect(throws: PageFault.self) { () async throws -> Void in
      _ = try await Self.send(node, family, .school, values, version: "other", path: path)
    }
  }

  @Test func aTimeThatGoesOnHoldsAtOnce() throws {
    let family = FamilySample()
    let edit = try PlanEdit(.school, FamilySample.fields(["value": "sun 11:00-13:00"]), family.plan)
    let clock = PageClock(zone: "Europe/Berlin", now: FamilySample.now)
    let words = PlanWords.sentences(of: edit, family.plan, clock).map { $0.worded() }
    #expect(words.contains("It is that time now, so it holds at once, until 13:00."), "\(words)")
    #expect(words.contains("Emma's PC is told at once."), "\(words)")
  }
}
