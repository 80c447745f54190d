import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the list of refused programs, and of allowing one of them, as people type and read it.
@Suite struct RefusedWordsTests {
  private static let child = SampleValues.refused[0].childID.description

  @Test func eachProgramIsListedWithTheCommandThatAllowsIt() async {
    let run = await ScriptedRun(["apps", "refused", "--child", "Emma"]) { $0.variables["COLUMNS"] = "80" }
    #expect(
      run.console.output == """
        Patience on Emma's PC, Emma, 2026-11-21 13:59
          latchkey apps allow Patience --child Emma

        kart on Emma's PC, Emma, 2026-11-21 13:00, path /home/emma/Downloads/kart
          latchkey apps allow kart --child Emma

        a$b on Emma's PC, Emma, 2026-11-21 12:00, path /home/emma/a$b
          latchkey apps allow a-b --child Emma

        """, "\(run.console.output)")
    #expect(run.console.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(run.status == 0 && run.console.notes.joined().contains("the child can replace a file"))
    #expect(!run.console.notes.joined().contains("All programs"))
    #expect(run.node.calls == [.ask(Endpoints.getRefused, "Emma")])
    let json = await ScriptedRun("apps", "refused", "--format", "json")
    #expect(json.console.output.contains("path /home/emma/Downloads/kart"))
  }

  @Test func whatMayRunByNowIsListedAndSaid() async {
    var script = ScriptedNode.Script()
    for index in script.refused.indices { script.refused[index].isRefusedNow = false }
    let run = await ScriptedRun("apps", "refused", script: script)
    #expect(run.console.output.contains("latchkey apps allow kart --child Emma"))
    #expect(
      run.console.notes.last
        == "All programs may run for Emma now, also these: `latchkey settings set --child Emma --programs listed` closes them "
        + "again.", "\(run.console.notes)")
    script.refused[1].childName = DeviceName(sanitising: "E$a")
    let odd = await ScriptedRun("apps", "refused", script: script)
    #expect(
      odd.console.output.contains("a shell would change") && odd.console.notes.contains { $0.hasSuffix("also these.") })
  }

  @Test func anEmptyListSaysWhatFillsIt() async {
    var script = ScriptedNode.Script()
    script.refused = []
    let run = await ScriptedRun("apps", "refused", script: script)
    #expect(run.status == 0 && run.console.output.contains("--programs listed"), "\(run.console.output)")
    let allowed = await ScriptedRun("apps", "allow", "kart", script: script)
    #expect(allowed.status == 67 && allowed.console.notes.joined().contains("`latchkey apps refused`"))
  }

  @Test(arguments: ["Patience", "patience", "org.kde.kpat"])
  func aKnownApplicationIsAllowedByACategory(text: String) async {
    var script = ScriptedNode.Script()
    script.installed = [SampleValues.installed]
    script.installed[0].apps.append(
      .init(appID: SampleValues.app("org.kde.kpat"), displayName: "Patience", version: "", settings: []))
    let run = await ScriptedRun("apps", "allow", text, "--child", "Emma", "--category", "learning", script: script)
    #expect(run.status == 0, "\(run.console.notes)")
    #expect(
      run.node.edits == [
        .init(child: Self.child, request: RuleRequest([.init("app/org.kde.kpat/category", "learning")]))
      ])
  }

  @Test func aProgramWithoutAnApplicationGetsOne() async {
    let run = await ScriptedRun("apps", "allow", "kart")
    #expect(run.status == 0, "\(run.console.notes)")
    #expect(
      run.node.edits == [
        .init(
          child: Self.child,
          request: RuleRequest([
            .init("app/kart/category", "neutral"), .init("app/kart/matchers", "path /home/emma/Downloads/kart"),
          ]))
      ])
    let notes = run.console.notes.joined()
    #expect(notes.contains("is recognized by path /home/emma/Downloads/kart."))
    #expect(notes.contains("sha256"), "What the child can change is told.")
  }

  @Test func ofTwoFilesWithOneNameNoneIsAllowedByIt() async {
    var script = ScriptedNode.Script()
    var other = SampleValues.refused[1]
    (other.appID, other.matcher) = (SampleValues.app("kart-2"), "path /home/emma/other/kart")
    script.refused.append(other)
    script.refused[1].appID = SampleValues.app("kart-1")
    let unclear = await ScriptedRun("apps", "allow", "kart", script: script)
    #expect(unclear.status == 67 && unclear.node.edits.isEmpty)
    #expect(unclear.console.notes.joined().contains("kart-1, kart-2"), "\(unclear.console.notes)")
    script.refused[1].appID = other.appID
    let same = await ScriptedRun("apps", "allow", "kart-2", script: script)
    #expect(same.status == 67 && same.node.edits.isEmpty && same.console.notes.joined().contains("--matcher"))
  }

  @Test func whatTheListHasNoRoomForIsSaid() async {
    var script = ScriptedNode.Script()
    script.refused[0].more = 3
    let run = await ScriptedRun("apps", "refused", script: script)
    #expect(run.console.notes.contains { $0.hasPrefix("“Emma's PC” has refused 3 more programs than") })
  }

  @Test func aWrongNameIsAskedAbout() async {
    let run = await ScriptedRun("apps", "allow", "kartt")
    let words = run.console.notes.joined()
    #expect(run.status == 67 && words.contains("Did you mean kart?") && run.node.edits.isEmpty, "\(words)")
    #expect(await ScriptedRun("apps", "allow", "").status == 64)
    var script = ScriptedNode.Script()
    var toms = SampleValues.refused[1]
    (toms.childID, toms.childName) = (ChildID(bytes: [UInt8](repeating: 9, count: 16))!, DeviceName(sanitising: "Tom"))
    script.refused.append(toms)
    let unclear = await ScriptedRun("apps", "allow", "kart", script: script)
    #expect(unclear.status == 67 && unclear.console.notes.joined().contains("Emma and Tom"))
    let toms2 = await ScriptedRun("apps", "allow", "kart", "--child", "Tom", script: script)
    #expect(toms2.node.edits.map(\.child) == [toms.childID.description])
  }

  @Test func whoeverAllowsOnlyListedApplicationsIsToldWhereToLook() async {
    let run = await ScriptedRun("settings", "set", "--child", "Emma", "--programs", "listed")
    let words = run.console.notes.joined()
    #expect(run.status == 0 && words.contains("`latchkey apps scan`") && words.contains("`latchkey apps refused`"))
    let all = await ScriptedRun("settings", "set", "--child", "Emma", "--programs", "all")
    #expect(!all.console.notes.joined().contains("apps refused"))
  }
}
