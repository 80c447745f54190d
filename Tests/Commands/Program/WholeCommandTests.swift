import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the whole commands with which mistakes are answered.
@Suite struct WholeCommandTests {
  /// Mistakes, each with the command that is to be typed instead.
  private static let mistakes: [(String, String)] = [
    // The time of a lock.
    ("lock Emma for 1h", "lock Emma --for 1h"), ("lock Emma for 90 min", "lock Emma --for 90min"),
    ("lock Emma 1 h 30 min --now", "lock Emma --now --for 1h30min"), ("lock Emma 1,5h", "lock Emma --for 1.5h"),
    ("lock Emma for 1:30", "lock Emma --for 1h30m"), ("lock Emma until 20:00", "lock Emma --until 20:00"),
    ("lock Emma 20:00", "lock Emma --until 20:00"), ("lock Emma 0", "lock Emma --for 1h"),
    ("lock 0", "lock --for 1h"), ("lock Emma 40d", "lock Emma"), ("unlock Emma 0", "unlock Emma"),
    ("lock Emma --for 90 min", "lock Emma --for 90min"), ("lock Emma --for 1:30", "lock Emma --for 1h30m"),
    // Values that are missing.
    ("limit set --daily", "limit set --daily 2h"),
    ("limit set --child Emma --daily", "limit set --child Emma --daily 2h"),
    ("limit set --daily --child Emma", "limit set --daily 2h --child Emma"), ("lock --for", "lock --for 1h"),
    ("lock Emma --until", "lock Emma --until 20:00"), ("settings set --programs", "settings set --programs listed"),
    ("settings set --family --zone", "settings set --family --zone Europe/Berlin"),
    ("apps allow", "apps allow chess"), ("app remove", "app remove chess"),
    ("app set --child Emma --blocked", "app set chess --child Emma --blocked"),
    ("app set kart --daily-limit", "app set kart --daily-limit 1h"), ("apps group remove", "apps group remove games"),
    ("breaks set --after 45m", "breaks set --after 45m --for 10m"),
    ("breaks set --for 10m", "breaks set --for 10m --after 45m"), ("breaks set", "breaks set --after 45m --for 10m"),
    ("breaks set --child Emma --after", "breaks set --child Emma --after 45m --for 10m"),
    ("breaks set --child Emma 45m 10m", "breaks set --child Emma --after 45m --for 10m"),
    ("bedtime set --child Emma", "bedtime set --child Emma 20:00-07:00"), ("grant", "grant 30m"),
    ("grant Emma", "grant Emma 30m"), ("explain Emma --app", "explain Emma --app chess"),
    // Values that are written differently, or in several words.
    ("limit set --daily 1:30 --child Emma", "limit set --daily 1h30m --child Emma"),
    ("limit set --child Emma --daily off", "limit set --child Emma --daily none"),
    ("limit set --daily unlimited", "limit set --daily none"),
    ("limit set --carry-over off", "limit set --carry-over none"),
    ("app set kart --daily-limit off", "app set kart --daily-limit none"),
    ("app set kart --grace off", "app set kart --grace 0s"), ("limit set Emma off", "limit remove --child Emma"),
    ("limit set --child Emma off", "limit set --child Emma --daily none"),
    ("settings set --programs list", "settings set --programs listed"),
    ("bedtime off Emma", "bedtime remove --child Emma"), ("limit off Emma", "limit remove --child Emma"),
    ("bedtime Emma 20:00-07:00", "bedtime set --child Emma 20:00-07:00"),
    ("bedtime mon-fri 20:00-07:00", "bedtime set \"mon-fri 20:00-07:00\""),
    ("limit Emma off", "limit remove --child Emma"), ("limit Emma today 1h", "limit set --child Emma --today 1h"),
    ("bedtime delete Emma", "bedtime remove --child Emma"),
    ("limit set --child Emma tomorrow 30m", "limit set --child Emma --daily 30m --day tomorrow"),
    ("explain racer --child Emma", "explain Emma --app racer"),
    ("app set kart Emma --daily-limit 1h", "app set kart --daily-limit 1h --child Emma"),
    ("app set kart --child Emma --hours 4-6pm", "app set kart --child Emma --hours \"mon-fri 15:00-18:00\""),
    ("app set kart --daily-limit 1h within 16-20", "app set kart --daily-limit \"1h within 16-20\""),
    ("limit set --daily 90 min", "limit set --daily 90min"),
    ("limit set --day 24.12.2026 --daily 4h", "limit set --day 2026-12-24 --daily 4h"),
    ("days remove 24.12.2026 --family", "days remove 2026-12-24 --family"),
    ("breaks set --after 1:30 --for 10m", "breaks set --after 1h30m --for 10m"),
    ("app set kart --daily-limit 1:30", "app set kart --daily-limit 1h30m"), ("grant Emma 1:30", "grant Emma 1h30m"),
    ("grant Emma 0", "grant Emma 30m"), ("grant Emma 30m kart", "grant Emma 30m --for kart"),
    ("grant Emma 30m for kart", "grant Emma 30m --for kart"),
    ("grant Emma 30m --app kart", "grant Emma 30m --for kart"), ("grant Emma minus 30m", "grant Emma -30m"),
    ("grant Emma less 30m", "grant Emma -30m"), ("grant Emma 30m less", "grant Emma -30m"),
    ("grant 30m less", "grant -30m"), ("grant Emma 30m less for kart", "grant Emma -30m --for kart"),
    ("grant Emma -30m less", "grant Emma -30m"), ("grant Emma 30m more", "grant Emma 30m"),
    ("grant 15m to Emma", "grant Emma 15m"), ("grant 15m for Emma", "grant Emma 15m"),
    ("grant 15m for reward", "grant 15m --for reward"), ("grant Emma for kart 15m", "grant Emma 15m --for kart"),
    ("grant Emma 30m --reason tidied up", "grant Emma 30m --reason \"tidied up\""),
    ("grant Emma --reason tidied up 30m", "grant Emma --reason \"tidied up\" 30m"),
    ("grant Emma 30m tidied up", "grant Emma 30m --reason \"tidied up\""),
    ("grant Emma 30m --for my kart", "grant Emma 30m --for \"my kart\""),
    ("grant Emma 30m 45m", "grant Emma 5m"), ("grant Emma -30m 45m", "grant Emma -5m"),
    ("grant Emma 30m --for group Blocks", "grant Emma 5m"), ("grant Emma until 20:00", "grant Emma 30m"),
    ("lock Emma now", "lock Emma"), ("lock Emma tonight", "lock Emma --for 5m"), ("unlock Emma now", "unlock Emma"),
    ("lock Emma for an hour", "lock Emma --for 1h"), ("lock Emma and Tom --for 1h", "lock Tom --for 1h"),
    ("bedtime set --child Emma 20:00 07:00", "bedtime set --child Emma 20:00-07:00"),
    ("bedtime set --child Emma 20 to 7", "bedtime set --child Emma 20:00-7:00"),
    ("bedtime set --child Emma mon-fri 20:00-07:00", "bedtime set --child Emma \"mon-fri 20:00-07:00\""),
    ("times --school mon-fri 8:00-13:00", "times --school \"mon-fri 8:00-13:00\""),
    ("limit set --daily mon-fri 1h", "limit set --daily \"mon-fri 1h\""),
    // Options that are missing, or that there are not.
    ("limit set --child Emma 2h", "limit set --child Emma --daily 2h"),
    ("limit set Emma 2h", "limit set --child Emma --daily 2h"),
    ("settings set points off", "settings set --points off"),
    ("app set kart 1h", "app set kart --daily-limit 1h"),
    ("app set kart --limit 1h", "app set kart --daily-limit 1h"),
    ("app set kart --child Emma --block", "app set kart --child Emma --blocked"),
    ("limit set --child Emma --weekend 2h", "limit set --child Emma --weekends 2h"),
    ("settings set --child Emma --daily-limit 2h", "limit set --child Emma --daily 2h"),
    // Subcommands that there are not.
    ("app block kart", "app set kart --blocked"),
    ("app allow kart --child Emma", "app set kart --child Emma --unblocked"),
    ("app allow", "app set chess --unblocked"), ("app list", "apps list"),
    ("app list --child Emma", "apps list --child Emma"),
    ("app limit kart 1h", "app set kart --daily-limit 1h"), ("app kart --blocked", "app set kart --blocked"),
    ("apps block kart", "app set kart --blocked"), ("apps set kart --blocked", "app set kart --blocked"),
    ("apps remove kart", "app remove kart"), ("apps group new games kart", "apps group set games kart"),
    ("apps group delete games kart", "apps group drop games kart"), ("apps group add", "apps group add games chess"),
    ("apps group drop", "apps group drop games chess"), ("apps group delete games", "apps group remove games"),
    ("limit show", "rules"), ("limit list Emma", "rules Emma"),
    ("bedtime show --child Emma", "rules Emma"), ("breaks list", "breaks show"), ("settings get", "settings show"),
    ("limit Emma 2h", "limit set --child Emma --daily 2h"), ("limit 2h", "limit set --daily 2h"),
    ("bedtime 20:00-07:00", "bedtime set 20:00-07:00"), ("bedtime off --child Emma", "bedtime remove --child Emma"),
    ("days add --child Emma", "limit set --child Emma --day tomorrow --daily 4h"),
    ("days add Christmas", "limit set --day tomorrow --name Christmas --daily 4h"),
    ("days add 24.12.2026", "limit set --day 2026-12-24 --daily 4h"),
    ("grant Emma 30m today", "grant Emma 30m"), ("grant Emma 30m today kart", "grant Emma 30m --for kart"),
    ("grant Emma 30m tomorrow", "limit set --child Emma --day tomorrow --daily 2h"),
    ("limit set --daily 4h --day 2026-12-23,2026-12-24", "limit set --daily 4h --day 2026-12-23..2026-12-24"),
    ("breaks set --child Emma --after none --for 10m", "breaks remove --child Emma"), ("bridge", "bridge ntfy"),
    ("ask supertuxkart", "ask --app supertuxkart"), ("deny 3f2a --reason tomorrow", "deny 3f2a --word tomorrow"),
    ("settings --programs listed", "settings set --programs listed"),
    ("breaks --after 45m", "breaks set --after 45m --for 10m"),
    ("app set kart --daily-limit 1h within 16:00-20:00", "app set kart --daily-limit \"1h within 16:00-20:00\""),
    ("times set --school 8-13", "times --school 8-13"), ("bedtime set off --child Emma", "bedtime remove --child Emma"),
    ("apps list Emma", "apps list --child Emma"),
  ]

