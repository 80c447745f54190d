import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Pairing without a person: lines of JSON out, digits in.
@Suite struct PairingRecordsTests {
  typealias Line = PairingRecord

  private func lines(_ run: ScriptedRun) throws -> [Line] {
    try run.console.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  private func inviting(
    _ changes: [PairingProgress], answered: PairingOutcome = .ok, lines: [String] = [], waits: Bool = false,
    _ arguments: String...
  ) async -> ScriptedRun {
    var script = SamplePairing.parentScript
    script.pairingChanges = changes
    script.answered = SamplePairing.ended(answered)
    return await ScriptedRun(
      ["pair", "invite", "--json"] + arguments, node: ScriptedNode(script),
      console: ScriptedConsole(lines: lines, isTerminal: false, waitsForInput: waits))
  }

  @Test func everyEventIsALine() async throws {
    var changes = [
      SamplePairing.waiting(change: 2), SamplePairing.question(attempt: 1, change: 3),
      SamplePairing.waiting(change: 4), SamplePairing.question(attempt: 2, change: 5, digits: "654321"),
    ]
    for index in changes.indices { changes[index].failuresLeft = 4 }
    let run = await inviting(changes + [SamplePairing.ended(.ok)], "--yes")
    #expect(run.status == 0)
    let lines = try lines(run)
    #expect(lines.map(\.event) == [.code, .failure, .request, .withdrawn, .request, .result])
    #expect(lines[0].code == SamplePairing.code && lines[0].typedCode == SamplePairing.typedCode)
    #expect(lines[0].expiresInMilliseconds == 300_000 && lines[0].childName == "Emma")
    #expect(lines[1].failuresLeft == 4)
    #expect(lines[2].name == SampleValues.childName && lines[2].role == .child && lines[2].digits == "123456")
    #expect(lines[3].attempt == 1 && lines[4].attempt == 2)
    #expect(lines[5].outcome == .ok && lines[5].device == SampleValues.registered)
    #expect(lines[5].sentence?.hasPrefix("Paired with “Emma's PC”.") == true)
    #expect(run.node.inputs(of: Endpoints.answerPairing).isEmpty)
    #expect(run.console.prompts.isEmpty)
  }

  @Test(
    arguments: [
      (["123456"], true), (["123 456"], false), (["y"], false), ([""], false), (["123456 "], false), ([], false),
      (["654321"], false), (["y", "123456"], false),
    ] as [([String], Bool)])
  func onlyTheSixDigitsLetAMachineIn(typed: [String], accepts: Bool) async throws {
    let run = await inviting([SamplePairing.question()], answered: accepts ? .ok : .refused, lines: typed)
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: accepts, attempt: 1)))))
    #expect(run.status == (accepts ? 0 : 77))
    #expect(try lines(run).last?.outcome == (accepts ? .ok : .refused))
  }

  @Test func aLineIsForTheRequestThatItWasReadFor() async throws {
    let run = await inviting(
      [SamplePairing.question(), SamplePairing.waiting(change: 3), SamplePairing.ended(.expired)], waits: true)
    #expect(run.status == 65)
    #expect(run.node.inputs(of: Endpoints.answerPairing).isEmpty)
    #expect(try lines(run).map(\.event) == [.code, .request, .withdrawn, .result])
  }

  private func joining(
    _ arguments: [String], _ changes: [PairingProgress], answered: PairingOutcome = .ok, isTerminal: Bool = false
  ) async -> ScriptedRun {
    var script = SamplePairing.childScript
    script.pairingChanges = changes
    script.answered = SamplePairing.ended(answered, .joiner)
    return await ScriptedRun(
      ["pair", "join"] + arguments, node: ScriptedNode(script),
      console: ScriptedConsole(lines: [SamplePairing.typedCode, "y"], isTerminal: isTerminal))
  }

  @Test(arguments: [true, false]) func theDigitsDecideWhetherToGoOn(same: Bool) async throws {
    let run = await joining(
      ["--code-stdin", "--accept-digits", "123 456", "--json"],
      [SamplePairing.question(.joiner, digits: same ? "123456" : "111111")], answered: same ? .ok : .refused)
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: same, attempt: 1)))))
    #expect(
      run.node.calls.contains(
        .ask(Endpoints.join, JoinRequest(code: SamplePairing.typedCode, acceptWithoutAsking: false))))
    #expect(run.status == (same ? 0 : 77))
    let last = try #require(try lines(run).last)
    #expect(last.event == .result && last.outcome == (same ? .ok : .refused))
    if !same {
      #expect(last.sentence?.hasPrefix("The digits are 111111 and not the expected 123456") == true)
      #expect(run.console.notes.last?.contains("111111 and not the expected 123456") == true)
    }
  }

  @Test func aCodeOnStandardInputIsNotPromptedForInATerminal() async throws {
    let run = await joining(["--code-stdin"], [SamplePairing.question(.joiner)], isTerminal: true)
    #expect(run.status == 0)
    #expect(run.console.notes.contains { $0.hasPrefix("“Kitchen laptop” (parent) answers to the code") })
    #expect(!run.console.prompts.contains { $0.contains("Code:") })
    #expect(run.node.calls.contains(.ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: true, attempt: 1)))))
  }

  @Test func aTypingErrorIsAResultToo() async throws {
    var script = SamplePairing.childScript
    script.error = LocalAPIError(.typo, "The code has a typing error: enter it again.")
    let run = await ScriptedRun(
      ["pair", "join", "--code-stdin", "--json"], node: ScriptedNode(script),
      console: ScriptedConsole(lines: ["KX"], isTerminal: false))
    #expect(run.status == 65)
    #expect(try lines(run) == [Line(event: .result, outcome: .typo, sentence: script.error?.message)])
  }

  @Test func aReaderThatIsGoneClosesTheCode() async {
    let console = ScriptedConsole(isTerminal: false, fault: TerminalFailure(.inputOutput))
    let run = await ScriptedRun(
      ["pair", "invite", "--json", "--yes"], node: ScriptedNode(SamplePairing.parentScript), console: console)
    #expect(run.status == 74)
    #expect(run.node.calls.contains(.ask(Endpoints.cancelPairing, "p1")))
  }
}
