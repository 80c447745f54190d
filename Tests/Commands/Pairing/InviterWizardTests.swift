import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the wizard on the parent's machine: the screen, and the effects of answers.
@Suite struct InviterWizardTests {
  private func wizard(
    _ changes: [PairingProgress], answered: PairingOutcome = .ok, lines: [String] = ["Emma"], waits: Bool = true,
    size: TerminalSize = .usual, variables: [String: String] = ["TERM": "xterm-256color"],
    pairing: PairingProgress = SamplePairing.opened(), _ arguments: String...
  ) async -> ScriptedRun {
    var script = SamplePairing.parentScript
    script.pairing = pairing
    script.pairingChanges = changes
    script.answered = SamplePairing.ended(answered)
    return await ScriptedRun(
      ["pair"] + arguments, node: ScriptedNode(script),
      console: ScriptedConsole(lines: lines, waitsForInput: waits, size: size)
    ) { $0.variables = variables }
  }

  @Test(
    arguments: [
      ("80x24", TerminalSize.usual, [:], []), ("20x24", TerminalSize(columns: 20, rows: 24), [:], []),
      ("50x40", TerminalSize(columns: 50, rows: 44), [:], []), ("80x12", TerminalSize(columns: 80, rows: 12), [:], []),
      ("no-color", .usual, ["NO_COLOR": "1"], []),
      ("no-color-light", .usual, ["NO_COLOR": "1"], ["--background", "light"]),
      ("plain", .usual, [:], ["--plain"]), ("plain-20", TerminalSize(columns: 20, rows: 24), [:], ["--plain"]),
      ("dumb", .usual, ["TERM": "dumb"], []),
    ] as [(String, TerminalSize, [String: String], [String])])
  func aPairingLooksAsItDid(
    name: String, size: TerminalSize, variables: [String: String], arguments: [String]
  ) async throws {
    var script = SamplePairing.parentScript
    script.pairingChanges = [SamplePairing.waiting(change: 2, failuresLeft: 4), SamplePairing.question(change: 3)]
    script.answered = SamplePairing.ended(.ok)
    let console = ScriptedConsole(lines: ["Emma", "y"], waitsForInput: true, size: size)
    let run = await ScriptedRun(["pair"] + arguments, node: ScriptedNode(script), console: console) {
      $0.variables = ["TERM": "xterm-256color"].merging(variables) { $1 }
    }
    #expect(run.status == 0)
    #expect(console.screen.unknown.isEmpty)
    try Snapshot.expect(console.screen.everything, "screen-invite-" + name)
  }

