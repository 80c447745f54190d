import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// What a person sees of PINs and of who is there in a shared account.
@Suite struct PINTests {
  @Test("A new PIN is asked for twice without being shown, and is in no argument")
  func new() async {
    let run = await ScriptedRun("children", "pin", "Emma", console: ScriptedConsole(lines: ["4711", "4711"]))
    #expect(run.status == 0 && run.console.inputs == [.hidden, .lines, .hidden, .lines], "\(run.console.notes)")
    #expect(run.node.inputs(of: Endpoints.setPIN).map(\.1) == [ChildPINRequest(pin: "4711")])
    #expect(run.console.notes.first?.contains("latchkey me --i-am Emma") == true, "\(run.console.notes)")
  }

  @Test(
    "Nothing is changed without the same valid PIN twice",
    arguments: [["4711", "4712"], ["471", "471"], ["47a1"], [], ["4711"]])
  func faults(lines: [String]) async {
    let run = await ScriptedRun("children", "pin", "Emma", console: ScriptedConsole(lines: lines))
    #expect(run.status != 0 && run.node.inputs(of: Endpoints.setPIN).isEmpty)
    #expect(run.console.inputs.last == .lines)
    #expect(!run.console.notes.joined().contains("4711"))
  }

  @Test("Who mistypes a PIN at a terminal is asked again, unseen, and not without end")
  func slips() async {
    let run = await ScriptedRun(
      "children", "pin", "Emma", console: ScriptedConsole(lines: ["12", "4711", "4711"]))
    #expect(run.status == 0 && run.console.notes.first == PIN.fault, "\(run.console.notes)")
    #expect(run.node.inputs(of: Endpoints.setPIN).map(\.1) == [ChildPINRequest(pin: "4711")])
    let console = ScriptedConsole(lines: ["1", "2", "3", "4711", "4711"])
    let ended = await ScriptedRun("children", "pin", "Emma", console: console)
    #expect(ended.status != 0 && ended.node.inputs(of: Endpoints.setPIN).isEmpty)
    #expect(ended.console.notes.last?.contains("run the command again") == true, "\(ended.console.notes)")
    let piped = await ScriptedRun(
      "children", "pin", "Emma", console: ScriptedConsole(lines: ["1", "4711"], isTerminal: false))
    #expect(piped.status != 0 && piped.node.inputs(of: Endpoints.setPIN).isEmpty)
  }

  @Test("A program passes a PIN on standard input once, and --remove asks for none")
  func programs() async {
    let console = ScriptedConsole(lines: ["123456"], isTerminal: false)
    let run = await ScriptedRun("children", "pin", "Emma", console: console)
    #expect(run.status == 0 && run.console.inputs.isEmpty)
    #expect(run.node.inputs(of: Endpoints.setPIN).map(\.1) == [ChildPINRequest(pin: "123456")])
    let removed = await ScriptedRun("children", "pin", "Emma", "--remove", console: ScriptedConsole())
    #expect(removed.status == 0 && removed.node.inputs(of: Endpoints.setPIN).map(\.1) == [ChildPINRequest(pin: nil)])
  }

