import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Every page as it looks, and every listing as programs read it.
@Suite struct PageTests {
  @Test(arguments: [
    ("status", ["status"]), ("status-verbose", ["status", "--verbose"]),
    ("status-json", ["status", "--format", "json"]),
    ("status-follow-json", ["status", "--follow", "--format", "json"]), ("devices-list", ["devices", "list"]),
    ("devices-list-json", ["devices", "list", "--format", "json"]), ("devices-show", ["devices", "show", "emma's pc"]),
    ("devices-show-json", ["devices", "show", "emma's pc", "--format", "json"]), ("nearby", ["nearby"]),
    ("doctor", ["doctor"]), ("doctor-json", ["doctor", "--on", "emma's pc", "--format", "json"]),
    ("nearby-json", ["nearby", "--format", "json"]), ("pair-list", ["pair", "list"]), ("apps-list", ["apps", "list"]),
    ("apps-list-json", ["apps", "list", "--format", "json"]), ("settings-show", ["settings", "show"]),
    ("settings-show-json", ["settings", "show", "--format", "json"]), ("commands-list", ["commands", "list"]),
    ("commands-show", ["commands", "show", "01ab"]),
    ("commands-show-json", ["commands", "show", "01ab", "--format", "json"]),
    ("commands-wait", ["commands", "wait", "01ab"]), ("usage-list", ["usage", "list"]),
    ("usage-list-csv", ["usage", "list", "--format", "csv"]),
    ("usage-list-json", ["usage", "list", "--format", "json"]),
    ("devices-unpair", ["devices", "unpair", "Emma's PC", "--yes"]),
    ("devices-forget", ["devices", "forget", "Emma", "--yes"]),
    ("devices-release", ["devices", "release", "Emma's PC"]),
    ("devices-rename", ["devices", "rename", "Emma's PC", "--to", "Emma's laptop"]),
    ("children-list", ["children"]), ("children-list-json", ["children", "list", "--format", "json"]),
    ("children-add", ["children", "add", "Emma"]), ("children-rename", ["children", "rename", "Emmy", "--to", "Emma"]),
    ("children-remove", ["children", "remove", "Emma", "--yes"]), ("accounts-list", ["accounts"]),
    ("accounts-list-json", ["accounts", "list", "--on", "Emma's PC", "--format", "json"]),
    ("rules", ["rules", "Emma"]), ("rules-json", ["rules", "--format", "json"]),
    ("requests", ["requests"]), ("requests-json", ["requests", "--format", "json"]),
    ("ask", ["ask", "30m", "--reason", "finish the level"]),
    ("approve", ["approve", "a7a7", "--minutes", "20", "--word", "then bed"]), ("deny", ["deny"]),
    ("points", ["points", "Emma"]), ("points-json", ["points", "--format", "json"]),
    ("points-csv", ["points", "Emma", "--format", "csv"]),
    ("points-adjust", ["points", "adjust", "Emma", "+50", "--reason", "cleaned the kitchen"]),
    ("points-adjust-less", ["points", "adjust", "Emma", "-10", "--reason", "broke the rules"]),
    ("points-review", ["points", "review", "5a5a", "--approve"]), ("redeem", ["redeem", "20"]), ("refund", ["refund"]),
    ("limit-set", ["limit", "set", "--daily", "1h30m", "--weekends", "3h"]),
    ("bedtime-set", ["bedtime", "set", "20:00-07:00", "--child", "Emma"]), ("unlock", ["unlock", "Emma"]),
    ("accounts-assign", ["accounts", "assign", "emma", "--child", "Emma"]),
    ("today", ["today"]), ("today-json", ["today", "Emma", "--format", "json"]), ("me", ["me"]),
    ("explain", ["explain", "Emma", "--app", "chess"]), ("report-week", ["report", "week", "--child", "Emma"]),
    ("report-week-csv", ["report", "week", "--format", "csv"]),
    ("report-adopt", ["report", "adopt", "--on", "Emma's PC"]),
    ("identity-keep", ["identity", "keep", "--state-dir", "/srv/emma"]),
    ("identity-renew", ["identity", "renew", "--state-dir", "/srv/emma"]),
    ("init", ["init", "--role", "child", "--name", "Emma's PC", "--state-dir", "/srv/emma"]),
    ("message-send", ["message", "send", "Dinner is ready", "--on", "Emma's PC"]),
    ("queue-list", ["queue", "list"]), ("queue-list-json", ["queue", "list", "--format", "json"]),
    ("queue-show", ["queue", "show", "command", "18"]), ("queue-retry", ["queue", "retry"]),
    ("sync-now", ["sync", "now"]), ("sync-now-wait", ["sync", "now", "--wait"]),
    ("message-send-expires", ["message", "send", "Tea", "--on", "Emma's PC", "--expires", "2h"]),
    ("message-json", ["message", "Tea", "--on", "Emma", "--format", "json"]),
    ("app-set", ["app", "set", "chess", "--daily-limit", "1h30m"]),
    ("grant", ["grant", "Emma", "30m"]), ("settings-set", ["settings", "set", "--zone", "Europe/Berlin"]),
    ("app-set-wait", ["app", "set", "org.gnome.Chess", "--child", "Emma", "--blocked", "--wait"]),
  ])
  func aPageIsAsItWas(name: String, arguments: [String]) async throws {
    let run = await ScriptedRun(arguments)
    let errors = run.console.notes.map { "2> " + $0 + "\n" }.joined()
    try Snapshot.expect(
      run.console.output.replacing("\r\n", with: "␍\n") + errors + "exit \(run.status)\n", "page-" + name)
  }

