import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// A pairing code goes in through the prompt or a pipe, and comes out nowhere.
@Suite struct PairingCodeTests {
  static let typed = "KX-7Q2MN-4C"
  static let code = "LK1QY-QQ9FG-95ZS6-9GAY5-KN202-9F424"

  @Test(arguments: [
    [code], ["--code", code], ["--code=\(code)"], [code.lowercased()], ["--peer", code], ["--peer=\(code)"],
    ["LK1QY", "QQ9FG", "95ZS6", "9GAY5"], ["LK1QY QQ9FG 95ZS6 9GAY5"], ["--yes", code, "--json"], ["--", code],
    ["--yes=\(code)"], [typed], [typed.lowercased()], ["--code", typed], ["--code=\(typed)"], ["--peer", typed],
    ["KX", "7Q2MN", "4C"], ["kx7q2mn4c"], ["KX 7Q2MN 4C"], ["--yes", typed], ["--", typed], ["--for=\(typed)", "x"],
    ["--", "KX", "7Q2MN", "4C"],
  ])
  func aCodeAsAnArgumentIsRefusedAndNotRepeated(arguments: [String]) async {
    for command in [["pair", "join"], ["pair"], ["pair", "invite"], []] {
      let run = await ScriptedRun(command + arguments)
      #expect(run.status == 64, "\(command + arguments)")
      #expect(run.node.calls.isEmpty)
      let shown = run.console.everything.uppercased()
      for piece in ["LK1", "QQ9FG", "95ZS6", "9GAY5", "7Q2MN"] {
        #expect(!shown.contains(piece), "\(command + arguments): \(shown)")
      }
    }
  }

  @Test func theRefusalSaysWhereTheCodeGoes() async {
    let run = await ScriptedRun("pair", "join", Self.code)
    #expect(run.console.notes.joined().contains("run `latchkey pair join` and enter the code when it asks."))
  }

