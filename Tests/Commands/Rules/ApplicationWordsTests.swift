import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the rules of applications, as people type and read them.
@Suite struct ApplicationWordsTests {
  private func set(_ run: ScriptedRun) -> RuleRequest? {
    run.node.edits.first { $0.child == "Emma" }?.request
  }

  private static func blocked(_ app: String, _ value: String? = "yes") -> RuleRequest {
    RuleRequest([.init("app/\(app)/blocked", value)])
  }

  /// The removal of the rules that Emma has for a game.
  private static let removed = RuleRequest(
    ["blocked", "category", "rate"].map { .init("app/org.gnome.Chess/\($0)", nil) })

  @Test func theTimeToSaveGoesBackToItsDefault() async {
    let run = await ScriptedRun("app", "set", "org.gnome.Chess", "--grace", "2m")
    #expect(run.node.edits.first?.request.changes == [.init("app/org.gnome.Chess/grace", "120")])
    var script = ScriptedNode.Script()
    script.rules.rules.append(SampleValues.rule("app/org.gnome.Chess/grace", "120"))
    let back = await ScriptedRun("app", "set", "org.gnome.Chess", "--grace", "default", script: script)
    #expect(back.node.edits.first?.request.changes == [.init("app/org.gnome.Chess/grace", nil)])
    let long = await ScriptedRun("app", "set", "org.gnome.Chess", "--grace", "10m")
    #expect(long.status == 64 && long.console.notes.joined().contains("at most 5 minutes"), "\(long.console.notes)")
  }

  @Test(arguments: ["Chess", "chess", "org.gnome.Chess", "ORG.GNOME.CHESS"])
  func anApplicationMayBeNamedByItsName(text: String) async {
    let run = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked")
    #expect(run.status == 0)
    #expect(set(run) == Self.blocked("org.gnome.Chess"))
    let removal = await ScriptedRun("app", "remove", text)
    #expect(set(removal) == Self.removed)
    let reset = RuleRequest([], app: text, isReset: true)
    #expect(removal.node.calls == [.ask(Endpoints.setRules, (nil, reset))])
  }

