import LatchkeyModel
import Synchronization
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The node stops in the middle of a pairing.
@Suite struct NodeLossTests {
  private static let gone = LocalAPIError(.timeout, "No node is running: start it.")
  private static let unknown = LocalAPIError(.unknownPairing, "There is no such pairing.")

  private func run(
    _ changes: [Result<PairingProgress, LocalAPIError>], devices: [[PeerStatus]] = [[]],
    arguments: [String] = ["pair", "invite"]
  ) async -> ScriptedRun {
    var script = SamplePairing.parentScript
    script.pairingResults = changes
    script.deviceLists = devices
    return await ScriptedRun(
      arguments, node: ScriptedNode(script), console: ScriptedConsole(lines: ["Emma"], waitsForInput: true)
    ) { environment in
      environment.pause = { if $0 >= .seconds(1) { try await Task.sleep(for: .seconds(86_400)) } }
    }
  }

  @Test func aNodeThatComesBackGoesOn() async {
    let run = await run([
      .failure(Self.gone), .failure(Self.gone), .success(SamplePairing.waiting(change: 1)),
      .success(SamplePairing.ended(.ok)),
    ])
    #expect(run.status == 0)
    #expect(
      run.console.notes.filter { $0.contains("node of this machine") } == [
        "The node of this machine is gone: waiting for `latchkey run` to come back …",
        "The node of this machine is back.",
      ])
    // A restarted node counts its changes from 0.
    #expect(run.node.calls.filter { $0 == .ask(Endpoints.waitForPairing, ("p1", 0)) }.count == 2)
  }

  @Test func aNodeThatStaysAwayIsSaid() async {
    let run = await run([Result<PairingProgress, LocalAPIError>](repeating: .failure(Self.gone), count: 30))
    #expect(run.status == 69)
    #expect(run.console.notes.last?.contains("start `latchkey run`, look at `latchkey devices list`") == true)
  }

  @Test func aQuestionIsWithdrawnWithTheNode() async {
    let run = await run([
      .success(SamplePairing.question()), .failure(Self.gone), .success(SamplePairing.waiting(change: 1)),
      .success(SamplePairing.ended(.expired)),
    ])
    #expect(run.status == 65)
    #expect(run.node.inputs(of: Endpoints.answerPairing).isEmpty)
  }

  @Test func aPairingThatTheNodeForgotIsLookedForAmongTheDevices() async {
    let found = await run([.failure(Self.gone), .failure(Self.unknown)], devices: [[], [SampleValues.peer]])
    #expect(found.status == 0)
    #expect(found.console.notes.last?.hasPrefix("Paired with “Emma's PC”.") == true)
    let none = await run([.failure(Self.gone), .failure(Self.unknown)], devices: [[SampleValues.peer]])
    #expect(none.status == 75)
    #expect(none.console.notes.last?.contains("was started again before the pairing was complete") == true)
  }

  @Test func aSecondInterruptLeavesWithoutWaiting() async {
    var script = SamplePairing.parentScript
    // The node can only undo it, and that takes until the other machine is heard of.
    script.cancelled = SamplePairing.question()
    let console = ScriptedConsole(waitsForInput: true)
    console.interrupt()
    console.interrupt()
    let run = await ScriptedRun(["pair", "invite"], node: ScriptedNode(script), console: console)
    #expect(run.status == 75)
    #expect(run.console.notes.last?.contains("before it was clear how the pairing ended") == true)
    #expect(run.node.calls.filter { $0 == .ask(Endpoints.cancelPairing, "p1") }.count == 1)
  }
}