  @Test("A mistake is answered with a whole command that works, as does all else in the answer", arguments: mistakes)
  func aMistakeIsAnsweredWithAWholeCommandThatWorks(typed: String, meant: String) async {
    let run = await ScriptedRun(typed.split(separator: " ").map(String.init))
    let text = run.console.notes.joined().replacing("\n", with: " ")
    #expect(run.status == 64 && run.node.calls.isEmpty && text.contains("`latchkey \(meant)`"), "\(text)")
    for match in text.matches(of: /`latchkey ([^`]+)`/) {
      let words = Self.words(String(match.output.1))
      // A command's name alone stands for its help.
      if words.count > 1 || !text.contains("subcommand") {
        #expect(WholeCommand.works(words) || words.contains("--help"), "\(words)")
      }
    }
  }

  @Test(arguments: ["accounts share --help", "children foo --help", "devices set --help", "app block kart -h"])
  func aWordThatIsNoSubcommandIsNotAnsweredWithOneThatIsNone(typed: String) async {
    let run = await ScriptedRun(typed.split(separator: " ").map(String.init))
    let text = run.console.notes.joined().replacing("\n", with: " ")
    #expect(run.status == 64 && !text.contains(": type `"), "\(text)")
    #expect(text.contains(" --help` lists those there are.") || text.contains("Did you mean"), "\(text)")
  }

  @Test(arguments: [
    ("grant Emma minus 30m", [" 30m`", "grant minus"]), ("grant Emma less 30m", [" 30m`", "grant less"]),
    ("grant Emma 30m less", [" 30m ", "--for less"]), ("grant 15m for Emma", ["grant for"]),
    ("grant Emma 30m --for group Blocks", ["30m`"]), ("grant Emma for kart 15m", ["15m`"]),
    ("grant Emma 30m 45m", ["45m", "30m"]), ("lock Emma now", ["lock now", "--now`"]),
    ("lock Emma tonight", ["lock tonight"]), ("lock Emma for an hour", ["lock an", "lock for", "lock hour"]),
  ])
  func noSuggestionDoesWhatWasNotAskedFor(typed: String, others: [String]) async {
    let run = await ScriptedRun(typed.split(separator: " ").map(String.init))
    let text = run.console.notes.joined().replacing("\n", with: " ")
    for other in others { #expect(!text.contains(other), "\(text)") }
  }

  /// Returns the words of a command in which quotes stand around some.
  private static func words(_ command: String) -> [String] {
    command.matches(of: /"([^"]*)"|(\S+)/).compactMap { ($0.output.1 ?? $0.output.2).map(String.init) }
  }

  @Test func whoIsNotNamedIsTakenFromTheFamily() async {
    var script = ScriptedNode.Script()
    var tom = SampleValues.child
    tom.name = DeviceName(sanitising: "Tom")
    script.children.append(tom)
    for (typed, meant) in [
      (["lock", "--family"], ["lock Emma", "lock Tom"]), (["unlock", "--family"], ["unlock Emma", "unlock Tom"]),
      (["lock", "all"], ["lock Emma", "lock Tom"]),
      (["grant", "-30m", "--family"], ["grant Emma -30m", "grant Tom -30m"]),
      (["explain", "kart"], ["explain Emma --app kart"]), (["explain", "Tom", "kart"], ["explain Tom --app kart"]),
      (["explain", "Tom"], ["explain Tom --app chess", "apps list --child Tom", "today Tom"]),
      (["explain"], ["explain Emma --app chess", "apps list --child Emma", "today Emma"]),
    ] {
      let run = await ScriptedRun(typed, node: ScriptedNode(script))
      let text = run.console.notes.joined().replacing("\n", with: " ")
      #expect(run.status == 64 && run.node.edits.isEmpty, "\(text)")
      for command in meant { #expect(text.contains("`latchkey \(command)`"), "\(text)") }
    }
  }

  @Test func anExampleOfTheHelpIsAboutTheOptionAndTheChildThatWereTyped() async {
    for (typed, example) in [
      (["settings", "set"], "`latchkey settings set --daily-reward-limit 1h30m --zone Europe/Berlin`"),
      (["app", "set", "kart", "--child", "Tom"], "`latchkey app set kart --child Tom --category neutral`"),
      (["times", "--child", "Tom", "--school", "weekdays off"], "`latchkey times --child Tom --school none`"),
      (["times", "--family"], "`latchkey times --family --school \"mon-fri 8:00-13:00\"`"),
      (
        ["app", "set", "kart", "--hours", "always"], "`latchkey app set kart --hours \"mon-fri 15:00-18:00\"`"
      ),
      (["bedtime", "set", "soon", "--child", "Tom"], "`latchkey bedtime set --child Tom 20:00-07:00`"),
    ] {
      let text = await ScriptedRun(typed).console.notes.joined().replacing("\n", with: " ")
      #expect(text.contains(example), "\(text)")
    }
  }

  @Test func whatIsClearIsTakenAsItIsTyped() async throws {
    for (typed, key, value) in [
      (["bedtime", "set", "22-7"], "schedule/bedtime", "22:00-7:00"),
      (["bedtime", "set", "Monday-Friday 20.30 – 7"], "schedule/bedtime", "mon-fri 20:30-7:00"),
      (["times", "--school", "weekdays 8-13"], "schedule/school", "mon-fri 8:00-13:00"),
      (["limit", "set", "--daily", "1.5h"], "limits/daily", "90"),
      (["limit", "set", "--daily", "weekdays 1h, weekend 3h"], "limits/daily/sat", "180"),
    ] {
      let run = await ScriptedRun(typed)
      let changes = run.node.edits.flatMap(\.request.changes)
      #expect(changes.contains(.init(key, value)), "\(changes)")
    }
    let today = await ScriptedRun("bedtime", "set", "--today", "off")
    #expect(today.node.edits.first?.request.changes.first?.value == "none")
    let settings = await ScriptedRun("settings", "set", "--family", "--points", "off")
    #expect(settings.status == 0 && settings.node.edits.first?.child == nil)
    for arguments in [["grant", "Emma", "90", "min"], ["grant", "90m", "Emma"], ["grant", "Emma", "1.5h"]] {
      let run = await ScriptedRun(arguments)
      #expect(run.node.calls.first == .ask(Endpoints.grantTime, ("Emma", GrantRequest(minutes: 90))))
    }
  }

  @Test func severalDaysAreWrittenWithDots() async {
    for days in ["2026-12-23 to 2027-01-06", "23.12.2026 – 6.1.2027", "2026-12-23 - 2027-01-06"] {
      let run = await ScriptedRun("limit", "set", "--child", "Emma", "--daily", "4h", "--day", days)
      let text = run.console.notes.joined().replacing("\n", with: " ")
      #expect(run.status == 64 && text.contains(" --day 2026-12-23..2027-01-06`"), "\(text)")
    }
    let apart = await ScriptedRun("limit", "set", "--daily", "4h", "--day", "2026-12-23, 2026-12-27")
    let text = apart.console.notes.joined().replacing("\n", with: " ")
    #expect(apart.status == 64 && text.contains("need a command each"), "\(text)")
    let named = await ScriptedRun("limit", "set", "--child", "Emma", "--day", "Summer", "--daily", "4h")
    let words = named.console.notes.joined().replacing("\n", with: " ")
    #expect(words.contains("that `latchkey days` lists for Emma. --name gives days a name: --day 2026-12-"), "\(words)")
  }

  @Test func theHoursOfALimitAreTypedAsOtherHours() async {
    let run = await ScriptedRun("app", "set", "kart", "--daily-limit", "1h within 16-20")
    let written = await ScriptedRun("app", "set", "kart", "--daily-limit", "1h within 16:00-20:00")
    #expect(run.status == 0 && run.node.edits.first?.request == written.node.edits.first?.request)
  }

  @Test func aWeekdayIsNoSingleDay() async {
    // It is a Saturday.
    let run = await ScriptedRun("limit", "set", "--child", "Emma", "--day", "monday", "--daily", "4h")
    let text = run.console.notes.joined().replacing("\n", with: " ")
    #expect(run.status == 64 && text.contains("the next Monday is 2026-11-23"), "\(text)")
    #expect(text.contains("`latchkey limit set --child Emma --daily \"mon 4h\"`"), "\(text)")
  }

  @Test func aLockEndsAtATimeOfTheFamilysClock() async {
    // It is 14:00 on the family's clock.
    let run = await ScriptedRun("lock", "Emma", "--until", "23:59")
    #expect(run.status == 0 && run.node.edits.first?.request.changes.first?.value?.hasPrefix("until ") == true)
    let over = await ScriptedRun("lock", "Emma", "--until", "0:01")
    let text = over.console.notes.joined().replacing("\n", with: " ")
    #expect(over.status == 64 && text.contains("--for 1h") && over.node.edits.isEmpty, "\(text)")
    #expect(await ScriptedRun("lock", "Emma", "--until", "23:59", "--for", "1h").status == 64)
  }
}
