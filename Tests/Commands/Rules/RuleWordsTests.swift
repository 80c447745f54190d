import Foundation
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the rules of a child and of the family, as people type and read them.
@Suite struct RuleWordsTests {
  private func set(_ run: ScriptedRun) -> RuleRequest? {
    run.node.edits.first { $0.child == "Emma" }?.request
  }

  private func setForAll(_ run: ScriptedRun) -> RuleRequest? {
    run.node.edits.first { $0.child == nil }?.request
  }

  @Test(
    arguments: [
      (["--points", "off"], "mode", "limits"), (["--rewards", "redeem-first"], "points/use", "redeemFirst"),
      (["--rewards", "pay-as-you-go"], "points/use", "payAsYouGo"),
      (["--learning-points-per-minute", "2"], "category/learning/rate", "2000"),
      (["--reward-points-per-minute", "0.5"], "category/reward/rate", "500"),
      (["--minutes-per-point", "3"], "points/minutesPerPoint", "3"),
      (["--redemption-days", "14"], "points/redemptionDays", "14"),
      (["--minimum-session", "5m"], "points/minimumSession", "5"),
      (["--daily-points-limit", "60"], "points/dailyCap", "60000"),
      (["--weekly-points-limit", "300"], "points/weeklyCap", "300000"),
      (["--unknown-programs", "block"], "unknownPrograms", "block"), (["--sessions", "close"], "sessions", "close"),
      (["--day-start", "4:00"], "family/dayStart", "4"),
      (["--zone", "europe/berlin"], "family/zone", "Europe/Berlin"),
      (["--daily-reward-limit", "1h"], "category/reward/limit", "60"),
    ] as [([String], String, String)])
  func aSettingIsSetAndGoesBackToItsDefault(options: [String], key: String, value: String) async throws {
    let run = await ScriptedRun(["settings", "set"] + options)
    #expect(run.status == 0 && setForAll(run) == RuleRequest([.init(key, value)]), "\(run.console.notes)")
    var script = ScriptedNode.Script()
    let place = try #require(RegisterKey(key))
    script.settings.rules.removeAll { $0.key == place }
    script.settings.rules.append(SampleValues.rule(place, value))
    let word = key.hasSuffix("limit") ? "none" : "default"
    let back = await ScriptedRun(["settings", "set", options[0], word], node: ScriptedNode(script))
    #expect(back.status == 0 && setForAll(back) == RuleRequest([.init(key, nil)]), "\(back.console.notes)")
  }

  @Test(
    "Each option of `settings set` has an example, which is set", arguments: SettingsSetSubcommand.rules.map(\.option))
  func aSettingHasAnExample(option: String) async throws {
    let key = try #require(SettingsSetSubcommand.rules.first { $0.option == option }).key
    let example = try #require(key.entry.example)
    let value = try key.entry.given(example)
    #expect(value != key.entry.usual, "an example that changes nothing")
    let run = await ScriptedRun("settings", "set", option, example)
    #expect(run.status == 0 && setForAll(run)?.changes.first == key.change(value), "\(run.console.notes)")
    #expect(SampleValue.of(option, in: ["latchkey", "settings", "set"]) != nil)
  }

  @Test func aChildsSettingOfNoLimitHoldsInsteadOfTheFamilys() async {
    let none = await ScriptedRun("settings", "set", "--child", "Emma", "--daily-reward-limit", "none")
    #expect(set(none) == RuleRequest([.init("category/reward/limit", "none")]))
  }

