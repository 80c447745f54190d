import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the wizard on the child's machine: the screen, and the effects of answers.
@Suite struct JoinerWizardTests {
  private static let nearby = NearbyInvitations(
    change: 3, invitations: [.init(prefix: "N5", addresses: ["10.0.0.1:1"]), .init(prefix: "9T", addresses: [])])

  private func script(_ changes: [PairingProgress], answered: PairingOutcome = .ok) -> ScriptedNode.Script {
    var script = SamplePairing.childScript
    script.nearby = [Self.nearby]
    script.pairingChanges = changes
    script.answered = SamplePairing.ended(answered, .joiner)
    return script
  }

  private func wizard(
    _ script: ScriptedNode.Script, lines: [String] = ["y"], keys: [String] = [SamplePairing.typedCode + "\r"],
    size: TerminalSize = .usual, variables: [String: String] = ["TERM": "xterm"], _ arguments: [String] = []
  ) async -> ScriptedRun {
    await ScriptedRun(
      ["pair"] + arguments, node: ScriptedNode(script),
      console: ScriptedConsole(lines: lines, keys: keys, waitsForInput: true, size: size)
    ) { $0.variables = variables }
  }

  @Test(
    arguments: [
      ("80x24", TerminalSize.usual, []), ("20x24", TerminalSize(columns: 20, rows: 24), []),
      ("plain", .usual, ["--plain"]),
    ] as [(String, TerminalSize, [String])])
  func aPairingLooksAsItDid(name: String, size: TerminalSize, arguments: [String]) async throws {
    let node = ScriptedNode(script([SamplePairing.question(.joiner)]))
    let isPlain = arguments == ["--plain"]
    let console = ScriptedConsole(
      lines: isPlain ? [SamplePairing.typedCode, "y"] : ["y"], waitsForInput: true, size: size)
    await withTaskGroup(of: Int32.self) { group in
      group.addTask {
        await ScriptedRun(["pair"] + arguments, node: node, console: console) { $0.variables = ["TERM": "xterm"] }
          .status
      }
      if !isPlain {
        await console.screen.shows("N5, 9T")
        for character in SamplePairing.typedCode + "\n" { console.type(String(character)) }
      }
      #expect(await group.next() == 0)
    }
    #expect(
      node.calls.contains(.ask(Endpoints.join, JoinRequest(code: SamplePairing.typedCode, acceptWithoutAsking: false))))
    #expect(node.calls.last == .ask(Endpoints.answerPairing, ("p1", PairingAnswer(accept: true, attempt: 1))))
    #expect(console.screen.unknown.isEmpty)
    try Snapshot.expect(console.screen.everything, "screen-join-" + name)
  }

  @Test(arguments: [PairingOutcome.wrongCode, .expired, .busy, .notFound]) func aCodeThatDidNotWorkIsAskedForAgain(
    outcome: PairingOutcome
  ) async {
    let node = ScriptedNode(script([SamplePairing.ended(outcome, .joiner), SamplePairing.question(.joiner)]))
    let console = ScriptedConsole(lines: ["y"], waitsForInput: true)
    await withTaskGroup(of: Int32.self) { group in
      group.addTask {
        await ScriptedRun(["pair"], node: node, console: console) { $0.variables = ["TERM": "xterm"] }.status
      }
      await console.screen.shows("N5, 9T")
      console.type("\r")
      console.type("first\r")
      // No further codes are found in the test, which distinguishes the second prompt from the
      // first.
      await console.screen.shows("Looking for open codes")
      console.type(SamplePairing.typedCode + "\r")
      #expect(await group.next() == 0)
    }
    let joins = node.inputs(of: Endpoints.join)
    #expect(joins.count == 2)
    #expect(console.screen.everything.replacing("\n", with: " ").contains(outcome.sentence))
    #expect(console.forgotten > 0)
  }

  @Test(arguments: [false, true]) func aLongCodePastedInSeveralLinesIsOne(isPlain: Bool) async {
    for lines in PairingCodeTests.broken where !lines.contains("") || !isPlain {
      // Pasted at once, with an Enter at its end or without.
      let run = await wizard(
        script([SamplePairing.question(.joiner)]), lines: isPlain ? lines + ["y"] : ["y"],
        keys: [lines.joined(separator: "\r"), "\r"], isPlain ? ["--plain"] : [])
      #expect(run.status == 0)
      let codes = run.node.inputs(of: Endpoints.join).map(\.code)
      #expect(codes.map { $0.filter { !$0.isWhitespace } } == [SamplePairing.code])
      // It stays in sight to be compared.
      let shown = run.console.screen.everything.filter { !$0.isWhitespace }
      for group in SamplePairing.code.split(separator: "-") { #expect(shown.contains(group), "\(lines)") }
    }
  }

  @Test func aCodeThatComesWithItsEnterStaysInSight() async {
    let run = await wizard(script([SamplePairing.question(.joiner)]))
    #expect(run.console.screen.everything.contains("Code: " + SamplePairing.typedCode))
  }

  @Test func aLongCodeThatEndsTooEarlyIsLeftWithEnter() async {
    let node = ScriptedNode(script([SamplePairing.question(.joiner)]))
    let console = ScriptedConsole(lines: ["y"], keys: ["LK1QY-QQ9FG\r"], waitsForInput: true)
    await withTaskGroup(of: Int32.self) { group in
      group.addTask {
        await ScriptedRun(["pair"], node: node, console: console) { $0.variables = ["TERM": "xterm"] }.status
      }
      await console.screen.shows("The code goes on")
      console.type("\r")
      #expect(await group.next() == 0)
    }
    #expect(node.calls.contains(.ask(Endpoints.join, JoinRequest(code: "LK1QY-QQ9FG", acceptWithoutAsking: false))))
  }

  @Test(arguments: [PairingOutcome.refused, .network, .version]) func whatNoOtherCodeMendsEndsIt(
    outcome: PairingOutcome
  ) async {
    let run = await wizard(script([SamplePairing.ended(outcome, .joiner)]))
    #expect(run.status == ExitStatus(outcome).rawValue)
    #expect(run.console.notes.last == "latchkey: " + outcome.sentence)
  }

  @Test func alreadyPairedIsNoFault() async {
    let run = await wizard(script([SamplePairing.ended(.alreadyPaired, .joiner)]))
    #expect(run.status == 0)
    #expect(run.console.notes.last == PairingOutcome.alreadyPaired.sentence)
  }

  @Test func ownNoIsToldAsOwn() async {
    let run = await wizard(script([SamplePairing.question(.joiner)], answered: .refused), lines: ["n"])
    #expect(run.status == 77)
    #expect(run.console.notes.last?.contains("You said no: nothing was changed") == true)
  }

  @Test(arguments: ["\u{4}", nil]) func leavingAtThePromptBeginsNothing(key: String?) async {
    let console = ScriptedConsole(keys: key.map { [$0] } ?? [], waitsForInput: true)
    if key == nil { console.interrupt() }
    let run = await ScriptedRun(["pair"], node: ScriptedNode(script([])), console: console) {
      $0.variables = ["TERM": "xterm"]
    }
    #expect(run.status == 75)
    #expect(run.node.inputs(of: Endpoints.join).isEmpty)
    #expect(console.notes.last?.contains("nothing was begun") == true)
    #expect(console.inputs.last == .lines)
  }

  @Test func whatIsFoundChangesAboveWhatIsTyped() async {
    var script = script([])
    script.nearby = [NearbyInvitations(change: 1, invitations: []), Self.nearby]
    let console = ScriptedConsole(keys: ["abc"], waitsForInput: true)
    let node = ScriptedNode(script)
    await withTaskGroup(of: Int32.self) { group in
      group.addTask {
        await ScriptedRun(["pair"], node: node, console: console) { $0.variables = ["TERM": "xterm"] }.status
      }
      await console.screen.shows("N5, 9T")
      await console.screen.shows("Code: abc")
      console.interrupt()
      #expect(await group.next() == 75)
    }
    #expect(!console.screen.text.contains("Looking for open codes"))
  }

  @Test func thePeerGoesAlong() async {
    let run = await wizard(script([SamplePairing.ended(.ok, .joiner)]), ["--peer", "10.0.0.1:4711"])
    #expect(
      run.node.calls.contains(
        .ask(
          Endpoints.join, JoinRequest(code: SamplePairing.typedCode, peer: "10.0.0.1:4711", acceptWithoutAsking: false))
      ))
  }
}