  @Test("A child says who is there with a PIN, and takes it back without one")
  func presence() async {
    var script = ScriptedNode.Script()
    script.shared = SharedAccount(children: ["Ben", "Emma"].map { DeviceName(sanitising: $0) }, present: nil)
    let named = await ScriptedRun("me", "--i-am", "Ben", script: script, console: ScriptedConsole(lines: ["4711"]))
    #expect(named.status == 0 && named.console.notes == [Self.sentence], "\(named.console.notes)")
    #expect(
      named.node.inputs(of: Endpoints.setPresence)
        == [nil, "4711"].map { PresenceRequest(child: "Ben", pin: $0) }, "It asks the node before it asks for the PIN.")
    for words in [["me", "--leave"], ["me", "--i-am", "nobody"]] {
      let left = await ScriptedRun(words, node: ScriptedNode(script))
      #expect(left.status == 0 && left.console.notes.first?.contains("Ben and Emma") == true, "\(left.console.notes)")
      #expect(left.node.inputs(of: Endpoints.setPresence) == [PresenceRequest(child: nil, pin: nil)])
    }
    script.presenceError = LocalAPIError(.limit, "Somebody has just said who is there: try again in 1 s.")
    let early = await ScriptedRun("me", "--i-am", "Ben", script: script, console: ScriptedConsole(lines: ["4711"]))
    #expect(early.status != 0 && early.console.prompts.isEmpty, "What is refused anyway is asked for no PIN.")
    #expect(await ScriptedRun("me", "--i-am", "Ben", "--leave").status == 64)
    #expect(await ScriptedRun("me", "--web", "--leave").status == 64)
  }

  @Test("A child that gives a wrong PIN is asked again, but not while it has to wait")
  func wrongPINs() async {
    let child = ["child": Phrase.Argument.text("Ben")]
    let wrong = LocalAPIError(.forbidden, phrase: Phrase("That is not the PIN of {child}: try again.", child))
    let later = LocalAPIError(
      .forbidden,
      phrase: Phrase(
        "That is not the PIN of {child}: try again in {time}.", child.merging(["time": .text("40 s")]) { $1 }))
    for (errors, lines, status) in [
      ([wrong], ["1111", "4711"], true), ([wrong, wrong, wrong], ["1", "1111", "1112", "1113", "4711"], false),
      ([later], ["1111", "4711"], false),
    ] {
      var script = ScriptedNode.Script()
      script.shared = SharedAccount(children: ["Ben", "Emma"].map { DeviceName(sanitising: $0) }, present: nil)
      script.pinErrors = errors
      let run = await ScriptedRun("me", "--i-am", "Ben", script: script, console: ScriptedConsole(lines: lines))
      #expect((run.status == 0) == status, "\(run.console.notes)")
      let tries = run.node.inputs(of: Endpoints.setPresence).filter { $0.pin != nil }
      #expect(tries.count == errors.count + (status ? 1 : 0), "\(tries.count)")
    }
  }

  @Test("Until a child is named, `latchkey me` shows who shares the account and what the stricter rules leave")
  func unnamed() async {
    var script = ScriptedNode.Script()
    script.ownTodayError = LocalAPIError(.unknownChild, "Ben and Emma share this account.")
    let other = await ScriptedRun("me", script: script)
    #expect(other.status != 0 && other.console.notes.joined().contains("share this account"), "\(other.console.notes)")
    script.shared = SharedAccount(
      children: ["Ben", "Emma"].map { DeviceName(sanitising: $0) }, present: nil,
      unnamed: UnnamedToday(
        sentence: "Ben and Emma share this account.", screen: SampleValues.today.screen, at: SampleValues.now,
        zone: "Europe/Berlin"))
    let run = await ScriptedRun("me", script: script)
    #expect(run.status == 0 && run.console.output.contains("Ben and Emma share this account."))
    #expect(run.console.output.contains("Screen time: 48 min left, until 14:48"), "\(run.console.output)")
    let json = await ScriptedRun(["me", "--format", "json"], node: ScriptedNode(script))
    #expect(json.status == 0 && json.console.output.contains("\"unnamed\""), "\(json.console.output)")
  }

  private static let sentence =
    "Ben is here now: Ben's rules hold in this account and the time is Ben's, until the log-out or `latchkey me --leave`."

  @Test("An account that children share is listed with all of their names")
  func accounts() {
    var account = SampleValues.accounts[0]
    account.childNames = ["Ben", "Emma"].map { DeviceName(sanitising: $0) }
    #expect(AccountText.owner(account) == "Ben and Emma share it")
    account.isUnnamed = true
    #expect(AccountText.owner(account) == "Ben and Emma share it; nobody has said who is there")
    (account.isUnnamed, account.present) = (false, account.childNames.first)
    #expect(AccountText.owner(account) == "Ben and Emma share it; Ben is there")
    #expect(AccountText.sentence(account).contains("is shared by Ben and Emma now"))
    let taken = AccountText.sentence(SampleValues.accounts[0], before: account)
    #expect(taken.contains("It was Ben's until now") && !taken.contains("Emma's until"), "\(taken)")
  }
}