  @Test(arguments: [true, false]) func aCodeThatIsTypedGoesToTheNodeAndNowhereElse(isTerminal: Bool) async throws {
    var script = SamplePairing.childScript
    (script.pairing.phase, script.pairing.outcome, script.pairing.code) = (.ended, .typo, nil)
    let console = ScriptedConsole(lines: [SamplePairing.code], isTerminal: isTerminal)
    let run = await ScriptedRun("pair", "join", "--json", script: script, console: console)
    #expect(run.status == 65)
    #expect(
      run.node.calls == [
        .ask(Endpoints.getStatus),
        .ask(Endpoints.join, JoinRequest(code: SamplePairing.code, acceptWithoutAsking: !isTerminal)),
      ])
    #expect(!console.everything.contains("LK1"))
    #expect(console.prompts == (isTerminal ? ["Code: "] : []))
  }

  /// A code as screens break it: between its groups, within one, with the picture beside it, with
  /// blanks around it.
  static let broken: [[String]] = [
    [piece(0, 78), piece(78, 99)], [piece(0, 80), "", piece(80, 99)],
    ["  \(piece(0, 30)) ", "█▀▄ █  \(piece(30, 60))", "█▀▄", "▄▄▄  \(piece(60, 99))"],
  ]

  private static func piece(_ first: Int, _ end: Int) -> String {
    String(SamplePairing.code.prefix(end).dropFirst(first))
  }

  @Test(arguments: broken) func aPipeMayHoldTheCodeInSeveralLines(lines: [String]) async throws {
    var script = SamplePairing.childScript
    (script.pairing.phase, script.pairing.outcome, script.pairing.code) = (.ended, .ok, nil)
    let console = ScriptedConsole(lines: lines + ["what follows"], isTerminal: false)
    let run = await ScriptedRun("pair", "join", "--code-stdin", script: script, console: console)
    #expect(run.status == 0)
    guard let request = run.node.inputs(of: Endpoints.join).last else { throw TerminalFailure(.data, "no join") }
    #expect(request.code.filter { !$0.isWhitespace } == SamplePairing.code)
    // Input after a complete code is not waited for.
    #expect(await console.readLine() == "what follows")
  }

  @Test func aCodeThatEndsTooEarlyGoesToTheNodeAsItIs() async {
    var script = SamplePairing.childScript
    (script.pairing.phase, script.pairing.outcome, script.pairing.code) = (.ended, .typo, nil)
    let console = ScriptedConsole(lines: [Self.code, "", "y"])
    let run = await ScriptedRun("pair", "join", script: script, console: console)
    #expect(run.node.calls.last == .ask(Endpoints.join, JoinRequest(code: Self.code, acceptWithoutAsking: false)))
    #expect(console.prompts == ["Code: ", CodeInput.goesOn + " Code: "])
    #expect(run.status == 65)
  }

  @Test(arguments: ["kx-7q2mn-4c", "hello", "LK1 … no code", SamplePairing.code, SamplePairing.code + "QQ"])
  func whatIsNoBeginningIsLookedAtAtOnce(line: String) {
    var code = CodeInput()
    let isWhole = code.takes(line, leaves: false)
    #expect(isWhole)
    #expect(code.text == line)
  }

  @Test func whoeverBeginsAnewDoesNotGoOn() {
    var code = CodeInput()
    let isWhole = [code.takes("LK1QY-QQ9FG-", leaves: true), code.takes(SamplePairing.code, leaves: true)]
    #expect(isWhole == [false, true])
    #expect(code.text == SamplePairing.code)
  }

  @Test(arguments: [[], ["", "  \t"]] as [[String]]) func withoutACodeNothingIsAsked(lines: [String]) async {
    let run = await ScriptedRun(
      "pair", "join", script: SamplePairing.childScript, console: ScriptedConsole(lines: lines, isTerminal: false))
    #expect(run.status == 66)
    #expect(run.node.calls == [.ask(Endpoints.getStatus)])
  }

  @Test(arguments: [true, false]) func aParentsMachineRefusesBeforeItAsksForACode(isTerminal: Bool) async {
    let console = ScriptedConsole(lines: [SamplePairing.code], isTerminal: isTerminal)
    let run = await ScriptedRun("pair", "join", script: SamplePairing.parentScript, console: console)
    #expect(run.status == ExitStatus(.wrongRole).rawValue)
    #expect(run.node.calls == [.ask(Endpoints.getStatus)] && console.prompts.isEmpty)
    #expect(console.notes == ["latchkey: " + LocalAPIError.joinOnParent.message])
    // Nothing of the input is read.
    #expect(await console.readLine() == SamplePairing.code)
  }

  @Test func anInvitationShowsItsCodeOnStandardOutputAlone() async {
    var script = ScriptedNode.Script()
    var ended = SampleValues.pairing
    (ended.phase, ended.outcome, ended.code, ended.change) = (.ended, .expired, nil, 2)
    script.pairingChanges = [ended]
    let run = await ScriptedRun("pair", "invite", "--for", "Emma", "--minutes", "3", script: script)
    #expect(run.status == 65)
    #expect(run.console.output == "LK1QY-QQ9FG-95ZS6\n")
    #expect(!run.console.notes.joined().contains("LK1"))
    #expect(run.console.notes.contains("To type instead of paste: N5-7Q2MN-43"))
    #expect(
      run.node.calls.first
        == .ask(Endpoints.invite, InviteRequest(minutes: 3, childName: "Emma", acceptWithoutAsking: false)))
  }

  @Test func withoutATerminalNobodyIsLetInUnlessYesWasSaid() async {
    var script = ScriptedNode.Script()
    (script.pairing.phase, script.pairing.outcome) = (.ended, .ok)
    let refused = await ScriptedRun("pair", "invite", script: script, console: ScriptedConsole(isTerminal: false))
    #expect(refused.status == 64)
    #expect(refused.node.calls.isEmpty)
    let told = await ScriptedRun(
      "pair", "invite", "--yes", script: script, console: ScriptedConsole(isTerminal: false))
    #expect(told.status == 0)
    #expect(
      told.node.calls == [.ask(Endpoints.invite, InviteRequest(minutes: 5, childName: nil, acceptWithoutAsking: true))])
  }

  @Test func aWordThatOnlyHoldsTheLettersStaysReadableWhereItIsNoArgument() {
    #expect(PairingCodeMask.hide(in: "no such thing: walk", arguments: ["walk"]) == "no such thing: walk")
    #expect(PairingCodeMask.hide(in: "a LK1QQ b QQQQQ", arguments: ["x", "LK1QQ", "b", "QQQQQ"]) == "a … b …")
  }
}