  @Test func whatIsOutOfTheOrdinaryIsShownWithItsWayOut() async throws {
    var troubled: [PeerStatus] = []
    for mark in PeerMark.allCases {
      var peer = SampleValues.peer
      (peer.isConnected, peer.marks) = (false, [mark])
      if mark == .removalUntold { peer.device.state = .removed }
      troubled.append(peer)
    }
    var script = ScriptedNode.Script()
    script.devices = troubled
    script.status.peers = troubled
    for (name, arguments) in [("devices-list-marks", ["devices", "list"]), ("status-marks", ["status"])] {
      let run = await ScriptedRun(arguments, node: ScriptedNode(script))
      try Snapshot.expect(run.console.output + "exit \(run.status)\n", "page-" + name)
    }
  }

  @Test func rulesThatNobodyHasSetAreToldAsDefaults() async throws {
    for (role, peers, sentence) in [
      (DeviceRole.parent, [SampleValues.peer], "Nobody has set these: they are the defaults."),
      (.child, [], "These are the defaults: no parent's machine is paired with this one yet."),
      (.child, [Self.mum], "These are the defaults: they hold until “Mum's laptop” sets others."),
    ] {
      var script = ScriptedNode.Script()
      var rules = RuleSet()
      rules.zone = "Europe/Berlin"
      script.settings = FamilyRules(settings: FamilySettings(rules), rules: [], untold: [])
      (script.status.role, script.status.peers) = (role, peers)
      let run = await ScriptedRun(["settings", "show"], node: ScriptedNode(script))
      let limits = run.console.output.split(separator: "\n").filter { $0.hasSuffix("  no limit") }
      #expect(
        run.status == 0
          && limits.compactMap { $0.split(separator: "  ").first.map { String($0) } } == [
            "points earned a day", "points earned a week", "rewards a day", "rewards a week",
          ], "\(run.console.output)")
      #expect(run.console.notes.count == 1 && run.console.notes[0].hasPrefix(sentence), "\(run.console.notes)")
    }
  }

  /// A machine that has looked what is installed on it, asked or not.
  private static func scanned(isConnected: Bool = true, hasAnswered: Bool = true) -> ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.installed = [SampleValues.installed]
    script.devices[0].isConnected = isConnected
    script.devices[0].device.lastSeenAt = SampleValues.now - 20 * 60_000
    script.command.payload = CommandPayload(ScanApplications())
    script.command.stateInForce = StateInForce(ApplicationsScanned(number: 3, applications: 7))
    if !hasAnswered { script.command.status = .stored }
    script.commandEnds = [.success(script.command)]
    return script
  }

  @Test(arguments: [
    ("apps-scan", ["--on", "Emma's PC"]), ("apps-scan-json", ["--format", "json"]),
    ("apps-scan-csv", ["--format", "csv"]),
  ])
  func whatIsInstalledIsListed(name: String, options: [String]) async throws {
    let run = await ScriptedRun(["apps", "scan"] + options, node: ScriptedNode(Self.scanned()))
    let errors = run.console.notes.map { "2> " + $0 + "\n" }.joined()
    try Snapshot.expect(
      run.console.output.replacing("\r\n", with: "␍\n") + errors + "exit \(run.status)\n", "page-" + name)
    #expect(run.console.output.split(separator: "\n").allSatisfy { options.count > 1 || $0.count <= 80 })
    #expect(!run.node.inputs(of: Endpoints.issue).isEmpty)
  }

  @Test func whatIsKnownIsListedOfAMachineThatIsOff() async throws {
    var unknown = Self.scanned(isConnected: false)
    unknown.installed[0] = InstalledListing(
      deviceID: SampleValues.childID, deviceName: SampleValues.childName, children: [SampleValues.child.childID])
    for (name, script) in [("off", Self.scanned(isConnected: false)), ("unknown", unknown)] {
      let run = await ScriptedRun(["apps", "scan"], node: ScriptedNode(script))
      let errors = run.console.notes.map { "2> " + $0 + "\n" }.joined()
      try Snapshot.expect(run.console.output + errors + "exit \(run.status)\n", "page-apps-scan-" + name)
      #expect(run.node.inputs(of: Endpoints.issue).isEmpty)
    }
    var failed = Self.scanned()
    (failed.command.status, failed.command.reason) = (.failed, "It does not know that: update Latchkey there.")
    failed.command.stateInForce = nil
    failed.commandEnds = [.success(failed.command)]
    let run = await ScriptedRun(["apps", "scan"], node: ScriptedNode(failed))
    #expect(run.status == 65 && run.console.output.contains("GCompris"))
    #expect(run.console.notes.joined().contains("update Latchkey there"), "\(run.console.notes)")
    var several = Self.scanned()
    several.installed.append(SampleValues.installed)
    let unclear = await ScriptedRun(["apps", "scan"], node: ScriptedNode(several))
    #expect(unclear.status == 67 && unclear.console.notes.joined().contains("--on"))
  }

  @Test func whatIsADefaultIsToldAsOne() async throws {
    var script = Self.scanned()
    script.apps.append(
      AppListing(
        appID: SampleValues.app("supertux2"), displayName: "SuperTux 2", category: .reward, isByDefault: true,
        milliPointsPerMinute: 1_000))
    let apps = await ScriptedRun(["apps"], node: ScriptedNode(script))
    try Snapshot.expect(apps.console.output, "page-apps-list-default")
    let reset = await ScriptedRun(["app", "set", "chess", "--reset"], node: ScriptedNode(script))
    let removed = RuleRequest(["blocked", "category", "rate"].map { .init("app/org.gnome.Chess/\($0)", nil) })
    #expect(
      reset.status == 0 && reset.node.edits.contains(.init(child: "Emma", request: removed)), "\(reset.console.notes)")
    let kart = await ScriptedRun(["app", "set", "supertuxk", "--blocked"], node: ScriptedNode(script))
    let blocked = RuleRequest([.init("app/org.supertuxkart.SuperTuxKart/blocked", "yes")])
    #expect(kart.node.edits.contains(.init(child: "Emma", request: blocked)), "\(kart.console.notes)")
    let wrong = await ScriptedRun(["app", "set", "org.supertuxkart", "--reset"], node: ScriptedNode(script))
    #expect(wrong.console.notes.first?.hasPrefix("Nothing was set. Emma: ") == true, "\(wrong.console.notes)")
  }

  /// The parent's machine, as a child's machine knows it.
  private static var mum: PeerStatus {
    var mum = SampleValues.peer
    (mum.device.role, mum.device.name, mum.device.childName) = (.parent, DeviceName(sanitising: "Mum's laptop"), nil)
    return mum
  }

  @Test func machinesThatAreAnnouncedAndOffAreShownWithTheTimeTheyWereSeen() async throws {
    var script = ScriptedNode.Script()
    script.machines.members = [(true, nil), (false, nil), (false, true), (false, false)].map {
      isConnected, isAnswering in
      var member = SampleValues.nearby.members[0]
      (member.isConnected, member.isAnswering) = (isConnected, isAnswering)
      member.lastSeenAt = SampleValues.now - 120_000
      return member
    }
    script.machines.members[1].lastSeenAt = nil
    let run = await ScriptedRun(["nearby"], node: ScriptedNode(script))
    try Snapshot.expect(run.console.output + "exit \(run.status)\n", "page-nearby-off")
  }

  @Test func useThatCannotBeTrueIsShownWithAWayOut() async throws {
    var script = ScriptedNode.Script()
    let sessions = UsageDoubt.allCases.map { doubt in
      var session = SampleValues.session
      session.doubt = doubt
      return session
    }
    script.pages = [UsagePage(sessions: sessions + [SampleValues.session], next: nil)]
    let run = await ScriptedRun(["usage", "list"], node: ScriptedNode(script))
    let errors = run.console.notes.map { "2> " + $0 + "\n" }.joined()
    try Snapshot.expect(run.console.output + errors + "exit \(run.status)\n", "page-usage-list-doubt")
  }

  /// A family with long names, as a terminal of 80 columns shows it.
  @Test(arguments: [
    ("status", ["status"]), ("status-verbose", ["status", "--verbose"]), ("devices-list", ["devices"]),
    ("apps-list", ["apps"]), ("commands-list", ["commands"]), ("usage-list", ["usage"]),
    ("queue-list", ["queue"]), ("nearby", ["nearby"]),
    ("devices-show", ["devices", "show", "Emma"]), ("today", ["today"]),
    ("explain", ["explain", "Emma", "--app", "chess"]),
    ("report-day", ["report", "day", "--child", "Emma"]),
  ])
  func aPageFitsATerminal(name: String, arguments: [String]) async throws {
    let console = ScriptedConsole(outputIsTerminal: true)
    let run = await ScriptedRun(arguments, node: ScriptedNode(LongNames.script), console: console) {
      $0.variables["NO_COLOR"] = "1"
    }
    #expect(run.console.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(run.console.output)")
    try Snapshot.expect(run.console.output, "page-80-" + name)
  }

  @Test func noTextIsKeptThatNoTestLooksAt() throws {
    #expect(try Snapshot.names("page-").count == 99)
    #expect(
      try Snapshot.names("") == Snapshot.names("page-").union(Snapshot.names("help-")).union(Snapshot.names("screen-")))
  }
}
