import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// `usage track`: a program that is recorded from its start to its end.
@Suite struct TrackingTests {
  private func track(
    _ app: String = "a.b", exits exitStatus: Int32, script change: (inout ScriptedNode.Script) -> Void = { _ in }
  ) async -> ScriptedRun {
    var script = ScriptedNode.Script()
    script.status.role = .child
    change(&script)
    return await ScriptedRun(
      ["usage", "track", "--app", app, "--", "/bin/game", "--full", "a b"], node: ScriptedNode(script),
      console: ScriptedConsole(lines: ["for the program"], isTerminal: false)
    ) { environment in
      environment.startProgram = { arguments in
        #expect(arguments == ["/bin/game", "--full", "a b"])
        return ScriptedProgram(exitStatus: exitStatus)
      }
      environment.reportPatience = .zero
    }
  }

  /// What is asked before the program starts.
  private let asked: [ScriptedNode.Call] = [.ask(Endpoints.getTrackedApp, "a.b")]
  private let start = UsageStartRequest(
    appID: "a.b", displayName: nil, processID: 77, processStartTime: 1_234, startedAt: BootInstant(milliseconds: 5_000),
    startedAtWall: SampleValues.now, zone: "Europe/Berlin")

  @Test(arguments: [0, 3, 137] as [Int32]) func theStatusIsTheProgramsOwn(exitStatus: Int32) async {
    let run = await track(exits: exitStatus)
    #expect(run.status == exitStatus)
    let record = SampleValues.recordID.description
    #expect(run.node.calls == asked + [.ask(Endpoints.startUsage, start), .ask(Endpoints.endUsage, record)])
    #expect(run.console.output.isEmpty)
    #expect(run.console.notes.first?.contains("a.b is blocked on this machine. Rules are recorded") == true)
    // Standard input is the program's.
    #expect(await run.console.readLine() == "for the program")
  }

  @Test func theApplicationMayBeNamed() async {
    let run = await track("chess", exits: 0)
    let named = run.node.inputs(of: Endpoints.startUsage).map(\.appID)
    #expect(named.first == SampleValues.listing.appID.text && SampleValues.listing.displayName == "Chess")
    let other = await track("my chess", exits: 0)
    #expect(
      other.status == 67 && other.console.notes.joined().contains("No application “my chess”"), "\(other.console.notes)"
    )
  }

  @Test func anIDNeedsNoListOfApplications() async {
    let run = await track(exits: 0) { $0.appsError = LocalAPIError(.storage, "The disk is full: make room.") }
    #expect(run.status == 0 && run.node.calls.contains(.ask(Endpoints.startUsage, start)), "\(run.console.notes)")
    let stopping = await track(exits: 0) { $0.appsError = LocalAPIError(.timeout, "The node is stopping.") }
    #expect(stopping.status == 75 && stopping.node.calls == asked, "Without a node the program is not run.")
  }

  @Test func whatIsCountedIsSaid() {
    func words(isBlocked: Bool, _ enforcement: Enforcement) -> String {
      var started = SampleValues.started
      (started.isBlocked, started.enforcement) = (isBlocked, enforcement)
      return UsageTrackSubcommand.sentence(started, app: "Chess")
    }
    #expect(
      words(isBlocked: false, .enforced) == "latchkey: The use of Chess counts from now until the program ends.")
    #expect(words(isBlocked: true, .enforced) == "latchkey: Chess is blocked on this machine, and is closed.")
    #expect(words(isBlocked: true, .recorded).contains("no agent closes applications"))
  }

  @Test func aStartThatIsNotTakenIsToldAndTheProgramRuns() async {
    let run = await track(exits: 5) { $0.usageErrors = [LocalAPIError(.storage, "The disk is full: make room.")] }
    #expect(run.status == 5)
    #expect(run.node.calls == asked + [.ask(Endpoints.startUsage, start)])
    #expect(
      run.console.notes == ["latchkey: The program runs, but its use is NOT recorded: The disk is full: make room."])
  }

  @Test func aNodeThatRestartsIsAskedAgain() async throws {
    var script = ScriptedNode.Script()
    script.usageErrors = [LocalAPIError(.timeout, "stopping"), LocalAPIError(.timeout, "stopping")]
    let node = ScriptedNode(script)
    let reporter = UsageReporter(node: node, patience: .seconds(86_400), pause: .zero)
    try await reporter.end(SampleValues.recordID)
    #expect(node.calls.count == 3)
  }

  @Test func aSessionThatGoesOnInAnotherWindowIsNoTrouble() async throws {
    var script = ScriptedNode.Script()
    script.usageErrors = [LocalAPIError(.stillRunning, "The session goes on.")]
    let reporter = UsageReporter(node: ScriptedNode(script), patience: .zero)
    try await reporter.end(SampleValues.recordID)
  }

  @Test func aParentsMachineRecordsNothing() async {
    let run = await track(exits: 0) { $0.status.role = .parent }
    #expect(run.status == 77)
    #expect(run.node.calls == asked && run.console.notes.joined().contains("the program was not run"))
  }

  @Test(arguments: [("no-such-program-here", 127), ("/tmp", 126)] as [(String, Int32)])
  func aProgramThatCannotRunHasAShellsStatus(name: String, status: Int32) async {
    var script = ScriptedNode.Script()
    script.status.role = .child
    let run = await ScriptedRun(["usage", "track", "--app", "a.b", "--", name], node: ScriptedNode(script)) {
      $0.startProgram = { try ChildProcess.recorded($0) }
    }
    #expect(run.status == status)
    #expect(run.node.calls == asked)
    #expect(run.console.notes.count == 1)
  }
}
