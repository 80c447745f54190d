import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite struct ApplicationsPageTests {
  private static let family = FamilySample()

  private static func app(_ text: String) throws -> AppID { try #require(AppID(text)) }

  private static func installed(_ names: [String: String]) throws -> InstalledListing {
    InstalledListing(
      deviceID: Sample.device, deviceName: DeviceName(sanitising: "Emma's PC"), children: [family.childID], toldAt: 1,
      apps: try names.sorted { $0.key < $1.key }.map { id, name in
        InstalledListing.App(appID: try app(id), displayName: name, version: "1", suggestion: nil, settings: [])
      })
  }

  private static func report(_ used: [String: Int64], name: String? = nil) throws -> UseReport {
    let rows = try used.map { id, milliseconds in
      UseReport.Row(
        appID: try app(id), displayName: name ?? id, category: .neutral, milliseconds: milliseconds,
        earnedMilliPoints: 0, sessions: 1)
    }
    return UseReport(
      childID: family.childID, name: family.child.name, period: "month", from: "2026-11-02", to: "2026-11-29",
      periods: [UseReport.Period(start: "2026-11-01", milliseconds: 0, categories: [], rows: rows)])
  }

  private static func refused(
    _ id: String, matcher: String? = nil, name: String = "Game", isReplaceable: Bool = false
  ) throws -> RefusedListing {
    RefusedListing(
      deviceID: Sample.device, deviceName: DeviceName(sanitising: "Emma's PC"), childID: family.childID,
      childName: family.child.name, appID: try app(id), isNew: true, isRefusedNow: true, displayName: name,
      matcher: matcher, file: isReplaceable ? "/home/emma/\(name)" : nil, isReplaceable: isReplaceable,
      refusedAt: FamilySample.now - 3_600_000)
  }

  private static func known(
    _ ruled: [AppListing] = [], refused: [RefusedListing] = [], name: String = "Writer"
  ) throws -> KnownApplications {
    KnownApplications(
      family.day, ruled, [try installed(["writer": name, "chess": "Chess", "kart": "Kart"])],
      try report(["chess": 7_200_000, "kart": 600_000, "gone": 60_000, "latchkey.other": 9_000_000]), refused)
  }

  private static func chess(_ id: String = "chess") throws -> AppListing {
    AppListing(
      appID: try app(id), displayName: "Chess", category: .learning, milliPointsPerMinute: 2_000, limit: "mon-fri 60",
      rules: [FamilySample.rule("app/chess/limit/sat", "30")])
  }

  @Test func whatHasNoCategoryComesFirstAndThenWhatWasUsedTheMost() throws {
    let known = try Self.known([try Self.chess()])
    // What is not installed any more was used all the same.
    #expect(known.apps.map(\.id.text) == ["kart", "gone", "writer", "chess"])
    let page = FamilySample.render(
      ApplicationsPage.template,
      ApplicationsPage.data(known, ApplicationFilter(FamilySample.fields([:])), now: FamilySample.now))
    FamilySample.check(page)
    for part in ["Applications of Emma", "none yet", "Learning", "2 h", "Mon–Fri 1 h", "Emma&#39;s PC"] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test func theGroupsOfAnApplicationAreShownWithHoursAndLimits() throws {
    var chess = try Self.chess()
    chess.hours = "sat-sun 9:00-19:00"
    chess.groups = [GroupListing(name: try Self.app("Blocks"), limit: "60", hours: "15:00-18:00")]
    let kart = AppListing(
      appID: try Self.app("kart"), displayName: "Kart",
      groups: [GroupListing(name: try Self.app("Races"), limit: "30", hours: nil)])
    let known = try Self.known([chess, kart])
    let page = FamilySample.render(
      ApplicationsPage.template,
      ApplicationsPage.data(known, ApplicationFilter(FamilySample.fields([:])), now: FamilySample.now))
    FamilySample.check(page)
    for part in [
      "in Blocks", "15:00-18:00 with Blocks", "9:00-19:00", "1 h with Blocks", "in Races", "30 min with Races",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    let limited = ApplicationFilter(FamilySample.fields(["show": "limited"]))
    #expect(known.apps.filter(limited.fits).map(\.id.text) == ["kart", "chess"])
  }

  @Test func aPartOfANameAndAKindFilter() throws {
    let known = try Self.known([try Self.chess()])
    func shown(_ query: [String: String]) -> [String] {
      known.apps.filter(ApplicationFilter(FamilySample.fields(query)).fits).map(\.id.text)
    }
    #expect(shown(["q": "CHE"]) == ["chess"] && shown(["show": "uncategorised"]) == ["kart", "gone", "writer"])
    #expect(shown(["show": "learning", "q": "kart"]).isEmpty && shown(["show": "nonsense"]).count == 4)
  }

  @Test func anEmptyListAndHostileNamesAreShown() throws {
    let empty = KnownApplications(Self.family.day, [], [], try Self.report([:]), [])
    let filter = ApplicationFilter(FamilySample.fields(["q": FamilySample.hostile]))
    let page = FamilySample.render(
      ApplicationsPage.template, ApplicationsPage.data(empty, filter, now: FamilySample.now))
    FamilySample.check(page)
    #expect(page.contains("No application fits."))
    let hostile = try Self.known(
      refused: [
        try Self.refused("game", matcher: "sha256 \(FamilySample.hostile)", name: FamilySample.hostile),
        try Self.refused("other", name: FamilySample.hostile, isReplaceable: true),
      ], name: FamilySample.hostile)
    let text = FamilySample.render(
      ApplicationsPage.template,
      ApplicationsPage.data(hostile, ApplicationFilter(FamilySample.fields([:])), now: FamilySample.now))
    FamilySample.check(text)
    #expect(text.contains("<code>latchkey apps refused</code>") && text.contains("/children/allow"))
  }

  @Test func twentyApplicationsAreOneRequest() async throws {
    let names = Dictionary(uniqueKeysWithValues: (10..<30).map { ("app\($0)", "Application \($0)") })
    let node = AnsweringNode([
      Endpoints.getToday.route.operationID: Self.family.day,
      Endpoints.getApps.route.operationID: [ChildApps](),
      Endpoints.getInstalled.route.operationID: [try Self.installed(names)],
      Endpoints.getRefused.route.operationID: [RefusedListing](),
      Endpoints.getUseReport.route.operationID: try Self.report([:]),
      Endpoints.setRules.route.operationID: RuleEdit(rules: Self.family.childRules, commands: []),
    ])
    let form = try #require(PageTable.form(at: "/children/applications", for: .parent))
    var fields = ["child": Self.family.childID.description, "category": "reward", "use": "unblock"]
    for id in names.keys { fields["app:\(id)"] = KnownApplications.App.version(of: []) }
    let outcome = try await form.act(
      FormCall(node: node, fields: FamilySample.fields(fields), now: FamilySample.now))
    #expect(outcome.shown == nil && outcome.sentences.map { $0.worded() } == ["20 applications were changed."])
    let edits = node.edits.withLock { $0 }
    #expect(edits.count == 1 && edits.first?.changes.count == 40)
    #expect(edits.first?.changes.contains(.init("app/app10/category", "reward")) == true)
    // What another tab can set for the same fields is compared, although nothing is set.
    let seen = edits.first?.seen ?? []
    #expect(seen.count == 60 && seen.contains(.init("app/app10/allowed", nil)))
    // A field that cannot be read changes nothing, and what was ticked stays.
    fields["limit"] = "25h"
    let wrong = try await form.act(
      FormCall(node: node, fields: FamilySample.fields(fields), now: FamilySample.now))
    let page = try #require(wrong.shown)
    let text = FamilySample.render(page.template, page.data)
    FamilySample.check(text)
    #expect(page.status == 400 && text.contains("0 to 24 hours") && text.contains("value=\"25h\""))
    #expect(text.matches(of: /\schecked>/).count == 20 && node.edits.withLock { $0.count } == 1)
  }

  @Test func changesOfManyApplicationsKeepToTheMostOfARequest() throws {
    let apps = try (0..<40).map { KnownApplications.App(id: try Self.app("app\($0)"), name: "A") }
    var fields = ["category": "learning", "rate": "2.5", "limit": "sat-sun 1h within 16:00-20:00"]
    for app in apps { fields["app:\(app.id)"] = "on" }
    let edits = try ApplicationForms.changes(FamilySample.fields(fields), apps)
    #expect(edits.count == 40 && edits.allSatisfy { $0.changes.count == 4 && $0.seen.count == 10 })
    let batches = ApplicationForms.batches(edits)
    #expect(batches.map(\.count) == [16, 16, 8])
    #expect(batches[0][0].changes.contains(.init("app/app0/rate", "2500")))
    #expect(batches[0][0].changes.contains(.init("app/app0/limit/sat", "60 within 16:00-20:00")))
    #expect(batches.allSatisfy { $0.map(\.seen.count).reduce(0, +) <= RuleRequest.mostSeen })
  }

  @Test func theSecondOfTwoTabsIsToldThatRulesOfAnApplicationChanged() async throws {
    var chess = try Self.chess()
    let version = KnownApplications.App.version(of: chess.rules)
    let fields = [
      "child": Self.family.childID.description, "app:chess": version, "limit": "2h",
      "app:kart": KnownApplications.App.version(of: []),
    ]
    func send(_ chess: AppListing, refusing refusal: LocalAPIError? = nil) async throws
      -> (outcome: FormOutcome, edits: [RuleRequest])
    {
      let node = AnsweringNode(
        [
          Endpoints.getToday.route.operationID: Self.family.day,
          Endpoints.getApps.route.operationID: [
            ChildApps(child: Self.family.child, apps: [chess])
          ],
          Endpoints.getInstalled.route.operationID: [try Self.installed(["chess": "Chess", "kart": "Kart"])],
          Endpoints.getRefused.route.operationID: [RefusedListing](),
          Endpoints.getUseReport.route.operationID: try Self.report([:]),
          Endpoints.setRules.route.operationID: RuleEdit(rules: Self.family.childRules, commands: []),
        ], refusing: refusal.map { [Endpoints.setRules.route.operationID: $0] } ?? [:])
      let form = try #require(PageTable.form(at: "/children/applications", for: .parent))
      let outcome = try await form.act(
        FormCall(node: node, fields: FamilySample.fields(fields), now: FamilySample.now))
      return (outcome, node.edits.withLock { $0 })
    }
    let saved = try await send(chess)
    #expect(saved.outcome.shown == nil && saved.edits.count == 1)
    let seen = saved.edits.first?.seen ?? []
    #expect(seen.count == 16 && seen.contains(.init("app/chess/limit/sat", "30")))
    #expect(seen.contains(.init("app/chess/limit/mon", nil)) && seen.contains(.init("app/kart/limit", nil)))
    // Another tab was faster after the last look, or before it.
    let late = try await send(chess, refusing: LocalAPIError(.tooLate, "It was changed."))
    #expect(late.outcome.shown?.status == 409 && late.edits.count == 1)
    chess.rules = [FamilySample.rule("app/chess/limit/sat", "45")]
    let changed = try await send(chess)
    let shown = try #require(changed.outcome.shown)
    let text = FamilySample.render(shown.template, shown.data)
    FamilySample.check(text)
    #expect(shown.status == 409 && changed.edits.isEmpty && text.contains("the rules of Chess were changed meanwhile"))
    // What was ticked and entered stays, with what is set now.
    let now = KnownApplications.App.version(of: chess.rules)
    #expect(text.contains("value=\"\(now)\" checked") && text.contains("value=\"2h\""))
  }

  @Test(arguments: [
    [:], ["app:chess": "on"], ["app:unknown": "on", "use": "block"], ["app:chess": "on", "category": "games"],
    ["app:chess": "on", "use": "perhaps"], ["app:chess": "on", "rate": "-1"], ["app:chess": "on", "limit": "soon"],
  ])
  func aFormThatChangesNothingOrCannotBeReadIsRefused(_ fields: [String: String]) throws {
    let apps = try Self.known().apps
    #expect(throws: ApplicationForms.Fault.self) { try ApplicationForms.changes(FamilySample.fields(fields), apps) }
  }

  @Test func aClosedProgramIsAllowedInOneStep() async throws {
    let program = try Self.refused("game-1234", matcher: "path /opt/game")
    var python = try Self.refused("python3.11-1234", matcher: "path /usr/bin/python3.11")
    python.isInterpreter = true
    let node = AnsweringNode([
      Endpoints.getRefused.route.operationID: [program, try Self.refused("own", isReplaceable: true), python],
      Endpoints.setRules.route.operationID: RuleEdit(rules: Self.family.childRules, commands: []),
    ])
    let form = try #require(PageTable.form(at: "/children/allow", for: .parent))
    func send(_ program: RefusedListing) async throws {
      let fields = [
        "child": Self.family.childID.description, "program": ApplicationForms.mark(of: program), "category": "reward",
      ]
      _ = try await form.act(FormCall(node: node, fields: FamilySample.fields(fields), now: FamilySample.now))
    }
    try await send(program)
    let edit = try #require(node.edits.withLock { $0 }.first)
    #expect(edit.app == "game-1234" && edit.isNew == true)
    #expect(edit.changes == [.init("category", "reward"), .init("matchers", "path /opt/game")])
    // One that is gone, or may run whatever it is given.
    for other in [try Self.refused("other"), try Self.refused("own", isReplaceable: true), python] {
      await #expect(throws: PageFault.self) { () async throws -> Void in try await send(other) }
    }
  }
}
