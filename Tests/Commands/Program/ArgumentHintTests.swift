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
    (
      ["limit", "set", "Emma", "--daily", "2h"],
      "a child is named with --child: type `latchkey limit set --daily 2h --child Emma`."
    ),
    (["report", "week", "Emma"], "a child is named with --child"),
    (["apps", "scan", "Emma"], "a machine is named with --on"),
    (
      ["bedtime", "set", "Emma", "20:00-07:00"],
      "Unexpected argument 'Emma' or '20:00-07:00': a child is named with --child: type `latchkey bedtime set 20:00-07:00 "
        + "--child Emma`."
    ),
    (["message", "Dinner", "ready", "--on", "Emma"], "'ready': put a text of several words in quotes"),
    (["message", "Dinner", "is", "ready", "--on", "Emma"], "'is', 'ready': put a text of several words in quotes"),
  ])
  func aNameWithoutItsOptionIsExplained(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined()
    #expect(run.status == 64 && text.contains(words), "\(text)")
  }

  @Test(
    arguments: [
      (
        ["lock", "Emma", "-3m"],
        "`latchkey grant Emma -3m` does. To lock for that long, type `latchkey lock Emma --for 3m`."
      ),
      (["lock", "Emma", "3m", "--now"], "follows --for: type `latchkey lock Emma --now --for 3m`."),
      (["lock", "30m"], "follows --for: type `latchkey lock --for 30m`."),
      (["unlock", "Emma", "1h"], "type `latchkey unlock Emma`. `latchkey grant Emma 1h` gives more time."),
      (
        ["lock", "Emma", "Tom", "--for", "1h"],
        "one child at a time: type `latchkey lock Emma --for 1h` and `latchkey lock Tom --for 1h`. A name of several words "
          + "is written in quotes: `latchkey lock \"Emma Tom\" --for 1h`."
      ),
      (
        ["app", "set", "my kart", "--blocked", "--unblocked", "--child", "Emma"],
        "contradict each other: type `latchkey app set \"my kart\" --blocked --child Emma` or `latchkey app set "
          + "\"my kart\" --unblocked --child Emma`."
      ),
      (["breaks", "off", "--child", "Emma"], "`latchkey breaks remove --child Emma` takes away what is set."),
      (["breaks", "set", "off", "--child", "Emma"], "taken away with `latchkey breaks remove --child Emma`."),
      (["limit", "none"], "`latchkey limit remove` takes away what is set."),
      (
        ["settings", "set", "--points", "yes"],
        "“yes” is no value of --points. Points are on or off: give one of them. An example: `latchkey settings set "
          + "--points on`."
      ),
      (["settings", "set", "--points=no"], "An example: `latchkey settings set --points=off`."),
      (
        ["settings", "set", "--sessions", "out"],
        "What is done about sessions is leave, lock, lock-unless-allowed or close: give one of them. An example: "
          + "`latchkey settings set --sessions leave`."
      ),
      (
        ["app", "set", "kart", "--category", "fun"],
        "“fun” is no value of --category. --category takes learning, reward or neutral: give one of them. An "
          + "example: `latchkey app set kart --category learning`."
      ),
      (
        ["app", "set", "kart", "--when-over", "stop"],
        "--when-over takes close or pause: give one of them. An example: `latchkey app set kart --when-over close`."
      ),
    ] as [([String], String)])
  func aUsualMistakeIsExplainedWithTheCommandToType(arguments: [String], words: String) async {
    let run = await ScriptedRun(arguments)
    let text = run.console.notes.joined().replacing("\n", with: " ")
    #expect(run.status == 64 && text.contains(words) && run.node.calls.isEmpty, "\(text)")
  }

  @Test func whatIsNoUsualMistakeIsNotTakenForOne() async {
    let lock = ["lock", "Emma", "--wait", "60", "--now", "Tom"]
    for arguments in [["lock", "Emma", "--fro", "1h"], lock, ["children", "off"]] {
      let text = await ScriptedRun(arguments).console.notes.joined()
      #expect(!text.contains("follows --for") && !text.contains("one child at a time"), "\(text)")
      #expect(!text.contains("takes away"), "\(text)")
    }
  }

  @Test(arguments: [
    ("kart", "kart"), ("mon-fri 16:00-18:00, sat 9:00-19:00", "\"mon-fri 16:00-18:00, sat 9:00-19:00\""),
    ("it's", "\"it's\""), ("a$b", "'a$b'"), ("say \"it's\"", "'say \"it'\\''s\"'"), ("a\nb", "…"), ("", "\"\""),
    ("path /usr/games/kart", "\"path /usr/games/kart\""), ("*", "\"*\""), ("--hours=a b", "\"--hours=a b\""),
  ])
  func aTypedWordIsQuotedForAShell(word: String, quoted: String) {
    #expect(TypedWord.quoted(word) == quoted)
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

  @Test func whatKeepsAChildWaitingIsSaid() {
    var day = SampleValues.today
    day.screen = VerdictToday(isAllowed: false, rule: "lock", reason: "locked by a parent")
    #expect(TodayText.obstacle(day) == "\(day.name) still has to wait: locked by a parent.")
    day.screen = VerdictToday(isAllowed: true)
    #expect(TodayText.obstacle(day) == nil)
  }
}
