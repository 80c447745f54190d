import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the questions during a pairing, and of the effects of the answers.
@Suite struct PairingConversationTests {
  private func question(attempt: Int, change: Int) -> PairingProgress {
    SamplePairing.question(attempt: attempt, change: change)
  }

  private func ended(_ outcome: PairingOutcome) -> PairingProgress { SamplePairing.ended(outcome) }

  @Test(
    arguments: [("y", true), (" YES ", true), ("n", false), ("", false), ("yeah", false), (nil, false)]
      as [(String?, Bool)])
  func onlyAClearYesLetsAMachineIn(line: String?, accepts: Bool) async {
    var script = ScriptedNode.Script()
    script.pairingChanges = [question(attempt: 4, change: 2)]
    script.answered = ended(accepts ? .ok : .refused)
    let console = ScriptedConsole(lines: line.map { [$0] } ?? [])
    let run = await ScriptedRun("pair", "invite", script: script, console: console)
    #expect(run.status == (accepts ? 0 : 77))
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: accepts, attempt: 4)))))
    let again = line == "yeah" ? [PairingView.unclear + " "] : []
    #expect(
      console.prompts == ["“Emma's PC” (child) wants to join; both screens show 123 456. Accept? [y/N] "] + again)
  }

  @Test func aQuestionThatIsOverIsWithdrawn() async {
    var script = ScriptedNode.Script()
    script.pairingChanges = [question(attempt: 1, change: 2), ended(.network)]
    let console = ScriptedConsole(waitsForInput: true)
    let run = await ScriptedRun("pair", "invite", script: script, console: console)
    #expect(run.status == 75)
    #expect(run.node.calls.last == .ask(Endpoints.waitForPairing, ("p1", 2)))
  }

  @Test func theNextMachineIsAskedAboutAnew() async {
    var script = ScriptedNode.Script()
    script.pairingChanges = [question(attempt: 1, change: 2), question(attempt: 2, change: 3), ended(.expired)]
    let run = await ScriptedRun(
      "pair", "invite", script: script, console: ScriptedConsole(waitsForInput: true))
    #expect(run.status == 65)
    #expect(run.console.prompts.filter { $0.contains("Accept?") }.count == 2)
  }

  @Test func anInterruptClosesTheCode() async {
    let console = ScriptedConsole(waitsForInput: true)
    console.interrupt()
    let run = await ScriptedRun("pair", "invite", console: console)
    #expect(run.status == 75)
    #expect(run.node.calls.contains(.ask(Endpoints.cancelPairing, "p1")))
    #expect(console.notes.last == "latchkey: " + PairingOutcome.cancelled.sentence)
  }

  @Test func wrongCodesAreTold() async {
    var script = ScriptedNode.Script()
    var wrong = SampleValues.pairing
    (wrong.change, wrong.failuresLeft) = (2, 1)
    script.pairingChanges = [wrong, ended(.ok)]
    let run = await ScriptedRun("pair", "invite", script: script)
    #expect(run.status == 0)
    #expect(run.console.notes.contains("Somebody entered a wrong code; 1 failure left until the code is closed."))
  }

  @Test func cancellingClosesEveryOpenPairingOrTheOneThatIsNamed() async {
    let all = await ScriptedRun("pair", "cancel")
    #expect(all.status == 0)
    #expect(all.node.calls == [.ask(Endpoints.getPairings), .ask(Endpoints.cancelPairing, "p1")])
    let one = await ScriptedRun("pair", "cancel", "p7")
    #expect(one.node.calls == [.ask(Endpoints.cancelPairing, "p7")])
  }
}
