import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the messages about arguments that a subcommand does not have.
@Suite struct ArgumentHintTests {
  @Test(arguments: [
    (["grant", "Emma", "30m", "--app", "Chess"], "Unknown option '--app'", "latchkey grant --help"),
    (["app", "set", "Chess", "--child", "Emma", "--block"], "Unknown option '--block'", "latchkey app set --help"),
    (["points", "--every"], "Unknown option '--every'", "latchkey points show --help"),
  ])
  func anUnknownOptionIsNamed(arguments: [String], words: String, help: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains(words) && text.contains(help), "\(text)")
  }

  @Test(arguments: [
    (["limit", "set", "Emma", "--daily", "2h"], "a child is named with --child, such as --child Emma."),
    (["report", "week", "Emma"], "a child is named with --child"),
    (["apps", "scan", "Emma"], "a machine is named with --on"),
    (
      ["bedtime", "set", "Emma", "20:00-07:00"],
      "Unexpected argument 'Emma' or '20:00-07:00': a child is named with --child"
    ),
    (["message", "Dinner", "ready", "--on", "Emma"], "'ready': put a text of several words in quotes"),
    (["message", "Dinner", "is", "ready", "--on", "Emma"], "'is', 'ready': put a text of several words in quotes"),
  ])
  func aNameWithoutItsOptionIsExplained(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains(words), "\(text)")
  }

  @Test(arguments: [
    (["lock", "--child", "Emma"], "name the child without an option, such as `latchkey lock Emma`."),
    (["grant", "--child=Emma", "30m"], "name the child without an option, such as `latchkey grant Emma 30m`."),
    (["today", "--child", "Emma"], "name the child without an option"),
    (["apps", "scan", "--child", "Emma"], "a child's machine is named with --on"),
  ])
  func aChildWithAnOptionThatTheCommandDoesNotHaveIsExplained(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains("Unknown option '--child'") && text.contains(words), "\(text)")
  }

  @Test(arguments: [
    (["limit", "set", "--daily", "1h", "--daily", "sat 2h"], "such as --daily \"mon-fri 1h, sat-sun 2h\"."),
    (["limit", "set", "--daily=1h", "--weekends", "3h", "--daily=2h"], "--daily is given twice"),
    (["app", "set", "Chess", "--category", "reward", "--category", "neutral"], "would count: give it once."),
    (["limit", "set", "--child", "Emma", "--daily", "1h", "--child", "Tom"], "--child is given twice"),
  ])
  func anOptionThatIsGivenTwiceIsRefused(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains(words) && run.node.calls.isEmpty, "\(text)")
  }

  @Test func whatMayBeGivenSeveralTimesIsNotRefused() {
    for arguments in [
      ["app", "set", "Chess", "--matcher", "name a", "--matcher", "name b"],
      ["accounts", "assign", "kids", "--child", "Emma", "--child", "Tom"],
      ["usage", "track", "--app", "a.b", "--", "/bin/game", "--app", "--app"],
    ] {
      #expect(RepeatedOption.fault(in: arguments) == nil)
    }
  }

  @Test func whatIsNoNameIsNotExplainedAsOne() async {
    let run = await ScriptedRun(["bedtime", "set", "--child", "Emma", "20:00", "07:00"])
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains("'07:00'") && !text.contains("is named with"), "\(text)")
  }

  @Test func whatKeepsAChildWaitingIsSaid() {
    var day = SampleValues.today
    day.screen = VerdictToday(isAllowed: false, rule: "lock", reason: "locked by a parent")
    #expect(TodayText.obstacle(day) == "\(day.name) still has to wait: locked by a parent.")
    day.screen = VerdictToday(isAllowed: true)
    #expect(TodayText.obstacle(day) == nil)
  }
}
