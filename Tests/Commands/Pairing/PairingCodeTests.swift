import LatchkeyModel
import Testing

@testable import LatchkeyCommands

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
    var script = ScriptedNode.Script()
    (script.pairing.phase, script.pairing.outcome, script.pairing.code) = (.ended, .typo, nil)
    let console = ScriptedConsole(lines: [Self.code], isTerminal: isTerminal)
    let run = await ScriptedRun("pair", "join", "--json", script: script, console: console)
    #expect(run.status == 65)
    #expect(run.node.calls == [.join(JoinRequest(code: Self.code, acceptWithoutAsking: !isTerminal))])
    #expect(!console.everything.contains("LK1"))
    #expect(console.prompts == (isTerminal ? ["Code: "] : []))
  }

  @Test(arguments: [[], ["", "  \t"]] as [[String]]) func withoutACodeNothingIsAsked(lines: [String]) async {
    let run = await ScriptedRun("pair", "join", console: ScriptedConsole(lines: lines, isTerminal: false))
    #expect(run.status == 66)
    #expect(run.node.calls.isEmpty)
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
    #expect(run.node.calls.first == .invite(InviteRequest(minutes: 3, childName: "Emma", acceptWithoutAsking: false)))
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
    #expect(told.node.calls == [.invite(InviteRequest(minutes: 5, childName: nil, acceptWithoutAsking: true))])
  }

  @Test func aWordThatOnlyHoldsTheLettersStaysReadableWhereItIsNoArgument() {
    #expect(PairingCodeMask.hide(in: "no such thing: walk", arguments: ["walk"]) == "no such thing: walk")
    #expect(PairingCodeMask.hide(in: "a LK1QQ b QQQQQ", arguments: ["x", "LK1QQ", "b", "QQQQQ"]) == "a … b …")
  }
}
