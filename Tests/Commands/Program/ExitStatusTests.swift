import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Which status the program exits with, as the manual promises it.
@Suite struct ExitStatusTests {
  @Test func theStatusesAreThoseOfSysexits() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 64, 65, 66, 67, 69, 70, 73, 74, 75, 76, 77, 78])
  }

  private static let codes: [LocalAPIError.Code: Int32] = [
    .invalid: 65, .typo: 65, .tooLate: 65, .stillRunning: 65, .unknownDevice: 67, .unknownChild: 67,
    .ambiguousChild: 67, .ambiguousDevice: 67,
    .unknownCommand: 67,
    .unknownPairing: 67, .unknownSession: 67, .unknownItem: 67, .wrongRole: 77, .forbidden: 77, .limit: 75,
    .timeout: 75, .noAgent: 69, .storage: 74,
    .internal: 70,
  ]

  @Test(arguments: LocalAPIError.Code.allCases) func whatTheNodeAnswersHasAStatus(code: LocalAPIError.Code) async {
    var script = ScriptedNode.Script()
    script.error = LocalAPIError(code, "That is wrong: do \u{1B}[2J\u{202E} this.\nlatchkey: more")
    let run = await ScriptedRun("devices", "list", script: script)
    #expect(run.status == Self.codes[code])
    #expect(run.console.notes == ["latchkey: That is wrong: do \u{FFFD}[2J\u{FFFD} this.\u{FFFD}latchkey: more"])
    #expect(run.console.output.isEmpty)
  }

  private static let outcomes: [PairingOutcome: Int32] = [
    .ok: 0, .wrongCode: 65, .typo: 65, .expired: 65, .alreadyPaired: 0, .refused: 77, .busy: 75, .network: 75,
    .cancelled: 75, .notFound: 69, .version: 76,
  ]

  @Test(arguments: PairingOutcome.allCases) func theEndOfAPairingHasAStatus(outcome: PairingOutcome) async {
    var script = ScriptedNode.Script()
    (script.pairing.phase, script.pairing.outcome) = (.ended, outcome)
    (script.pairing.peerName, script.pairing.sentence) = (DeviceName(sanitising: "a“b"), "It ended\u{9B}: go on.")
    var child = script
    child.status.role = .child
    let join = await ScriptedRun("pair", "join", script: child, console: ScriptedConsole(lines: ["LK1"]))
    let invite = await ScriptedRun("pair", "invite", script: script)
    #expect(join.status == Self.outcomes[outcome])
    #expect(invite.status == Self.outcomes[outcome])
    let last = join.console.notes.last ?? ""
    switch outcome {
    case .ok: #expect(last.hasPrefix("Paired with “a\"b”. Next: "))
    case .alreadyPaired: #expect(last == "It ended\u{FFFD}: go on.")
    default: #expect(last == "latchkey: It ended\u{FFFD}: go on.")
    }
  }

  private static let ends: [CommandStatus: Int32] = [
    .executed: 0, .failed: 65, .expired: 65, .superseded: 65, .cancelled: 65, .queued: 75, .stored: 75,
  ]

  @Test(arguments: CommandStatus.allCases) func theEndOfACommandHasAStatus(status: CommandStatus) throws {
    #expect(ExitStatus(status).rawValue == Self.ends[status])
  }

  @Test(
    arguments: [
      (NodeUnavailable.Reason.notInitialised, 66, "latchkey init"), (.notRunning, 69, "latchkey run"),
      (.notPermitted, 77, "as that user"), (.notPrivate, 77, "chmod 700"),
    ] as [(NodeUnavailable.Reason, Int32, String)])
  func aNodeThatCannotBeAskedSaysTheNextStep(reason: NodeUnavailable.Reason, status: Int32, next: String) async {
    for arguments in [["devices", "list"], ["status"], ["usage", "track", "--app", "a.b", "--", "true"]] {
      let run = await ScriptedRun(arguments) { environment in
        environment.openNode = { throw NodeUnavailable(reason, stateFolder: $0) }
        environment.startProgram = { _ in
          Issue.record("nothing may run without a node")
          throw TerminalFailure(.internalFault)
        }
      }
      #expect(run.status == status)
      #expect(run.console.notes.count == 1)
      #expect(run.console.notes.first?.contains(next) == true)
      #expect(run.console.output.isEmpty)
    }
  }

  @Test func aFullDiskAndAReaderThatHasGoneAreToldApart() async {
    let full = ScriptedConsole(fault: TerminalFailure(.inputOutput, "The output could not be written: make room."))
    #expect(await ScriptedRun("apps", "list", console: full).status == 74)
    #expect(full.notes == ["latchkey: The output could not be written: make room."])
    let gone = ScriptedConsole(fault: TerminalFailure(.inputOutput))
    #expect(await ScriptedRun("apps", "list", console: gone).status == 74)
    #expect(gone.notes.isEmpty)
    #expect(await ScriptedRun("--help", console: ScriptedConsole(fault: TerminalFailure(.inputOutput))).status == 74)
  }

  @Test(arguments: [
    ["nonsense"], ["stauts"], ["devices", "lst"], ["usage", "lits"], ["init"],
    ["init", "--role", "aunt", "--name", "x"], ["run", "--port", "65536"],
    ["run", "--peer", "nowhere"], ["run", "--log-level", "loud"], ["run", "--interfaces", "a,,b"],
    ["pair", "--minutes", "16"], ["pair", "lst"],
    ["pair", "--background", "blue"], ["pair", "join", "--accept-digits", "12345"],
    ["pair", "join", "--accept-digits", "12345x"], ["pair", "join", "--accept-digits", "123456", "--yes"],
    ["pair", "invite", "--minutes", "16"], ["pair", "invite", "--minutes", "0"], ["commands", "wait"],
    ["commands", "wait", "01ab", "--timeout", "0"], ["commands", "list", "--limit", "0"],
    ["app", "set", "", "--blocked"], ["app", "set", "a.b", "--on", "x", "--blocked"], ["app", "set", "a.b"],
    ["app", "set", "*", "--blocked"], ["app", "set", "all", "--blocked"], ["app", "remove", "org.*"],
    ["app", "set", "a.b", "--blocked", "--unblocked"], ["app", "set", "a.b", "--points-per-minute", "0.0005"],
    ["app", "set", "a.b", "--daily-limit", "1441"], ["app", "set", "a.b", "--name", ""], ["grant"], ["grant", "Emma"],
    ["grant", "Emma", "0m"], ["settings", "set"], ["settings", "set", "--zone", "Mars/Base"],
    ["settings", "set", "--day-start", "24"], ["message", "send", "", "--on", "x"],
    ["usage", "track", "--app", "a.b"], ["usage", "list", "--from", "someday"],
    ["usage", "list", "--from", "2026-11-02", "--to", "2026-11-01"], ["report", "day", "--from", "2026-02-30"],
    ["usage", "list", "--format", "xml"], ["status", "--state-dir", ""],
    ["report", "request", "--on", "x", "--wait", "0"],
  ])
  func aWrongCommandLineIs64AndTouchesNothing(arguments: [String]) async {
    let run = await ScriptedRun(arguments) { environment in
      environment.initialise = { _, _, _, _ in
        Issue.record("nothing may be made")
        return SampleValues.childID
      }
      environment.runNode = { _ in Issue.record("nothing may run") }
    }
    #expect(run.status == 64)
    #expect(run.node.calls.isEmpty)
    #expect(run.console.output.isEmpty)
    #expect(run.console.notes.first?.hasPrefix("Error: ") == true)
  }
}
