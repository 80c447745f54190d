import Foundation
import LatchkeyHousehold
import LatchkeyModel
import Synchronization
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Commands that are issued, waited for and taken back.
@Suite struct WaitingTests {
  private static func command(_ status: CommandStatus, reason: String? = nil) -> ConfigurationCommand {
    var command = SampleValues.command
    (command.status, command.reason) = (status, reason)
    return command
  }

  @Test(
    arguments: [
      (.executed, 0, ""), (.failed, 65, "The command failed: no room."), (.expired, 65, "expired"),
      (.superseded, 65, "superseded"), (.cancelled, 65, "cancelled"),
    ] as [(CommandStatus, Int32, String)])
  func theStatusTellsHowItEnded(status: CommandStatus, exit: Int32, sentence: String) async {
    var script = ScriptedNode.Script()
    script.commandEnds = [.success(Self.command(.queued)), .success(Self.command(status, reason: "no room."))]
    let run = await ScriptedRun("commands", "wait", "01ab", script: script)
    #expect(run.status == exit)
    #expect(
      run.node.calls.prefix(2) == [.ask(Endpoints.waitForCommand, "01ab"), .ask(Endpoints.waitForCommand, "01ab")])
    #expect(run.console.output.isEmpty == (status != .executed))
    #expect(run.console.notes.isEmpty == (status == .executed))
    #expect(status == .executed || run.console.notes.joined().contains(sentence))
  }

  @Test func whatHoldsInsteadOfACommandIsToldWithWhoSetIt() async throws {
    let modified = HybridTimestamp(wall: SampleValues.now, counter: 0, author: SampleValues.childID)
    let key: RegisterKey = "limits/breaks"
    let held = RegistersInForce([Register(.family, key, "41 6", modified: modified)], .enforced)
    var command = Self.command(.superseded)
    command.stateInForce = StateInForce(held)
    var script = ScriptedNode.Script()
    script.commandEnds = [.success(command)]
    let run = await ScriptedRun("commands", "wait", "01ab", script: script)
    let words = run.console.notes.joined()
    #expect(words.contains("Emma's PC has set something newer on Emma's PC, which holds instead"), "\(words)")
    #expect(words.contains("give it again if it is to hold.") && run.status == 65, "\(words)")
  }

  @Test func aNodeThatRestartsIsAskedAgain() async {
    var script = ScriptedNode.Script()
    let away = LocalAPIError(.timeout, "The node is stopping: try again.")
    script.commandEnds = [.failure(away), .failure(away), .success(Self.command(.executed))]
    let told = Mutex<[String]>([])
    let waiter = CommandWaiter(node: ScriptedNode(script), pause: .zero) { line in told.withLock { $0.append(line) } }
    let ended = try? await waiter.wait("01ab", seconds: 86_400)
    #expect(ended?.status == .executed)
    let lines = told.withLock { $0 }
    #expect(lines.count == 1 && lines[0].contains("latchkey run"), "\(lines)")
  }

  @Test func anIDThatTheNodeDoesNotKnowEndsTheWait() async {
    var script = ScriptedNode.Script()
    script.commandEnds = [.failure(LocalAPIError(.unknownCommand, "There is no such command: see the list."))]
    let run = await ScriptedRun("commands", "wait", "ffff", script: script)
    #expect(run.status == 67)
  }

  @Test func whenTheTimeIsUpTheCommandStaysOnItsWay() async {
    let console = ScriptedConsole()
    let environment = ScriptedRun.environment(node: ScriptedNode(), console: console)
    TerminalEnvironment.$current.withValue(environment) {
      for (status, words) in [(CommandStatus.queued, "waits here for Emma's PC"), (.stored, "Emma's PC has it")] {
        do {
          try CommandEnd.tell(
            Self.command(status), id: "01ab", machine: SampleValues.childName, format: .table,
            time: WaitingTime(seconds: 5))
          Issue.record("it has not ended")
        } catch {
          #expect((error as? TerminalFailure)?.exitStatus == 75)
          let sentence = (error as? TerminalFailure)?.sentence ?? ""
          #expect(sentence.contains("latchkey commands wait 01ab") && sentence.contains(words), "\(sentence)")
        }
      }
    }
  }

  @Test func settingsSetOneRuleEach() async {
    var script = ScriptedNode.Script()
    script.settings.rules.append(SampleValues.rule("category/reward/limit", "60"))
    let run = await ScriptedRun(
      "settings", "set", "--weekly-reward-limit", "90", "--daily-reward-limit", "none", "--default-points-per-minute",
      "2", script: script)
    let request = RuleRequest([
      .init("category/learning/rate", "2000"), .init("category/reward/rate", "2000"),
      .init("category/reward/limit", nil), .init("category/reward/weekly", "90"),
    ])
    #expect(
      run.node.edits == [.init(child: nil, request: request)] && run.node.inputs(of: Endpoints.setSettings).count == 1)
  }

  @Test(arguments: [["--wait"], ["--wait", "5"], ["--wait=5"], ["--wait", "2min"]]) func waitingTakesANumberOrNone(
    wait: [String]
  ) async {
    let run = await ScriptedRun(["message", "send", "hello", "--on", "x"] + wait)
    #expect(run.status == 0)
    #expect(run.node.calls.last == .ask(Endpoints.waitForCommand, SampleValues.commandID.description))
  }

  @Test func aCommandThatIsStoredIsTooLateToCancel() async {
    var script = ScriptedNode.Script()
    script.command = Self.command(.stored)
    #expect(await ScriptedRun("commands", "cancel", "01ab", script: script).status == 65)
    script.command = Self.command(.cancelled)
    #expect(await ScriptedRun("commands", "cancel", "01ab", script: script).status == 0)
  }

  @Test func whatIsCancelledIsNamed() async {
    var script = ScriptedNode.Script()
    script.command = Self.command(.cancelled)
    let run = await ScriptedRun("commands", "cancel", "01ab", script: script)
    #expect(run.console.notes == ["Cancelled: Chess blocked."])
  }

  @Test func whatCannotBeTakenBackSaysWhatCanBeDone() async {
    var script = ScriptedNode.Script()
    script.command = Self.command(.stored)
    let rule = await ScriptedRun("commands", "cancel", "last", script: script)
    let words = rule.console.notes.joined()
    #expect(words.contains("holds since it was set: Chess blocked. Set what you want instead"), "\(words)")
    #expect(words.contains("`latchkey rules Emma` shows what holds."), "\(words)")
    script.command.payload = .message("Tea")
    let message = await ScriptedRun("commands", "cancel", "last", script: script)
    #expect(message.status == 65 && message.console.notes.joined().hasSuffix("`latchkey message`."))
  }

  @Test func whatIsWaitedForNamesTheApplicationAndTheChild() async throws {
    var script = ScriptedNode.Script()
    var toms = SampleValues.child
    toms.childID = try #require(ChildID(bytes: [UInt8](repeating: 9, count: 16)))
    toms.name = DeviceName(sanitising: "Tom")
    script.children.append(toms)
    var command = Self.command(.executed)
    let off = RegistersInForce([SampleValues.blocked], .recorded, exceptions: ["rules-off"])
    command.stateInForce = StateInForce(off)
    (script.command, script.commandEnds) = (command, [.success(command)])
    for verb in ["wait", "show"] {
      let run = await ScriptedRun("commands", verb, "last", script: script)
      let words = run.console.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .joined(separator: " ")
      #expect(words.contains("Chess blocked"), "\(words)")
      #expect(words.contains("`latchkey app set Chess --child Emma --enabled`"), "\(words)")
    }
  }

  @Test func pagesOfUseAreReadToTheLast() async {
    var script = ScriptedNode.Script()
    script.pages = [
      UsagePage(sessions: [SampleValues.session], next: "c1"), UsagePage(sessions: [SampleValues.session], next: nil),
    ]
    let run = await ScriptedRun(
      "usage", "list", "--from", "2026-11-01", "--to", "2026-11-30", "--format", "csv", script: script)
    #expect(run.console.output.components(separatedBy: "\r\n").count == 4)
    // Midnights of Berlin, the second one after the last day.
    let query = UsageQuery(from: 1_793_487_600_000, to: 1_796_079_600_000, limit: 5_000)
    var second = query
    second.cursor = "c1"
    #expect(
      run.node.calls == [
        .ask(Endpoints.getSettings), .ask(Endpoints.getUsage, query.parts), .ask(Endpoints.getUsage, second.parts),
      ])
  }
}
