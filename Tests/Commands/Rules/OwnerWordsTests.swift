import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of whose rules are meant, and of what is said of the rules of several children.
@Suite struct OwnerWordsTests {
  /// A family of two children, each with the same rules.
  private var family: ScriptedNode.Script {
    var script = ScriptedNode.Script()
    var ben = SampleValues.child
    ben.name = DeviceName(sanitising: "Ben")
    script.children.append(ben)
    return script
  }

  @Test(arguments: [
    ["limit", "set", "--daily", "1h"], ["times", "--school", "8:00-13:00"],
    ["breaks", "set", "--after", "45m", "--for", "9m"],
    ["days", "remove", "Christmas"], ["apps", "group", "set", "Blocks", "chess"], ["app", "set", "chess", "--blocked"],
    ["limit", "set", "--today", "1h"],
  ])
  func aParentOfSeveralChildrenIsToldHowToNameOne(arguments: [String]) async {
    let run = await ScriptedRun(arguments, node: ScriptedNode(family))
    #expect(run.status == 67 && run.node.edits.isEmpty)
    let words = run.console.notes.joined()
    #expect(words.contains("Emma or Ben. --family is for all of them. Name one, such as `latchkey "), "\(words)")
  }

  @Test func aChildThatIsNamedWithoutAnOptionIsAskedForWithoutIt() async {
    let run = await ScriptedRun("lock", script: family)
    #expect(run.status == 67 && !run.console.notes.joined().contains("--child"), "\(run.console.notes)")
  }

  @Test(
    arguments: [
      (["lock", "--for", "1h"], "`latchkey lock Emma --for 1h`"),
      (["explain", "--app", "my game"], "`latchkey explain Emma --app \"my game\"`"),
      (["grant", "-30m"], "`latchkey grant Emma -30m`"),
      (["report", "day"], "`latchkey report day --child Emma`"),
      (
        ["app", "set", "kart", "--new", "--hours", "mon-fri 16:00-18:00, sat-sun 9:00-19:00"],
        "`latchkey app set kart --new --hours \"mon-fri 16:00-18:00, sat-sun 9:00-19:00\" --child Emma`"
      ),
    ] as [([String], String)])
  func aCommandThatNeedsOneChildIsShownWithOne(arguments: [String], command: String) async {
    let run = await ScriptedRun(arguments, node: ScriptedNode(family))
    #expect(
      run.status == 67 && run.console.notes.joined().hasSuffix("Name one, such as \(command)."), "\(run.console.notes)")
  }

  @Test func theCommandThatSetsBreaksNamesAChild() async {
    let run = await ScriptedRun("breaks", script: family)
    #expect(run.console.output.contains("`latchkey breaks set --child Emma --after 45m --for 10m`"))
    let none = await ScriptedRun("breaks", "set", "--after", "none", "--for", "10m", script: family)
    #expect(none.status == 64 && none.console.notes.joined().contains("`latchkey breaks remove`"))
  }

  @Test func aChildsMachineWithoutAChildIsToldToPair() async {
    var script = ScriptedNode.Script()
    script.rulesError = LocalAPIError(.unknownChild, "No child is known here yet.")
    script.status.role = .child
    let child = await ScriptedRun("rules", script: script)
    #expect(child.console.output.contains("run `latchkey pair` here"), "\(child.console.output)")
    script.status.role = .parent
    let parent = await ScriptedRun("rules", script: script)
    #expect(parent.console.output.contains("`latchkey children add Emma`"), "\(parent.console.output)")
  }

  @Test(arguments: [["apps", "group", "Emma"], ["days", "x"]])
  func anUnknownSubcommandNamesItsOwnHelp(arguments: [String]) async {
    let run = await ScriptedRun(arguments)
    let (text, path) = (run.console.notes.joined(), arguments.dropLast().joined(separator: " "))
    #expect(run.status == 64 && text.contains("`latchkey \(path) --help`") && !text.contains("'latchkey --help'"))
  }

  @Test func daysAndGroupsOfAllAreListed() async throws {
    var script = family
    script.rules.rules = [
      SampleValues.rule("days/2026-12-23..2027-01-06/school", "none"), SampleValues.rule("group/Fun/members", "kart"),
    ]
    script.settings.rules = [
      SampleValues.rule("today/2026-12-24/limit", "240"), SampleValues.rule("group/Blocks/members", "chess"),
    ]
    let days = await ScriptedRun("days", script: script).console.output
    #expect(days.contains("2026-12-23") && days.contains("2026-12-24") && days.contains("family"), "\(days)")
    let groups = await ScriptedRun("apps", "group", script: script).console.output
    #expect(groups.contains("Fun") && groups.contains("Blocks") && groups.contains("family"), "\(groups)")
    let one = await ScriptedRun("apps", "group", "--family", script: script).console.output
    #expect(one.contains("Blocks") && !one.contains("Fun"), "\(one)")
    let json = await ScriptedRun("apps", "group", "--format", "json", script: script).console.output
    #expect(json.contains("\"child\" : \"Emma\"") && json.contains("group/Blocks/members"), "\(json)")
    let none = await ScriptedRun("days", script: family).console.output
    #expect(none.contains("No day differs from the plan for anybody."), "\(none)")
  }

  @Test func daysWithOneNameAreRemovedTogetherAndNotGuessed() async {
    var script = ScriptedNode.Script()
    for days in ["2026-12-23..2026-12-31", "2027-02-01..2027-02-07"] {
      script.rules.rules += [
        SampleValues.rule(RegisterKey("days/\(days)/name") ?? "lock", "Holidays"),
        SampleValues.rule(RegisterKey("days/\(days)/school") ?? "lock", "none"),
      ]
    }
    let removed = await ScriptedRun("days", "remove", "holidays", "--child", "Emma", script: script)
    #expect(removed.node.edits.first?.request.changes.count == 4, "\(removed.console.notes)")
    let set = await ScriptedRun("times", "--child", "Emma", "--day", "Holidays", "--reward", "none", script: script)
    #expect(set.status == 64 && set.console.notes.joined().contains("Several days have that name"))
    script.rules.family = script.rules.rules
    script.rules.rules = []
    let familys = await ScriptedRun("days", "remove", "Holidays", "--child", "Emma", script: script)
    #expect(familys.console.notes.joined().contains("--family removes it"), "\(familys.console.notes)")
  }
}
