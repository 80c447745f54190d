import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the words that people type and read.
@Suite struct PeoplesWordsTests {
  private func issued(_ run: ScriptedRun) -> CommandRequest? {
    run.node.inputs(of: Endpoints.issue).first
  }

  @Test func aGrantIsForTheOnlyChildIfNoneIsNamed() async {
    let run = await ScriptedRun("grant", "1h30m", "--for", "reward")
    #expect(
      run.node.calls.first == .ask(Endpoints.grantTime, (nil, GrantRequest(minutes: 90, category: .reward))))
    #expect(run.console.notes.first == "Emma: 1 h 30 min more today for rewards.", "\(run.console.notes)")
  }

  @Test func whatAChildAsksForIsOneRequest() async {
    for (words, request) in [
      (["30m", "--for", "Reward"], AskRequest(minutes: 30, category: .reward)),
      (["30m", "--for", "my chess"], AskRequest(minutes: 30, app: "my chess")),
      (["--app", "chess"], AskRequest(minutes: nil, app: "chess")),
    ] {
      let run = await ScriptedRun(["ask"] + words)
      #expect(run.status == 0 && run.node.calls == [.ask(Endpoints.ask, request)], "\(run.node.calls)")
    }
  }

  @Test(arguments: [
    (["app", "set", "Chess", "--daily-limit", "-5"], "A limit cannot be negative"),
    (["settings", "set", "--weekly-reward-limit", "-5"], "A limit a week is 0 to 10,080 minutes"),
    (["usage", "list", "--from", "tomorrow"], "Give a day such as today, yesterday or 2026-11-01"),
    (["report", "--from", "tomorrow"], "give one such as today"),
    (
      ["grant", "Emma", "Tom", "5m"],
      "Name one child and one time: type `latchkey grant Emma 5m` and `latchkey grant Tom 5m`."
    ),
    (["devices", "show", ""], "No machine is named"),
    (["app", "set", "Chess", "--points-per-minute", "-5"], "Points a minute are a number from 0"),
    (["app", "set", "Chess", "--blocked", "--always-allowed"], "either blocked or always allowed"),
    (["limit", "set", "--daily", "-1h"], "A limit cannot be negative"),
    (["unlock", "Emma", "--now"], "--now is for a lock"), (["app", "set", "Chess", "--now"], "give it with --blocked"),
    (["apps", "group", "set", "Fun", "chess", "--unblocked", "--now"], "give it with --blocked"),
    (["limit", "set", "--daily", "mon-thu 25h"], "by weekday"),
    (["limit", "set", "--daily", "1h within 16:00-20:00"], "Only a limit on an application or a group has hours"),
    (["app", "set", "Chess", "--daily-limit", "1h 16:00-20:00"], "such as \"1h within 16:00-20:00\""),
    (["app", "set", "Chess", "--daily-limit", "sat 5h within 16:00-20:00"], "so it limits nothing: give less"),
    (["apps", "group", "set", "Fun", "--daily-limit", "none within 16:00-20:00"], "give a time and the hours"),
    (["breaks", "set", "--after", "0", "--for", "10m"], "1 to 1,440 minutes of screen time: give --after a time"),
    (["breaks", "set", "--after", "45m", "--for", "5h"], "1 to 240 minutes long: give --for a time such as 10m"),
    (["limit", "set", "--weekly", "-1h"], "or none"), (["limit", "set"], "--weekends 3h"),
    (["settings", "set", "--zone", "Europe/Berln"], "Did you mean Europe/Berlin?"),
    (["settings", "set", "--zone", "Mars/Base"], "Give one such as Europe/Berlin."),
    (
      ["settings", "set", "--rewards", "never"], "The way of paying is pay-as-you-go or redeem-first: give one of them."
    ),
    (["settings", "set", "--minutes-per-point", "-3"], "A point buys 1 to 1,440 minutes"),
    (["settings", "set", "--daily-points-limit", "many"], "or none"),
    (["settings", "set", "--redemption-days", "0"], "1 to 366 days"),
    (["settings", "set", "--child", "Emma", "--zone", "UTC"], "are the whole family's"),
    (["points", "adjust", "Emma", "abc", "--reason", "x"], "“abc” is no number of points"),
    (["points", "adjust", "Emma", "-0", "--reason", "x"], "is no number of points"),
    (["app", "set", "Chess", "--daily-limit", "1h within"], "The hours are missing after within: write them, such as"),
    (["app", "set", "Chess", "--daily-limit", "1h within 16:00"], "An end is missing after 16:00"),
    (["bedtime", "set", "none"], "`latchkey bedtime remove`"),
    (["bedtime", "set", "none", "--child", "Emma"], "`latchkey bedtime set --child Emma --today none`"),
    (["lock", "Emma", "--for", "-3m"], "“-3m” is no time for a lock, which is for 1 minute to 31 days: type --for 1h"),
    (["bedtime", "set", "--today", "--day", "tomorrow", "22:00-07:00"], "not both"),
    (["bedtime", "set", "--day", "2026-11-01", "22:00-07:00"], "That day is over"),
    (["times", "--day", "soon", "--school", "none"], "has no days called “soon”"),
    (["times", "--day", "2026-13-01", "--school", "none"], "“2026-13-01” is no day"),
    (["times", "--day", "2027-01-06..2026-12-23", "--school", "none"], "end before they begin"),
    (["times", "--day", "2026-12-23..2028-01-06", "--school", "none"], "more than 366 days"),
    (["times", "--day", "2026-12-23..later", "--school", "none"], "Those are no days"),
    (["times", "--day", "24.12.2026", "--school", "none"], "“24.12.2026” is no day: write it as 2026-12-24"),
    (["times", "--day", "12/24/2026", "--school", "none"], "with the year first"),
    (["times", "--day", "tomorow", "--school", "none"], "Did you mean tomorrow?"),
    (["times", "--day", "tomorrow..2026-11-20", "--school", "none"], "end before they begin"),
    (["times", "--day", "2026-12-24", "--name", "Today", "--school", "none"], "“Today” names days already"),
    (["times", "--day", "2026-12-24", "--name", "24.12.2026", "--school", "none"], "names days already"),
    (["limit", "set", "--daily", "plan"], "give --day with it"),
    (["times", "--name", "Christmas", "--school", "none"], "A name is for days"),
    (["limit", "set", "--today", "1h", "--weekly", "5h"], "Single days have one limit"),
    (["limit", "set", "--day", "2026-12-24", "--weekends", "5h"], "Single days have one limit"),
    (["limit", "set", "--carry-over", "25h"], "0 to 1,440 minutes"),
    (["limit", "set", "--carry-over", "1h", "--category", "reward"], "leave out --category"),
    (["days", "remove", "Christmas", "--child", "Emma"], "has no days called “Christmas”"),
    (["grant", "Emma", "-25h"], "1 minute to 24 hours"),
    (["apps", "group", "set", "Board games", "chess"], "no spaces"),
    (["apps", "group", "set", "Fun"], "Nothing is to be set"),
    (["apps", "group", "remove", "Fun", "--child", "Emma"], "has no group “Fun”"),
    (["app", "set", "kart", "--grace", "6m"], "at most 5 minutes"),
    (["settings", "set", "--programs", "some"], "all or listed"),
    (["explain", "--app", "Chess", "--at", "later"], "Give a time such as 19:30"),
    (["grant", "Emma", "none", "--for", "reward"], "leave --for out"),
  ]) func aFaultIsSaidInThePersonsWords(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status != 0 && run.console.notes.joined().contains(words), "\(run.console.notes)")
  }

  @Test(
    arguments: [
      ("devices", .ask(Endpoints.getDevices)), ("apps", .ask(Endpoints.getApps, nil)),
      ("commands", .ask(Endpoints.getCommands, (nil, 100))),
      ("queue", .ask(Endpoints.getQueue, (nil, nil, 100))), ("settings", .ask(Endpoints.getSettings)),
      ("usage", .ask(Endpoints.getSettings)),
      ("sync", .ask(Endpoints.syncNow, nil)),
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

  @Test func anErrorIsSaidOnce() async {
    let wrong = await ScriptedRun("limit", "set", "--weekly", "200h")
    let words = wrong.console.notes.joined()
    #expect(!words.contains("Usage:") && !words.contains("Help:"), "\(words)")
    #expect(words.contains("latchkey limit set --help"))
    // What an option means is news to a person who has left it out.
    let missing = await ScriptedRun("children", "rename", "Emma").console.notes.joined()
    #expect(missing.contains("Help:  --to <name>  The new name.") && !missing.contains("Usage:"), "\(missing)")
  }

  @Test func accountsThatLoseTheirChildAreNamed() async {
    let given = await ScriptedRun("devices", "rename", "Emma's PC", "--child", "Tom")
    #expect(given.console.notes.joined().contains("The account emma there is no child's any more"))
    let renamed = await ScriptedRun("devices", "rename", "Emma's PC", "--to", "Tom's PC")
    #expect(!renamed.console.notes.joined().contains("account"))
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
      #expect(
        run.node.calls == [.ask(Endpoints.getDevices), .ask(Endpoints.deleteDevice, SampleValues.childID.description)])
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
    #expect(
      seen.node.calls == [
        .ask(Endpoints.getStatus), .ask(Endpoints.getSettings),
        .ask(Endpoints.markMessageRead, unread.commandID.description),
      ])
    // A program has read nothing.
    for arguments in [["messages"], ["messages", "--format", "json"]] {
      let run = await ScriptedRun(arguments, node: ScriptedNode(script))
      #expect(run.node.calls.filter { $0 != .ask(Endpoints.getSettings) } == [.ask(Endpoints.getStatus)])
    }
    let status = await ScriptedRun("status", script: script)
    #expect(status.console.output.contains("Dinner is ready") && !status.console.output.contains("Good night"))
  }

  @Test func useIsAskedForByNameOrID() async {
    var script = ScriptedNode.Script()
    script.pages = [UsagePage(sessions: [SampleValues.session], next: nil)]
    let byID = await ScriptedRun("usage", "--app", "org.kde.gcompris", script: script)
    #expect(
      byID.node.calls == [
        .ask(Endpoints.getSettings),
        .ask(Endpoints.getUsage, UsageQuery(appID: "org.kde.gcompris", limit: 5_000).parts),
      ])
    // The ID finds nothing, then the name does.
    script.pages = [UsagePage(sessions: [], next: nil), UsagePage(sessions: [SampleValues.session], next: nil)]
    let byName = await ScriptedRun("usage", "--app", "gcompris", script: script)
    #expect(byName.console.output.contains("GCompris"))
    script.pages = [UsagePage(sessions: [], next: nil), UsagePage(sessions: [SampleValues.session], next: nil)]
    let none = await ScriptedRun("usage", "--app", "Tux Paint", script: script)
    #expect(none.console.output == "No use is recorded in this range.\n")
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
    // Names are quoted where another test has made bash's script.
    let offered = names.map { $0 == "last" ? $0 : CompletionNames.offered([$0], by: .requesting).joined() }
    #expect(run.console.output.split(separator: "\n").map(String.init) == offered)
  }

  @Test func withoutANodeAShellCompletesNothing() async {
    let run = await ScriptedRun(["---completion", "devices", "show", "--", "positional@0", "0", "0"]) { environment in
      environment.openNode = { _ in throw TerminalFailure(.unavailable, "No node runs.") }
    }
    #expect(run.status == 0 && run.console.notes.isEmpty)
    #expect(run.console.output.allSatisfy { $0.isWhitespace })
  }
}
