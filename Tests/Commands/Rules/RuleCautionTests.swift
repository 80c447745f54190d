import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of what is said of rules that may be others than a person meant.
@Suite struct RuleCautionTests {
  @Test(arguments: [
    (["bedtime", "set", "--child", "Emma", "9-7"], "is 22 h long."),
    (["bedtime", "set", "--child", "Emma", "7:30-6"], "is 22 h 30 min long."),
    (["times", "--child", "Emma", "--reward", "4-6"], "so that 4 in the afternoon is 16:00."),
  ])
  func hoursThatAreRarelyMeantAreSaid(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status == 0 && run.console.notes.joined(separator: " ").contains(words), "\(run.console.notes)")
  }

  @Test func usualHoursAreSetWithoutASentence() async {
    for arguments in [["bedtime", "set", "20-7"], ["times", "--reward", "16-18"], ["times", "--school", "6:30-13"]] {
      let text = await ScriptedRun(arguments).console.notes.joined(separator: " ")
      #expect(!text.contains(" long.") && !text.contains("in the morning"), "\(text)")
    }
  }

  @Test func aLockSaysHowLongProgramsMayStillRun() async {
    var script = ScriptedNode.Script()
    script.rules.rules = [SampleValues.rule("app/kart/grace", "60")]
    let lock = await ScriptedRun("lock", "Emma", script: script).console.notes.joined(separator: " ")
    #expect(lock.contains("may run for up to 60 s more"), "\(lock)")
    let now = await ScriptedRun("lock", "Emma", "--now", script: script).console.notes.joined(separator: " ")
    #expect(!now.contains("may run"), "\(now)")
  }

  @Test func aReasonHasWords() async {
    let run = await ScriptedRun("grant", "Emma", "10m", "--reason", "  ")
    let text = run.console.notes.joined().replacing("\n", with: " ")
    #expect(run.status == 64 && text.contains("`latchkey grant Emma 10m`") && run.node.calls.isEmpty, "\(text)")
  }
}
