import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Tests of the words that people type and read.
@Suite struct PeoplesWordsTests {
  private func issued(_ run: ScriptedRun) -> CommandRequest? {
    run.node.calls.lazy.compactMap { if case .issue(let request) = $0 { request } else { nil } }.first
  }

  private func set(_ run: ScriptedRun) -> RuleRequest? {
    run.node.calls.lazy.compactMap { if case .setRules("Emma", let request) = $0 { request } else { nil } }.first
  }

  private static func blocked(_ app: String, _ value: String? = "yes") -> RuleRequest {
    RuleRequest([.init("app/\(app)/blocked", value)])
  }

  /// The removal of the rules that Emma has for a game.
  private static let removed = RuleRequest(
    ["blocked", "category"].map { .init("app/org.gnome.Chess/\($0)", nil) })

  private static func away(_ change: (inout PeerStatus) -> Void = { _ in }) -> ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.devices[0].isConnected = false
    script.devices[0].device.lastSeenAt = SampleValues.now - 20 * 60_000
    change(&script.devices[0])
    return script
  }

  @Test(arguments: ["Chess", "chess", "org.gnome.Chess", "ORG.GNOME.CHESS"])
  func anApplicationMayBeNamedByItsName(text: String) async {
    let run = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked")
    #expect(run.status == 0)
    #expect(set(run) == Self.blocked("org.gnome.Chess"))
    let removal = await ScriptedRun("app", "remove", text)
    #expect(set(removal) == Self.removed)
  }

  @Test func aNewApplicationIsNamedByItsID() async {
    let run = await ScriptedRun("app", "set", "org.kde.kpat", "--blocked")
    #expect(set(run) == Self.blocked("org.kde.kpat"))
    let odd = await ScriptedRun("app", "set", "a/b%c", "--blocked")
    #expect(set(odd) == Self.blocked("a%2Fb%25c"))
  }

  @Test(arguments: ["org.gnome.Ches", "chss"]) func aMisspeltApplicationIsAskedAbout(text: String) async {
    let run = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked")
    #expect(run.status == 67 && set(run) == nil)
    let words = run.console.notes.joined()
    #expect(words.contains("Did you mean") && words.contains("org.gnome.Chess") && words.contains("--new"), "\(words)")
    let new = await ScriptedRun("app", "set", text, "--child", "Emma", "--blocked", "--new")
    #expect(set(new) == Self.blocked(text))
  }

  @Test func aNameWithASpaceNamesAnApplication() async {
    var script = ScriptedNode.Script()
    script.apps[0].displayName = "Chess game"
    let blocked = await ScriptedRun("app", "set", "chess game", "--blocked", script: script)
    #expect(set(blocked) == Self.blocked("org.gnome.Chess"))
    let removal = await ScriptedRun("app", "remove", "Chess game", script: script)
    #expect(set(removal) == Self.removed)
    let grant = await ScriptedRun("grant", "Emma", "30m", "--for", "Chess game", script: script)
    let chess = GrantRequest(minutes: 30, app: SampleValues.app("org.gnome.Chess"))
    #expect(grant.node.calls.contains(.grant("Emma", chess)))
    let unknown = await ScriptedRun("app", "set", "two words", "--blocked", script: script)
    #expect(unknown.status == 67 && unknown.console.notes.joined().contains("A new one is named by its ID"))
    let nobody = await ScriptedRun("grant", "Emma", "30m", "--for", "nosuch.app", script: script)
    #expect(nobody.status == 67 && !nobody.node.calls.contains { if case .grant = $0 { true } else { false } })
  }

  @Test func aGrantIsForTheOnlyChildIfNoneIsNamed() async {
    let run = await ScriptedRun("grant", "1h30m", "--for", "reward")
    #expect(run.node.calls.prefix(2) == [.rules(nil), .grant("Emma", GrantRequest(minutes: 90, category: .reward))])
    #expect(run.console.notes.first == "Emma: 1 h 30 min more today for reward.", "\(run.console.notes)")
  }

  @Test func oneRuleIsSetForEachThingThatAPersonSays() async {
    let all = await ScriptedRun(
      "app", "set", "a.b", "--category", "reward", "--points-per-minute", "2", "--daily-limit", "1h", "--unblocked",
      "--always-allowed", "--disabled", "--name", "A", "--matcher", "path /a", "--matcher", "name b")
    let expected = [
      ("name", "A"), ("category", "reward 2000"), ("blocked", "no"), ("allowed", "yes"), ("enabled", "no"),
      ("limit", "60"),
      ("matchers", "path /a\nname b"),
    ]
    #expect(set(all) == RuleRequest(expected.map { .init("app/a.b/\($0)", $1) }))
    // What is left out stays: the category and the rate are one rule.
    let rate = await ScriptedRun("app", "set", "chess", "--points-per-minute", "3", "--no-always-allowed")
    #expect(
      set(rate)
        == RuleRequest([
          .init("app/org.gnome.Chess/category", "reward 3000"), .init("app/org.gnome.Chess/allowed", "no"),
        ]))
    let none = await ScriptedRun("app", "set", "chess", "--daily-limit", "none", "--matcher", "none")
    #expect(
      set(none)
        == RuleRequest([
          .init("app/org.gnome.Chess/limit", nil), .init("app/org.gnome.Chess/matchers", nil),
        ]))
    let category = await ScriptedRun("app", "set", "chess", "--category", "learning")
    #expect(set(category) == RuleRequest([.init("app/org.gnome.Chess/category", "learning 2500")]))
    let pointless = await ScriptedRun("app", "set", "a.b", "--points-per-minute", "3")
    #expect(pointless.status == 64 && pointless.console.notes.joined().contains("--category learning"))
  }

  @Test func aRuleOfTheFamilyIsSetForAll() async {
    let run = await ScriptedRun("app", "set", "a.b", "--family", "--blocked")
    #expect(run.node.calls.contains(.setSettings(Self.blocked("a.b"))))
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

  @Test func whatAMachineThatIsOffHasNotGotWaits() async {
    var script = Self.away()
    let listed = await ScriptedRun("apps", script: script)
    #expect(listed.console.notes.joined().contains("Emma's PC has not confirmed the last change"))
    (script.command.status, script.command.stateInForce) = (.queued, nil)
    let shown = await ScriptedRun("commands", "show", "01ab", script: script)
    #expect(shown.console.output.contains("until the other machine is back"), "\(shown.console.output)")
  }

  @Test(arguments: [
    (["app", "set", "Chess", "--daily-limit", "-5"], "A limit cannot be negative"),
    (["settings", "set", "--weekly-reward-limit", "-5"], "A limit cannot be negative"),
    (["usage", "list", "--from", "tomorrow"], "Give a day such as today, yesterday or 2026-11-01"),
    (["usage", "summary", "--from", "tomorrow"], "give one such as today"),
    (["grant", "5m", "Emma"], "the time comes last"), (["grant", "Emma", "Tom", "5m"], "Name one child and one time"),
    (["devices", "show", ""], "No machine is named"),
  ]) func aFaultIsSaidInThePersonsWords(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status != 0 && run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test func whatBecameOfACommandIsASentence() async {
    var script = ScriptedNode.Script()
    var command = SampleValues.command
    (command.status, command.reason) = (.cancelled, "The device was unpaired.")
    script.commandEnds = [.success(command)]
    let run = await ScriptedRun("commands", "wait", "last", script: script)
    #expect(run.console.notes.joined().contains("The command was cancelled before it was stored"))
  }

  @Test func namesOfMachinesThatLeftAreKnown() async {
    var script = ScriptedNode.Script()
    script.status.peers = []
    script.devices = []
    script.status.former = [
      FormerPeer(deviceID: SampleValues.childID, name: DeviceName(sanitising: "Old tablet"), queues: [])
    ]
    let listed = await ScriptedRun("commands", script: script)
    #expect(listed.console.output.contains("Old tablet"), "\(listed.console.output)")
  }

  @Test func aChildsSummaryNamesItsOwnMachine() async {
    var script = ScriptedNode.Script()
    (script.status.deviceID, script.status.name) = (SampleValues.childID, DeviceName(sanitising: "My own PC"))
    (script.status.peers, script.status.former) = ([], [])
    let run = await ScriptedRun("usage", "summary", script: script)
    #expect(run.console.output.contains("My own PC"), "\(run.console.output)")
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
    ("org.gnome.Ches", "Did you mean org.gnome.Chess?"), ("chss", "Did you mean Chess or org.gnome.Chess?"),
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

  @Test func waitingTellsWhatHoldsOnEachMachine() async {
    let run = await ScriptedRun("app", "set", "Chess", "--blocked", "--wait")
    #expect(run.status == 0)
    #expect(run.console.output == "In force on Emma's PC: org.gnome.Chess blocked.\n", "\(run.console.output)")
  }

  @Test func waitingTellsOfEveryMachineAlsoAfterOneThatFails() async {
    var script = ScriptedNode.Script()
    var failed = SampleValues.command
    (failed.status, failed.reason, failed.stateInForce) = (.failed, "There is no room.", nil)
    script.edits = [failed, SampleValues.command]
    script.commandEnds = [.success(failed), .success(SampleValues.command)]
    let run = await ScriptedRun("app", "set", "Chess", "--blocked", "--wait", script: script)
    #expect(run.status == 65 && run.console.notes.joined().contains("There is no room."), "\(run.console.notes)")
    #expect(run.console.output == "In force on Emma's PC: org.gnome.Chess blocked.\n", "\(run.console.output)")
  }

  @Test func aMachineThatIsOffIsNamedBeforeTheWaiting() async {
    let run = await ScriptedRun("message", "Tea", "--on", "Emma", "--wait", script: Self.away())
    let first = run.console.notes.first ?? ""
    #expect(first.hasPrefix("Emma's PC is off (last seen 20 minutes ago). It gets this when it is back."), "\(first)")
    let never = await ScriptedRun(
      "message", "Tea", "--on", "Emma", script: Self.away { $0.marks = [.neverConnected] })
    #expect(never.console.notes.first?.contains("has not been connected since it was paired") == true)
    let there = await ScriptedRun("message", "Tea", "--on", "Emma")
    #expect(there.console.notes.first?.hasPrefix("Emma's PC is connected and gets this now.") == true)
    // No ID is shown unless requested.
    #expect(there.console.output.isEmpty && !there.console.everything.contains(SampleValues.commandID.description))
  }

  @Test func theLastCommandIsNamedSo() async {
    let id = SampleValues.commandID.description
    for (verb, call) in [
      ("show", .command(id)), ("wait", .waitForCommand(id)), ("cancel", .cancelCommand(id)),
    ] as [(String, ScriptedNode.Call)] {
      let run = await ScriptedRun("commands", verb, "last")
      #expect(run.node.calls.prefix(2) == [.commands(nil, limit: 1), call], "\(verb)")
    }
  }

  @Test(
    arguments: [
      ("devices", .devices), ("apps", .apps(nil)), ("commands", .commands(nil, limit: 100)),
      ("queue", .queue(nil, nil, limit: 100)), ("settings", .settings), ("usage", .usage(UsageQuery(limit: 5_000))),
      ("sync", .syncNow(nil)),
    ] as [(String, ScriptedNode.Call)])
  func aNounAloneLists(noun: String, call: ScriptedNode.Call) async {
    let run = await ScriptedRun(noun)
    #expect(run.status == 0 && run.node.calls.first == call)
    #expect(!run.console.output.isEmpty)
  }

  @Test(arguments: [
    (["stauts"], "Did you mean `latchkey status`?"), (["devices", "lsit"], "Did you mean `latchkey devices list`?"),
    (["comands"], "Did you mean `latchkey commands`?"), (["pair", "jion"], "Did you mean `latchkey pair join`?"),
    (["frobnicate"], "`latchkey --help`"), (["usage", "frobnicate"], "`latchkey usage --help`"),
  ])
  func aSubcommandThatIsNotThereIsAnsweredWithANearOne(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status == 64 && run.node.calls.isEmpty)
    #expect(run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test(arguments: ["status", "list", "send more tea"]) func aMessageMayBeAnyText(text: String) async {
    let run = await ScriptedRun("message", text, "--on", "Emma")
    #expect(issued(run)?.action == .message(text))
  }

  @Test(arguments: [("y", 0), ("yes", 0), ("n", 75), ("", 75), ("what?", 75)] as [(String, Int32)])
  func aRemovalAsksAPersonFirst(answer: String, status: Int32) async {
    for verb in ["unpair", "forget"] {
      let run = await ScriptedRun("devices", verb, "Emma", console: ScriptedConsole(lines: [answer]))
      #expect(run.status == status)
      #expect(run.console.prompts.joined().contains("“Emma's PC”"))
      #expect(run.node.calls.count == (status == 0 ? 2 : 1))
    }
  }

  @Test func aRemovalByAProgramIsNotAskedAbout() async {
    for console in [ScriptedConsole(isTerminal: false), ScriptedConsole()] {
      let arguments = ["devices", "unpair", "Emma"] + (console.inputIsTerminal ? ["--yes"] : [])
      let run = await ScriptedRun(arguments, console: console)
      #expect(run.status == 0 && run.console.prompts.isEmpty)
      #expect(run.node.calls == [.devices, .unpair(SampleValues.childID.description)])
    }
  }

  @Test func aMessageThatAPersonSawIsRead() async {
    var script = ScriptedNode.Script()
    let unread = script.status.messages[0]
    var read = unread
    (read.isRead, read.text) = (true, "Good night")
    script.status.messages = [unread, read]
    let seen = await ScriptedRun("messages", script: script, console: ScriptedConsole(outputIsTerminal: true))
    #expect(seen.console.output.contains("Dinner is ready") && seen.console.output.contains("Good night"))
    #expect(seen.node.calls == [.status, .markMessageRead(unread.commandID.description)])
    // A program has read nothing.
    for arguments in [["messages"], ["messages", "--format", "json"]] {
      #expect(await ScriptedRun(arguments, node: ScriptedNode(script)).node.calls == [.status])
    }
    let status = await ScriptedRun("status", script: script)
    #expect(status.console.output.contains("Dinner is ready") && !status.console.output.contains("Good night"))
  }

  @Test func whatFollowsNamesTheMachine() async {
    var script = ScriptedNode.Script()
    var changed = SampleValues.peer
    changed.sync = .syncing(done: 1, total: 2)
    script.status.peers = [SampleValues.peer]
    script.deviceLists = [[SampleValues.peer], [changed], [changed]]
    script.syncStates = [.idle, .connecting, .idle]
    let run = await ScriptedRun("status", "--follow", script: script)
    let lines = run.console.output.split(separator: "\n").filter { $0.contains("Emma's PC: ") }
    #expect(lines == ["14:00:00  Emma's PC: exchanging, 1 of 2"], "\(run.console.output)")
  }

  @Test func waitingForSyncShowsHowFarItIs() async {
    var script = ScriptedNode.Script()
    var busy = SampleValues.peer
    busy.sync = .syncing(done: 1, total: 2)
    script.devices = [busy]
    script.deviceLists = [[busy], [SampleValues.peer]]
    script.syncStates = [.connecting, .idle]
    script.endsSync = false
    let run = await ScriptedRun("sync", "--wait", script: script)
    #expect(run.status == 0)
    #expect(run.console.notes == ["Emma's PC: exchanging, 1 of 2"])
    #expect(run.console.output == "Emma's PC: up to date, 1 min ago\n")
  }

  @Test func useIsAskedForByNameOrID() async {
    var script = ScriptedNode.Script()
    script.pages = [UsagePage(sessions: [SampleValues.session], next: nil)]
    let byID = await ScriptedRun("usage", "--app", "org.kde.gcompris", script: script)
    #expect(byID.node.calls == [.usage(UsageQuery(appID: "org.kde.gcompris", limit: 5_000))])
    // The ID finds nothing, then the name does.
    script.pages = [UsagePage(sessions: [], next: nil), UsagePage(sessions: [SampleValues.session], next: nil)]
    let byName = await ScriptedRun("usage", "--app", "gcompris", script: script)
    #expect(byName.console.output.contains("GCompris"))
    script.pages = [UsagePage(sessions: [], next: nil), UsagePage(sessions: [SampleValues.session], next: nil)]
    let none = await ScriptedRun("usage", "--app", "Tux Paint", script: script)
    #expect(none.console.output == "No use is recorded in this range.\n")
    let summary = await ScriptedRun("usage", "summary", "--app", "chess", "--format", "csv")
    #expect(summary.console.output.split(separator: "\r\n").count == 2)
  }

  @Test func aMachineOfWhichNoAddressIsKnownIsCalledWhenItAppears() {
    #expect(SyncText.nextTry(nil) == "It is called when it appears.")
    #expect(SyncText.nextTry(0) == "It is tried again now.")
    #expect(SyncText.nextTry(5_000) == "Next try in 5 s.")
  }

  @Test(arguments: [
    (["commands", "show", "--", "positional@0"], ["last", SampleValues.commandID.description]),
    (["devices", "show", "--", "positional@0"], ["Emma's PC", "Emma"]),
    (["app", "set", "--", "--child"], ["Emma"]),
    (["app", "remove", "--", "positional@0"], ["org.gnome.Chess", "Chess"]),
  ])
  func aShellCompletesNames(what: [String], names: [String]) async {
    let run = await ScriptedRun(["---completion"] + what + ["0", "0"])
    #expect(run.status == 0)
    #expect(run.console.output.split(separator: "\n").map(String.init) == names)
  }

  @Test func withoutANodeAShellCompletesNothing() async {
    let run = await ScriptedRun(["---completion", "devices", "show", "--", "positional@0", "0", "0"]) { environment in
      environment.openNode = { _ in throw TerminalFailure(.unavailable, "No node runs.") }
    }
    #expect(run.status == 0 && run.console.notes.isEmpty)
    #expect(run.console.output.allSatisfy { $0.isWhitespace })
  }
}
