import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of what people read about the delivery of commands.
@Suite struct DeliveryWordsTests {
  private static func away(_ change: (inout PeerStatus) -> Void = { _ in }) -> ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.devices[0].isConnected = false
    script.devices[0].device.lastSeenAt = SampleValues.now - 20 * 60_000
    change(&script.devices[0])
    return script
  }

  @Test func whatAMachineThatIsOffHasNotGotWaits() async {
    var script = Self.away()
    let listed = await ScriptedRun("apps", script: script)
    #expect(listed.console.notes.joined().contains("Emma's PC has not confirmed the last change"))
    (script.command.status, script.command.stateInForce) = (.queued, nil)
    let shown = await ScriptedRun("commands", "show", "01ab", script: script)
    #expect(shown.console.output.contains("until the other machine is back"), "\(shown.console.output)")
  }

  @Test func whatBecameOfACommandIsASentence() async {
    var script = ScriptedNode.Script()
    var command = SampleValues.command
    (command.status, command.reason) = (.cancelled, "The device was unpaired.")
    script.commandEnds = [.success(command)]
    let run = await ScriptedRun("commands", "wait", "last", script: script)
    #expect(run.console.notes.joined().contains("The command was cancelled before it was stored"))
  }

  @Test func namesOfMachinesThatLeftAreKnown() async {
    var script = ScriptedNode.Script()
    script.status.peers = []
    script.devices = []
    script.status.former = [
      FormerPeer(deviceID: SampleValues.childID, name: DeviceName(sanitising: "Old tablet"), queues: [])
    ]
    let listed = await ScriptedRun("commands", script: script)
    #expect(listed.console.output.contains("Old tablet"), "\(listed.console.output)")
  }

  @Test func waitingTellsWhatHoldsOnEachMachine() async {
    let run = await ScriptedRun("app", "set", "Chess", "--blocked", "--wait")
    #expect(run.status == 0)
    #expect(
      run.console.output.hasPrefix("Recorded on Emma's PC: Chess blocked. Nothing enforces that"),
      "\(run.console.output)")
  }

  @Test func waitingTellsOfEveryMachineAlsoAfterOneThatFails() async {
    var script = ScriptedNode.Script()
    var failed = SampleValues.command
    failed.commandID = CommandID(milliseconds: SampleValues.now, random: [UInt8](repeating: 7, count: 10))
    (failed.status, failed.reason, failed.stateInForce) = (.failed, "There is no room.", nil)
    script.edits = [failed, SampleValues.command]
    script.commandEnds = [.success(failed), .success(SampleValues.command)]
    let run = await ScriptedRun("app", "set", "Chess", "--blocked", "--wait", script: script)
    #expect(run.status == 65 && run.console.notes.joined().contains("There is no room."), "\(run.console.notes)")
    #expect(
      run.console.output.hasPrefix("Recorded on Emma's PC: Chess blocked. Nothing enforces that"),
      "\(run.console.output)")
  }

  @Test func aMachineThatIsOffIsNamedBeforeTheWaiting() async {
    let run = await ScriptedRun("message", "Tea", "--on", "Emma", "--wait", script: Self.away())
    let first = run.console.notes.first ?? ""
    #expect(first.hasPrefix("Emma's PC is off (last seen 20 minutes ago). It gets this when it is back."), "\(first)")
    let never = await ScriptedRun(
      "message", "Tea", "--on", "Emma", script: Self.away { $0.marks = [.neverConnected] })
    #expect(never.console.notes.first?.contains("has not been connected since it was paired") == true)
    let there = await ScriptedRun("message", "Tea", "--on", "Emma")
    #expect(there.console.notes.first?.hasPrefix("Emma's PC is connected and gets this now.") == true)
    // No ID is shown unless requested.
    #expect(there.console.output.isEmpty && !there.console.everything.contains(SampleValues.commandID.description))
  }

  @Test func theLastCommandIsNamedSo() async {
    let id = SampleValues.commandID.description
    for (verb, call) in [
      ("show", .ask(Endpoints.getCommand, id)), ("wait", .ask(Endpoints.waitForCommand, id)),
      ("cancel", .ask(Endpoints.cancelCommand, id)),
    ] as [(String, ScriptedNode.Call)] {
      let run = await ScriptedRun("commands", verb, "last")
      #expect(run.node.calls.prefix(2) == [.ask(Endpoints.getCommands, (nil, 1)), call], "\(verb)")
    }
  }

  @Test func whatFollowsNamesTheMachine() async {
    var script = ScriptedNode.Script()
    var changed = SampleValues.peer
    changed.sync = .syncing(done: 1, total: 2)
    script.status.peers = [SampleValues.peer]
    script.deviceLists = [[SampleValues.peer], [changed], [changed]]
    script.syncStates = [.idle, .connecting, .idle]
    let run = await ScriptedRun("status", "--follow", script: script)
    let lines = run.console.output.split(separator: "\n").filter { $0.contains("Emma's PC: ") }
    #expect(lines == ["14:00:00  Emma's PC: exchanging, 1 of 2"], "\(run.console.output)")
  }

  @Test func waitingForSyncShowsHowFarItIs() async {
    var script = ScriptedNode.Script()
    var busy = SampleValues.peer
    busy.sync = .syncing(done: 1, total: 2)
    script.devices = [busy]
    script.deviceLists = [[busy], [SampleValues.peer]]
    script.syncStates = [.connecting, .idle]
    script.endsSync = false
    let run = await ScriptedRun("sync", "--wait", script: script)
    #expect(run.status == 0)
    #expect(run.console.notes == ["Emma's PC: exchanging, 1 of 2"])
    #expect(run.console.output == "Emma's PC: up to date, 1 min ago\n")
  }
}