  @Test(arguments: [("name", TerminalSize.usual), ("name-20", TerminalSize(columns: 20, rows: 24))])
  func twoMachinesOfOneNameAreToldApart(name: String, size: TerminalSize) async throws {
    var script = SamplePairing.parentScript
    script.pairingChanges = [SamplePairing.question(change: 3)]
    var ended = SamplePairing.ended(.ok)
    ended.peerName = SampleValues.childName
    ended.device?.name = DeviceName(sanitising: "Emma's PC 2")
    script.answered = ended
    let console = ScriptedConsole(
      lines: ["Emma", "y", "Emma's laptop"], waitsForInput: true, size: size)
    let run = await ScriptedRun(["pair"], node: ScriptedNode(script), console: console) {
      $0.variables = ["TERM": "xterm-256color"]
    }
    #expect(run.status == 0)
    #expect(
      run.node.calls.contains(
        .ask(Endpoints.renameDevice, (SampleValues.childID.description, RenameRequest(name: "Emma's laptop")))))
    #expect(console.screen.unknown.isEmpty)
    try Snapshot.expect(console.screen.everything, "screen-invite-" + name)
  }

  /// A panel as it stands in a terminal.
  private func page(_ size: TerminalSize, childName: String? = "Emma") throws -> String {
    var environment = ScriptedRun.environment(node: ScriptedNode(), console: ScriptedConsole())
    environment.variables = ["TERM": "xterm"]
    let look = TerminalLook(isPlain: false, background: nil, environment: environment)
    let panel = InvitationPanel(SamplePairing.opened(for: childName), look: look, isBold: true)
    let lines = try #require(
      panel.lines(size: size, time: "Good for 14:59; Ctrl-C closes it.", notice: PairingView.guessed(4)))
    let console = ScriptedConsole(size: size)
    var live = LivePanel(console: console)
    live.show(lines)
    // All of it is in sight, with the cursor below.
    #expect(console.screen.text == console.screen.everything)
    return console.screen.text
  }

  @Test(arguments: [
    TerminalSize.usual, TerminalSize(columns: 20, rows: 24), TerminalSize(columns: 70, rows: 24),
    TerminalSize(columns: 200, rows: 60), TerminalSize(columns: 42, rows: 48), TerminalSize(columns: 30, rows: 24),
  ])
  func bothCodesAreInSightAtEverySize(size: TerminalSize) throws {
    let names = [nil, "Emma", String(repeating: "m", count: 64), "🎀🎀🎀 " + String(repeating: "ö", count: 20)]
    for name in names {
      let page = try page(size, childName: name)
      #expect(page.contains(SamplePairing.typedCode))
      let shown = page.filter { $0 != "\n" && $0 != " " }
      for group in SamplePairing.code.split(separator: "-") { #expect(shown.contains(group), "\(size) \(name ?? "")") }
      for line in page.split(separator: "\n") { #expect(line.count < size.columns) }
    }
  }

  @Test func theTimeCountsDownInPlace() async throws {
    let clock = ScriptedClock()
    let console = ScriptedConsole(lines: ["Emma"], waitsForInput: true)
    var environment = ScriptedRun.environment(node: ScriptedNode(SamplePairing.parentScript), console: console)
    environment.variables = ["TERM": "xterm"]
    environment.uptime = { clock.now }
    environment.pause = { _ in try await clock.pause() }
    await withTaskGroup(of: Int32.self) { group in
      group.addTask { [environment] in
        await TerminalEnvironment.$current.withValue(environment) { await LatchkeyProgram.run(arguments: ["pair"]) }
      }
      await console.screen.shows("Good for 5:00")
      let first = console.screen.text
      await clock.advance(1_000)
      await console.screen.shows("Good for 4:59")
      #expect(console.screen.everything == first.replacing("5:00", with: "4:59"))
      await clock.advance(239_000)
      await console.screen.shows("Good for 1:00")
      console.interrupt()
      #expect(await group.next() == 75)
    }
    #expect(console.screen.everything.contains("This code is closed."))
    #expect(console.screen.unknown.isEmpty)
  }

  @Test func theCodeStaysInSightWhenTheSizeChanges() async throws {
    let console = ScriptedConsole(lines: ["Emma"], waitsForInput: true)
    var environment = ScriptedRun.environment(node: ScriptedNode(SamplePairing.parentScript), console: console)
    environment.variables = ["TERM": "xterm"]
    await withTaskGroup(of: Int32.self) { group in
      group.addTask { [environment] in
        await TerminalEnvironment.$current.withValue(environment) { await LatchkeyProgram.run(arguments: ["pair"]) }
      }
      await console.screen.shows("▀▀▀▀")
      console.resize(TerminalSize(columns: 20, rows: 24))
      await console.screen.shows("make the window")
      #expect(!console.screen.text.contains("▀") && console.screen.text.contains(SamplePairing.typedCode))
      console.resize(TerminalSize(columns: 80, rows: 30))
      await console.screen.shows("▀▀▀▀")
      #expect(console.screen.text.contains(SamplePairing.typedCode))
      console.resize(TerminalSize(columns: 80, rows: 5))
      await console.screen.shows("Good for 5 minutes")
      console.interrupt()
      #expect(await group.next() == 75)
    }
    #expect(console.screen.unknown.isEmpty)
  }

  @Test func theNameIsAskedUntilItIsOne() async {
    let run = await wizard(
      [SamplePairing.ended(.expired)],
      lines: ["\u{202E}ammE", "a\u{7}b", String(repeating: "x", count: 65), "  Emma 🎀 ", "n"])
    #expect(run.status == 65)
    #expect(
      run.console.notes.filter { !$0.hasPrefix("latchkey:") } == [
        "The name has control or invisible characters: use letters, digits, spaces and",
        "punctuation.",
        "The name has control or invisible characters: use letters, digits, spaces and",
        "punctuation.",
        "The name has 65 bytes of UTF-8: shorten it to at most 64.",
      ])
    #expect(run.console.prompts.filter { $0.hasPrefix("Whose machine") }.count == 4)
    #expect(
      run.node.calls.contains(
        .ask(Endpoints.invite, InviteRequest(minutes: 5, childName: "Emma 🎀", acceptWithoutAsking: false))))
  }

  @Test func noNameIsFineAndAGivenOneIsNotAsked() async {
    let none = await wizard([SamplePairing.ended(.expired)], lines: ["   "])
    #expect(
      none.node.calls.contains(
        .ask(Endpoints.invite, InviteRequest(minutes: 5, childName: nil, acceptWithoutAsking: false))))
    let given = await wizard([SamplePairing.ended(.expired)], lines: [], "--for", "Emma", "--minutes", "3")
    #expect(
      given.node.calls.contains(
        .ask(Endpoints.invite, InviteRequest(minutes: 3, childName: "Emma", acceptWithoutAsking: false))))
    #expect(given.console.prompts.isEmpty)
  }

  /// The answers to the question whose machine it will be, and the names with which the code is
  /// opened.
  @Test(arguments: [
    (["Emma"], "Emma"), (["emma"], "Emma"), (["Emma, Ben,emma"], "Emma, Ben"), (["Em", "y"], "Emma"),
    (["Ema", ""], "Emma"), (["Ema", "n"], "Ema"), (["Ben"], "Ben"),
  ])
  func knownChildrenAreRecognized(lines: [String], childName: String) async {
    let run = await wizard([SamplePairing.ended(.expired)], lines: lines)
    #expect(run.console.prompts.first?.contains("(Emma, other names,") == true)
    #expect(
      run.node.calls.contains(
        .ask(Endpoints.invite, InviteRequest(minutes: 5, childName: childName, acceptWithoutAsking: false))))
  }

  @Test func theAccountThatFitsIsToldAndTheOtherIsAskedFor() async {
    let told = await wizard([SamplePairing.question()], lines: ["Emma", "y"])
    #expect(told.status == 0)
    #expect(told.node.calls.last == .ask(Endpoints.waitForAccounts, SampleValues.childID.description))
    #expect(told.console.screen.everything.contains("The account emma on Emma's PC is Emma's now."))

    let device = SampleValues.childID.description
    let asked = await wizard([SamplePairing.question()], lines: ["Ben", "y", "guest"])
    #expect(asked.status == 0)
    #expect(asked.console.screen.everything.contains("Which account there is Ben's? (guest (Guest), or nothing"))
    #expect(
      asked.node.calls.last
        == .ask(Endpoints.assignAccount, AccountRequest(device: device, account: "guest", children: ["Ben"])))

    let later = await wizard([SamplePairing.question()], lines: ["Ben", "y", ""])
    #expect(later.status == 0)
    #expect(later.console.notes.last?.contains("with `latchkey accounts assign`") == true)
    let nobody = await wizard([SamplePairing.question()], lines: ["", "y"])
    #expect(nobody.status == 0)
    #expect(
      nobody.node.calls.last == .ask(Endpoints.waitForAccounts, device),
      "Nothing is offered, since the machine states no child.")
  }

  /// The answer to the question whether the machine is the child's whom it states, and whether it
  /// becomes that child's.
  @Test(arguments: [("y", true), ("", false), ("n", false)])
  func theChildWhomTheMachineStatesIsOffered(answer: String, isTaken: Bool) async {
    var script = SamplePairing.parentScript
    script.pairingChanges = [SamplePairing.question()]
    script.answered = SamplePairing.ended(.ok)
    script.accounts = SampleValues.accounts.filter { $0.owner == .open }
    script.accounts[0].account.statedChild = "Zoe"
    let run = await ScriptedRun(
      ["pair"], node: ScriptedNode(script), console: ScriptedConsole(lines: ["", "y", answer, ""], waitsForInput: true)
    ) { $0.variables = ["TERM": "xterm-256color"] }
    #expect(run.status == 0)
    let words = run.console.screen.everything.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("says that Zoe uses guest there. Is it Zoe's machine?"), "\(words)")
    let device = SampleValues.childID.description
    #expect(run.node.calls.contains(.ask(Endpoints.renameDevice, (device, RenameRequest(childName: "Zoe")))) == isTaken)
    #expect(words.contains("guest (Guest; Zoe's by the machine's word)") == isTaken, "\(words)")
  }

  @Test(arguments: [true, false]) func leavingAtTheFirstQuestionBeginsNothing(byInterrupt: Bool) async {
    let console = ScriptedConsole(waitsForInput: byInterrupt)
    if byInterrupt { console.interrupt() }
    let run = await ScriptedRun(["pair"], node: ScriptedNode(SamplePairing.parentScript), console: console)
    #expect(run.status == 75)
    #expect(run.node.calls == [.ask(Endpoints.getStatus), .ask(Endpoints.getChildren)])
    #expect(console.notes.last?.contains("nothing was begun, and neither machine was changed") == true)
  }

  @Test(arguments: [true, false]) func leavingLaterCancelsAtTheNode(atQuestion: Bool) async {
    var script = SamplePairing.parentScript
    script.pairingChanges = atQuestion ? [SamplePairing.question()] : []
    let node = ScriptedNode(script)
    let console = ScriptedConsole(lines: ["Emma"], waitsForInput: true)
    await withTaskGroup(of: Int32.self) { group in
      group.addTask {
        await ScriptedRun(["pair"], node: node, console: console) { $0.variables = ["TERM": "xterm"] }.status
      }
      await console.screen.shows(atQuestion ? "may it join?" : "Good for 5:00")
      console.interrupt()
      #expect(await group.next() == 75)
    }
    // The watch may ask for the next state beside it, before it hears of the end.
    let asked = node.calls.filter { $0 != .ask(Endpoints.waitForPairing, ("p1", 1)) }
    #expect(asked.last == .ask(Endpoints.cancelPairing, "p1"))
    #expect(console.notes.last?.hasSuffix("Neither machine is paired with the other, unless it was before.") == true)
    #expect(console.inputs.last == .lines)
  }

  @Test func whatWasTypedBeforeTheQuestionIsNoAnswer() async {
    let run = await wizard([SamplePairing.question(), SamplePairing.ended(.expired)], lines: ["Emma"])
    #expect(run.console.inputs == [.keys, .lines])
    #expect(run.console.forgotten >= 1)
  }

  @Test func anAnswerThatIsNeitherIsAskedForOnceMore() async {
    let run = await wizard([SamplePairing.question()], lines: ["Emma", "maybe", "yes"])
    #expect(run.status == 0)
    #expect(run.console.screen.everything.contains("That is neither yes nor no"))
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: true, attempt: 1)))))
  }

  @Test(arguments: [["n"], [""], ["perhaps", "maybe"], ["perhaps", ""]])
  func whateverIsNotYesIsNo(answers: [String]) async {
    let run = await wizard([SamplePairing.question()], answered: .refused, lines: ["Emma"] + answers)
    #expect(run.console.notes.filter { $0.contains("You said no") }.count == 1)
    #expect(run.status == 77)
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: false, attempt: 1)))))
    #expect(run.console.notes.last?.contains("You said no: the other machine was turned away") == true)
  }

  @Test func aNoOfTheOtherPersonIsToldAsTheirs() async {
    var ended = SamplePairing.ended(.refused)
    ended.attempt = 1
    let run = await wizard([SamplePairing.question(), ended])
    #expect(run.status == 77)
    #expect(run.console.notes.last?.contains("The other machine said no, and the code is closed") == true)
  }

  @Test func whoeverIsGoneAgainLeavesTheCodeInSight() async {
    let run = await wizard([
      SamplePairing.question(), SamplePairing.waiting(change: 3), SamplePairing.ended(.expired),
    ])
    #expect(run.console.notes.contains("That machine is gone again, and the code is still open."))
    #expect(run.console.screen.text.contains(SamplePairing.typedCode))
  }

  @Test func optionsOfTheOtherSideAreRefused() async {
    let parent = await wizard([], "--peer", "a:1")
    #expect(parent.status == 64 && parent.node.calls == [.ask(Endpoints.getStatus)])
    let child = await ScriptedRun(
      ["pair", "--for", "Emma"], node: ScriptedNode(SamplePairing.childScript), console: ScriptedConsole())
    #expect(child.status == 64 && child.node.calls == [.ask(Endpoints.getStatus)])
  }

  @Test func aPipeIsNoPerson() async {
    let run = await ScriptedRun(
      ["pair"], node: ScriptedNode(SamplePairing.parentScript),
      console: ScriptedConsole(lines: [String](repeating: "y", count: 100), isTerminal: false))
    #expect(run.status == 64)
    #expect(run.node.calls.isEmpty)
    #expect(run.console.notes.count == 1)
    let sentence = run.console.notes.first ?? ""
    #expect(
      sentence.contains("`latchkey pair invite --json`") && sentence.contains("`latchkey pair join --code-stdin`"))
  }
}