  @Test func aSettingMayBeAChilds() async {
    let run = await ScriptedRun("settings", "set", "--child", "Emma", "--points", "off", "--rewards", "redeem-first")
    #expect(set(run) == RuleRequest([.init("mode", "limits"), .init("points/use", "redeemFirst")]))
    #expect(
      run.console.notes.prefix(2) == [
        "Emma: points off, limits and times alone.", "Emma: rewards are paid with minutes redeemed before.",
      ], "\(run.console.notes)")
  }

  @Test func aDayMayHaveAnotherPlan() async {
    // The sample's present is a Saturday.
    for (arguments, key, value) in [
      (["bedtime", "set", "--today", "22:00-07:00"], "today/2026-11-21/bedtime", "22:00-07:00"),
      (["bedtime", "set", "--day", "tomorrow", "none"], "today/2026-11-22/bedtime", "none"),
      (["times", "--day", "2026-12-24", "--school", "none"], "today/2026-12-24/school", "none"),
      (["times", "--day", "2026-12-23..2027-01-06", "--school", "none"], "days/2026-12-23..2027-01-06/school", "none"),
      (["limit", "set", "--today", "1h"], "today/2026-11-21/limit", "60"),
      (["limit", "set", "--today", "none"], "today/2026-11-21/limit", "none"),
      (["limit", "set", "--day", "2026-12-24", "--daily", "4h"], "today/2026-12-24/limit", "240"),
      (["times", "--day", "today..2026-12-03", "--school", "none"], "days/2026-11-21..2026-12-03/school", "none"),
      (["limit", "set", "--carry-over", "1h"], "limits/carryOver", "60"),
      (["breaks", "set", "--after", "45m", "--for", "10m"], "limits/breaks", "45 10"),
      (["bedtime", "set", "20:00-07:00"], "schedule/bedtime", "20:00-07:00"),
      (["bedtime", "set", "Mon-Fri 20:00 – 07:00"], "schedule/bedtime", "mon-fri 20:00-07:00"),
    ] {
      let run = await ScriptedRun(arguments)
      #expect(set(run) == RuleRequest([.init(key, value)]), "\(run.node.calls)")
    }
    var script = ScriptedNode.Script()
    script.rules.rules.append(SampleValues.rule("today/2026-11-21/school", "none"))
    let plan = await ScriptedRun("times", "--today", "--school", "plan", script: script)
    #expect(set(plan) == RuleRequest([.init("today/2026-11-21/school", nil)]))
    script.rules.rules.append(SampleValues.rule("today/2026-11-21/limit", "60"))
    for arguments in [["--today", "plan"], ["--day", "2026-11-21", "--daily", "plan"]] {
      let limit = await ScriptedRun(["limit", "set"] + arguments, node: ScriptedNode(script))
      #expect(set(limit) == RuleRequest([.init("today/2026-11-21/limit", nil)]), "\(limit.console.notes)")
    }
    let absent = await ScriptedRun("bedtime", "remove", "--today")
    #expect(absent.status == 67 && absent.console.notes.joined().contains("“bedtime on 2026-11-21”"))
  }

  @Test func aLockOrABlockMayLeaveNoTimeToSave() async {
    let lock = await ScriptedRun("lock", "Emma", "--now")
    #expect(set(lock) == RuleRequest([.init("lock", "on now")]))
    let hour = await ScriptedRun("lock", "Emma", "--for", "1h", "--now")
    let until = set(hour)?.changes.first?.value ?? ""
    #expect(until.hasPrefix("until ") && until.hasSuffix("Z now"), "\(until)")
    let app = await ScriptedRun("app", "set", "org.gnome.Chess", "--blocked", "--now")
    #expect(app.node.edits.first?.request.changes.map(\.value) == ["now"])
    let group = await ScriptedRun("apps", "group", "set", "Blocks", "--blocked", "--now")
    #expect(group.node.edits.first?.request == RuleRequest([.init("blocked", "now")], group: "Blocks"))
  }

  @Test func aLockComesFirstAndItsAbsenceIsSaid() async throws {
    var script = ScriptedNode.Script()
    let index = try #require(script.rules.rules.firstIndex { $0.key == "lock" })
    for (lock, isLocked) in [("on", true), ("until 2026-11-22T00:30Z", true), ("until 2026-11-20T00:30Z", false)] {
      script.rules.rules[index] = SampleValues.rule("lock", lock)
      let rules = await ScriptedRun("rules", "Emma", script: script)
      #expect(rules.console.output.hasPrefix("Emma is locked") == isLocked, "\(rules.console.output)")
      let unlock = await ScriptedRun("unlock", "Emma", script: script)
      #expect(set(unlock) == RuleRequest([.init("lock", "off")]))
      #expect(unlock.console.notes.contains { $0.hasPrefix("Emma was not locked") } != isLocked, "\(lock)")
    }
  }

  @Test func aReceiptSaysWhatIsEasilyMissed() async throws {
    let night = await ScriptedRun("app", "set", "Chess", "--child", "Emma", "--hours", "18:00-15:00")
    #expect(
      night.console.notes.contains("18:00-15:00 goes over midnight: it ends at 15:00 on the next day."),
      "\(night.console.notes)")
    let bed = await ScriptedRun("bedtime", "set", "20:00-07:00")
    #expect(!bed.console.notes.joined().contains("midnight"))
    var script = ScriptedNode.Script()
    script.rules.rules.removeAll { $0.key.text.hasPrefix("limits/") }
    script.rules.family.removeAll { $0.key.text.hasPrefix("limits/") }
    let over = await ScriptedRun("limit", "set", "--child", "Emma", "--carry-over", "1h", script: script)
    #expect(
      over.console.notes.contains(
        "It has an effect once there is a limit a day: `latchkey limit set --child Emma --daily 2h` sets one."),
      "\(over.console.notes)")
    script.rules.rules.append(SampleValues.rule("limits/daily", "60"))
    let limited = await ScriptedRun("limit", "set", "--child", "Emma", "--carry-over", "1h", script: script)
    #expect(!limited.console.notes.joined().contains("no limit a day yet"))
    let none = await ScriptedRun("limit", "set", "--child", "Emma", "--carry-over", "0", script: script)
    #expect(none.console.notes.first == "Emma: no unused screen time goes over to the next day.")
  }

  @Test func timeIsTakenWithATypographicMinus() async {
    let run = await ScriptedRun("grant", "Emma", "−30m")
    #expect(run.node.calls.first == .ask(Endpoints.grantTime, ("Emma", GrantRequest(minutes: -30))))
  }

  @Test func aGroupIsListedWithWhatIsSet() async {
    var script = ScriptedNode.Script()
    script.rules.rules = [
      SampleValues.rule("group/Blocks/allowed", "no"), SampleValues.rule("group/Blocks/blocked", "no"),
      SampleValues.rule("group/Blocks/limit", "none"), SampleValues.rule("group/Blocks/limit/sat", "none"),
      SampleValues.rule("group/Blocks/hours", "15:00-18:00"), SampleValues.rule("group/Blocks/members", "chess\nkart"),
    ]
    script.rules.rules[5].words = "Chess, Kart"
    let list = await ScriptedRun("apps", "group", "list", "--child", "Emma", script: script).console.output
    #expect(list.contains("Chess, Kart; no limit on Saturdays; only 15:00-18:00"), "\(list)")
    #expect(!list.contains("always") && !list.contains("block") && !list.contains("a day"), "\(list)")
    let misspelt = await ScriptedRun("apps", "group", "remove", "Block", "--child", "Emma", script: script)
    #expect(misspelt.console.notes.joined().contains("has no group “Block”. Did you mean Blocks?"))
  }

  @Test func breaksAreShown() async {
    let none = await ScriptedRun("breaks")
    #expect(none.status == 0 && none.console.output.hasPrefix("No breaks are set for Emma."))
    #expect(none.console.output.contains("`latchkey breaks set"))
    var script = ScriptedNode.Script()
    script.rules.rules.append(SampleValues.rule("limits/breaks", "45 10"))
    let own = await ScriptedRun("breaks", "--child", "Emma", script: script)
    #expect(own.console.output == "Emma: a break of 10 min after 45 min of screen time.\n", "\(own.console.output)")
    var family = script.rules.rules.removeLast()
    family.isFamilys = true
    script.rules.family.append(family)
    let familys = await ScriptedRun("breaks", script: script)
    #expect(familys.console.output == "The family: a break of 10 min after 45 min of screen time.\n")
    #expect(await ScriptedRun("breaks", "--format", "json", script: script).console.output.contains("limits/breaks"))
  }

  @Test func whatIsNotRecognizedIsOneSentenceWithoutOtherChildrensApplications() async {
    var script = ScriptedNode.Script()
    script.rules.rules.append(SampleValues.rule("group/Blocks/members", "minetest\nopenttd"))
    func condition(_ name: String, _ app: String) -> ConditionListing {
      ConditionListing(
        deviceID: SampleValues.childID, deviceName: SampleValues.childName, isOwn: false,
        condition: MachineCondition(name, detail: app))
    }
    let shared = condition("rule-shared-matcher", "bens.game")
    script.conditions = [shared, condition("rule-unrecognized", "kart"), condition("rule-unrecognized", "openttd")]
    let one = await ScriptedRun("rules", "Emma", script: script)
    #expect(one.console.notes.last?.hasPrefix("Nothing on “Emma's PC” is recognized as “openttd”") == true)
    script.conditions.append(condition("rule-unrecognized", "org.gnome.Chess"))
    let several = await ScriptedRun("rules", "Emma", script: script)
    let words = several.console.notes.joined(separator: "\n")
    #expect(
      several.console.notes.last?.contains("as these, so their rules close nothing: Chess, openttd.") == true,
      "\(words)")
    #expect(!words.contains("kart") && !words.contains("bens.game"), "\(words)")
  }

  @Test func aLimitMayHoldWithinHours() async {
    for (text, changes) in [
      ("1h within 16:00-20:00", ["": "60 within 16:00-20:00"]),
      ("1h30m Within 9:00-12:00", ["": "90 within 09:00-12:00"]),
      ("sat 1h within 22:00-02:00, sun 2h", ["/sat": "60 within 22:00-02:00", "/sun": "120"]),
    ] {
      let wanted = changes.map { RuleRequest.Change("limit\($0.key)", $0.value) }.sorted { $0.key < $1.key }
      let group = await ScriptedRun("apps", "group", "set", "Blocks", "--daily-limit", text)
      #expect(group.node.edits.first?.request == RuleRequest(wanted, group: "Blocks"), "\(group.console.notes)")
      let app = await ScriptedRun("app", "set", "org.gnome.Chess", "--daily-limit", text)
      #expect(app.node.edits.first?.request.changes.map(\.value) == wanted.map(\.value), "\(app.console.notes)")
    }
    let told = await ScriptedRun("app", "set", "org.gnome.Chess", "--daily-limit", "1h within 16:00-20:00")
    #expect(told.console.notes.joined().contains("at most 1 h a day between 16:00 and 20:00"), "\(told.console.notes)")
    let outside = "Outside of these hours it is not limited: --hours closes it then."
    #expect(told.console.notes.contains(outside), "\(told.console.notes)")
    var script = ScriptedNode.Script()
    script.rules.rules.append(SampleValues.rule("app/org.gnome.Chess/hours", "16:00-20:00"))
    for limit in ["1h within 16:00-20:00", "1h"] {
      let closed = await ScriptedRun("app", "set", "org.gnome.Chess", "--daily-limit", limit, script: script)
      #expect(closed.status == 0 && !closed.console.notes.contains(outside), "\(closed.console.notes)")
    }
  }

  @Test func applicationsOfAGroupAreAddedAndTakenOut() async {
    for (words, edit) in [("add", RuleRequest.MemberEdit.add), ("drop", .remove), ("set", nil)] {
      let run = await ScriptedRun("apps", "group", words, "Blocks", "luanti,kart", "chess,")
      let members = ["luanti", "kart", "chess"]
      #expect(
        run.node.inputs(of: Endpoints.setRules).map(\.1)
          == [RuleRequest([], group: "Blocks", members: members, memberEdit: edit)], "\(run.console.notes)")
    }
    #expect(await ScriptedRun("apps", "group", "add", "Blocks", ",").status == 64)
  }

  @Test func grantsAreTakenBack() async {
    var script = ScriptedNode.Script()
    let keys: [RegisterKey] = [
      "today/2026-11-21/grant/01a2060f-f760-7000-96c8-2ec260e9103c",
      "today/2026-11-21/grant/01a2060f-f760-7000-96c8-2ec260e9103d",
    ]
    script.rules.rules += keys.map { SampleValues.rule($0, "30") }
    let run = await ScriptedRun("grant", "Emma", "none", script: script)
    #expect(set(run) == RuleRequest(keys.map { .init($0.text, nil) }))
    #expect(run.console.notes.first == "Emma: the time that was granted today is taken back.")
    let nothing = await ScriptedRun("grant", "Emma", "none")
    #expect(nothing.status == 67 && set(nothing) == nil)
  }

  @Test func timesAreOnTheFamilysClock() async {
    var script = ScriptedNode.Script()
    script.settings.settings.values["zone"] = .text("America/New_York")
    script.settings.rules[0].value = "America/New_York"
    let run = await ScriptedRun("explain", "Emma", "--app", "Chess", "--at", "19:30", script: script)
    let moment = try? Date.ISO8601FormatStyle().parse("2026-11-22T00:30:00Z")
    let instant = moment.map { Int64($0.timeIntervalSince1970) * 1_000 }
    #expect(run.node.calls.contains(.ask(Endpoints.getExplanation, ("Emma", "Chess", instant))), "\(run.node.calls)")
    let report = await ScriptedRun("report", "day", "--child", "Emma", "--from", "yesterday", script: script)
    #expect(
      report.node.inputs(of: Endpoints.getUseReport).contains { $0.2 == "2026-11-20" })
    let lock = Register(
      .child(SampleValues.child.childID), "lock", "until 2026-11-22T00:30Z", modified: SampleValues.blocked.modified)
    script.command.payload = CommandPayload(Edit([lock]))
    let commands = await ScriptedRun("commands", script: script)
    #expect(commands.console.output.contains("locked until 2026-11-21 19:30"), "\(commands.console.output)")
    let id = SampleValues.commandID.description
    #expect(!commands.console.output.contains(id.prefix(8)))
    #expect(await ScriptedRun("commands", "--verbose", script: script).console.output.contains(id))
  }

  @Test func theFamilysRulesAreListedBelow() async {
    let run = await ScriptedRun("rules", "Emma")
    #expect(run.console.output.contains("today: more, as asked") && run.console.output.contains("20 min for rewards"))
    #expect(run.console.output.contains("\nFor the whole family:\nRule"))
    #expect(
      run.console.notes.contains(
        "“school time”, set on Tom's laptop: not on Emma's PC, which is not paired with Tom's laptop or has not told of it yet. "
          + "Setting it here as well brings it there."), "\(run.console.notes)")
  }

  @Test(arguments: [DeviceRole.parent, .child]) func howToSetARuleIsSaidToAParent(role: DeviceRole) async {
    var script = ScriptedNode.Script()
    (script.rules.rules, script.rules.defaults, script.requests, script.status.role) = ([], [], [], role)
    let run = await ScriptedRun("rules", "Emma", script: script)
    #expect(run.console.output.hasPrefix("No rules are set for Emma yet"))
    #expect(run.console.output.contains("latchkey limit set") == (role == .parent))
  }

  @Test func withoutAChildTheFamilysRulesAreShown() async {
    var script = ScriptedNode.Script()
    script.rulesError = LocalAPIError(.unknownChild, "No child is known here yet.")
    let run = await ScriptedRun("rules", script: script)
    #expect(run.status == 0 && run.console.output.contains("For the whole family:"), "\(run.console.everything)")
    #expect(await ScriptedRun("rules", "Emma", script: script).status == 67)
  }

  @Test func machinesOfAnotherParentAreNotForgotten() async {
    var script = ScriptedNode.Script()
    script.rules.child.elsewhere = 1
    script.children[0].elsewhere = 2
    for arguments in [["rules"], ["bedtime", "set", "20:00-07:00"], ["lock", "Emma", "--wait"]] {
      let run = await ScriptedRun(arguments, node: ScriptedNode(script))
      #expect(run.console.notes.joined().contains("Emma has one more machine, which is not paired"), "\(arguments)")
    }
    for arguments in [["children"], ["apps"]] {
      let run = await ScriptedRun(arguments, node: ScriptedNode(script))
      #expect(run.console.notes.joined().contains("Emma has 2 more machines"), "\(arguments)")
    }
  }

  @Test func severalMachinesAreOneSentence() {
    var (first, second, third) = (SampleValues.peer, SampleValues.peer, SampleValues.peer)
    second.device.deviceID = SampleValues.status.deviceID
    second.device.name = DeviceName(sanitising: "Emma's laptop")
    #expect(
      CommandIssue.delivery(to: [first, second, first].map(EditedMachine.init), isWaiting: false) == [
        "Emma's PC and Emma's laptop are connected and get this now."
      ])
    third = second
    (third.isConnected, third.device.lastSeenAt) = (false, nil)
    first.isConnected = true
    #expect(
      CommandIssue.delivery(to: [first, third].map(EditedMachine.init), isWaiting: false) == [
        "Emma's PC is connected and gets this now.",
        "Emma's laptop is off. It gets this when it is back. `latchkey commands` tells how far it is.",
      ])
    #expect(CommandIssue.delivery(to: [], isWaiting: true).isEmpty)
  }
}