  @Test func aRuleIsSetAndWaitedForInTwoRequests() async {
    var script = ScriptedNode.Script()
    var (first, second) = (SampleValues.command, SampleValues.command)
    second.commandID = CommandID(milliseconds: SampleValues.now, random: [UInt8](repeating: 7, count: 10))
    second.target = SampleValues.status.deviceID
    (first.status, second.status) = (.queued, .queued)
    script.edits = [first, second]
    script.commandEnds = [.success(SampleValues.command), .success(SampleValues.command)]
    let run = await ScriptedRun("app", "set", "Chess", "--child", "Emma", "--blocked", "--wait", script: script)
    let request = RuleRequest([.init("blocked", "yes")], app: "Chess")
    let ids = [first, second].map(\.commandID.description).joined(separator: ",")
    #expect(run.status == 0, "\(run.console.notes)")
    #expect(
      run.node.calls == [.ask(Endpoints.setRules, ("Emma", request)), .ask(Endpoints.waitForCommands, ids)],
      "\(run.node.calls)")
  }

  @Test func aNewApplicationIsNamedByItsID() async {
    let run = await ScriptedRun("app", "set", "org.kde.kpat", "--blocked")
    #expect(set(run) == Self.blocked("org.kde.kpat"))
    let odd = await ScriptedRun("app", "set", "a/b%c", "--blocked")
    #expect(set(odd) == Self.blocked("a%2Fb%25c"))
  }

  @Test(arguments: [("org.gnome.Ches", "org.gnome.Chess?"), ("chss", "Chess?")])
  func aMisspeltApplicationIsAskedAbout(text: String, asked: String) async {
    let run = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked")
    #expect(run.status == 67 && set(run) == nil)
    let words = run.console.notes.joined()
    #expect(words.contains("Did you mean \(asked)") && words.contains("--new"), "\(words)")
    let new = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked", "--new")
    #expect(set(new) == Self.blocked(text))
  }

  @Test(
    arguments: [
      ("argument minecraft", "nano minecraft"), ("argument *craft.jar*", "nano craft.jar"),
      ("argument java*craft.jar", "nano craft.jar"), ("argument *SteamLaunch AppId=435400 *", nil),
      ("argument /opt/game/start.sh", nil), ("argument java -jar *craft.jar", nil), ("name minecraft", nil),
      ("path /a", nil),
    ] as [(String, String?)])
  func aPlainWordAsAPatternIsTold(matcher: String, example: String?) async {
    let run = await ScriptedRun("app", "set", "Chess", "--child", "Emma", "--matcher", matcher)
    #expect(run.status == 0 && set(run) != nil, "It is set nevertheless.")
    let warning = run.console.notes.first { $0.contains("among its arguments") }
    #expect(warning.map { $0.contains("such as `\(example ?? "nothing")`") } == example.map { _ in true })
  }

  @Test func whatAnApplicationStartsMayBeSetApart() async {
    let run = await ScriptedRun("app", "set", "Chess", "--child", "Emma", "--launches", "apart")
    #expect(set(run) == RuleRequest([.init("app/org.gnome.Chess/launches", "apart")]))
    #expect(await ScriptedRun("app", "set", "Chess", "--launches", "never").status == 64)
    let hours = await ScriptedRun("app", "set", "Chess", "--child", "Emma", "--hours", "Mon-Fri 15:00 – 18:00")
    #expect(set(hours) == RuleRequest([.init("app/org.gnome.Chess/hours", "mon-fri 15:00-18:00")]))
  }

  @Test func aNameWithASpaceNamesAnApplication() async {
    var script = ScriptedNode.Script()
    script.apps[0].displayName = "Chess game"
    let blocked = await ScriptedRun("app", "set", "chess game", "--blocked", script: script)
    #expect(set(blocked) == Self.blocked("org.gnome.Chess"))
    let removal = await ScriptedRun("app", "remove", "Chess game", script: script)
    #expect(set(removal) == Self.removed)
    let grant = await ScriptedRun("grant", "Emma", "30m", "--for", "Chess game", script: script)
    let chess = GrantRequest(minutes: 30, app: "Chess game")
    #expect(grant.node.calls.first == .ask(Endpoints.grantTime, ("Emma", chess)))
    #expect(grant.console.notes.first == "Emma: 30 min more today for Chess game.")
    let unknown = await ScriptedRun("app", "set", "two words", "--blocked", script: script)
    #expect(unknown.status == 67 && unknown.console.notes.joined().contains("A new one is named by its ID"))
    let nobody = await ScriptedRun("grant", "Emma", "30m", "--for", "nosuch.app", script: script)
    #expect(nobody.status == 67 && nobody.console.notes.joined().contains("No application “nosuch.app”"))
  }

  @Test func oneRuleIsSetForEachThingThatAPersonSays() async {
    let all = await ScriptedRun(
      "app", "set", "a.b", "--category", "reward", "--points-per-minute", "2", "--daily-limit", "1h", "--unblocked",
      "--always-allowed", "--disabled", "--when-over", "pause", "--name", "A", "--matcher", "path /a", "--matcher",
      "name b")
    let expected = [
      ("name", "A"), ("category", "reward"), ("rate", "2000"), ("blocked", "no"), ("allowed", "yes"), ("enabled", "no"),
      ("limit", "60"), ("step", "pause"),
      ("matchers", "path /a\nname b"),
    ]
    #expect(set(all) == RuleRequest(expected.map { .init("app/a.b/\($0)", $1) }))
    // What is left out stays: the category and the rate are rules of their own.
    let rate = await ScriptedRun("app", "set", "chess", "--points-per-minute", "3", "--no-always-allowed")
    #expect(
      set(rate)
        == RuleRequest([
          .init("app/org.gnome.Chess/rate", "3000"), .init("app/org.gnome.Chess/allowed", "no"),
        ]))
    var script = ScriptedNode.Script()
    script.rules.rules += ["limit", "matchers"].compactMap { RegisterKey("app/org.gnome.Chess/\($0)") }
      .map { SampleValues.rule($0, $0.text.hasSuffix("limit") ? "45" : "name chess") }
    let none = await ScriptedRun(
      "app", "set", "chess", "--daily-limit", "none", "--matcher", "none", script: script)
    #expect(
      set(none)
        == RuleRequest([
          .init("app/org.gnome.Chess/limit", "none"), .init("app/org.gnome.Chess/matchers", nil),
        ]))
    let category = await ScriptedRun("app", "set", "chess", "--category", "learning")
    #expect(set(category) == RuleRequest([.init("app/org.gnome.Chess/category", "learning")]))
    let pointless = await ScriptedRun("app", "set", "a.b", "--points-per-minute", "3")
    #expect(pointless.status == 64 && pointless.console.notes.joined().contains("--category learning"))
  }

  @Test func aRuleOfTheFamilyIsSetForAll() async {
    let run = await ScriptedRun("app", "set", "a.b", "--family", "--blocked")
    #expect(run.node.edits.contains(.init(child: nil, request: Self.blocked("a.b"))))
    let both = await ScriptedRun("app", "set", "a.b", "--family", "--child", "Emma", "--blocked")
    #expect(both.status == 64 && both.console.notes.joined().contains("--child or --family"))
    // The rules that the game has are Emma's.
    let removal = await ScriptedRun("app", "remove", "Chess", "--family")
    #expect(removal.status == 67 && removal.console.notes.joined().contains("--child"))
  }

  @Test func ofSeveralChildrenOneIsNamed() async {
    var script = ScriptedNode.Script()
    script.children.append(
      ChildListing(
        childID: SampleValues.child.childID, name: DeviceName(sanitising: "Tom"), machines: [], untold: []))
    for arguments in [["app", "set", "a.b", "--blocked"], ["app", "remove", "Chess"]] {
      let run = await ScriptedRun(arguments, node: ScriptedNode(script))
      let words = run.console.notes.joined()
      #expect(run.status == 67 && words.contains("Emma or Tom") && words.contains("--family"), "\(words)")
    }
    let listed = await ScriptedRun("apps", script: script)
    #expect(listed.console.output.contains("Tom") && listed.console.output.contains("Emma"))
  }

  @Test func aMachineIsNoPlaceForARule() async {
    for arguments in [
      ["app", "set", "Chess", "--on", "Emma's PC", "--blocked"], ["app", "remove", "Chess", "--on", "Emma's PC"],
      ["apps", "--on", "Emma's PC"],
    ] {
      let run = await ScriptedRun(arguments)
      #expect(run.status == 64 && run.node.calls.isEmpty)
      #expect(run.console.notes.joined().contains("hold on all machines of the child's"), "\(run.console.notes)")
    }
    let settings = await ScriptedRun("settings", "set", "--on", "Emma's PC", "--zone", "UTC")
    #expect(settings.status == 64 && settings.console.notes.joined().contains("the whole family's"))
  }

  @Test func aNameOfSeveralApplicationsIsAskedAbout() async {
    var script = ScriptedNode.Script()
    var second = SampleValues.listing
    second.appID = SampleValues.app("org.kde.knights")
    script.apps.append(second)
    let run = await ScriptedRun("app", "remove", "Chess", script: script)
    #expect(run.status == 67 && set(run) == nil)
    #expect(run.console.notes.joined().contains("org.gnome.Chess, org.kde.knights"))
  }

  @Test(arguments: [
    ("org.gnome.Ches", "Did you mean org.gnome.Chess?"), ("chss", "Did you mean Chess?"),
    ("nosuch", "`latchkey apps` lists"),
  ])
  func anApplicationWithoutRulesIsNotRemoved(text: String, words: String) async {
    let run = await ScriptedRun("app", "remove", text)
    #expect(run.status == 67 && set(run) == nil)
    #expect(run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test(arguments: [["*"], ["all"], ["ALL"], ["org.gnome.*"]]) func allApplicationsAreNoApplication(name: [String])
    async
  {
    let run = await ScriptedRun(["app", "set"] + name + ["--blocked"])
    #expect(run.status == 64 && run.node.calls.isEmpty)
    #expect(run.console.notes.joined().contains("is no application's name"))
  }

  @Test func aRuleNeedsSomethingToSet() async {
    let run = await ScriptedRun("app", "set", "org.gnome.Chess")
    #expect(run.status == 64 && run.node.calls.isEmpty)
    #expect(run.console.notes.joined().contains("--daily-limit"))
  }

  @Test func aRuleOfTheFamilyTakesNothingFromAChild() async {
    // Emma has a category and a rate of her own, and the family has neither.
    let category = await ScriptedRun("app", "set", "Chess", "--family", "--category", "learning")
    let plain = RuleRequest([.init("app/org.gnome.Chess/category", "learning")])
    #expect(category.node.edits.contains(.init(child: nil, request: plain)), "\(category.node.calls)")
    let rate = await ScriptedRun("app", "set", "Chess", "--family", "--points-per-minute", "3")
    #expect(
      rate.node.edits.contains(.init(child: nil, request: RuleRequest([.init("app/org.gnome.Chess/rate", "3000")]))))
  }

  @Test func aChildsRateLeavesTheCategoryAndTheCategoryTheRate() async {
    let rate = await ScriptedRun("app", "set", "Chess", "--points-per-minute", "3")
    #expect(set(rate) == RuleRequest([.init("app/org.gnome.Chess/rate", "3000")]))
    let category = await ScriptedRun("app", "set", "Chess", "--category", "learning")
    #expect(set(category) == RuleRequest([.init("app/org.gnome.Chess/category", "learning")]))
  }

  @Test func aLimitOfAnApplicationMayBeOfWeekdays() async {
    var script = ScriptedNode.Script()
    let sunday = SampleValues.rule("app/org.gnome.Chess/limit/sun", "30")
    script.rules.rules.append(sunday)
    let days = await ScriptedRun("app", "set", "chess", "--daily-limit", "fri-sat 1h", script: script)
    #expect(
      set(days)
        == RuleRequest([.init("app/org.gnome.Chess/limit/fri", "60"), .init("app/org.gnome.Chess/limit/sat", "60")]))
    let all = await ScriptedRun("app", "set", "chess", "--daily-limit", "1h", script: script)
    #expect(
      set(all) == RuleRequest([.init("app/org.gnome.Chess/limit", "60"), .init("app/org.gnome.Chess/limit/sun", nil)]))
  }
}
