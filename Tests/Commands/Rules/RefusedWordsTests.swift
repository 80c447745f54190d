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

  @Test func anEmptyListSaysWhetherListedModeIsOn() async {
    var script = ScriptedNode.Script()
    script.refused = []
    let off = await ScriptedRun("apps", "refused", script: script)
    #expect(
      off.status == 0
        && off.console.output.spaced.contains(
          "All programs may run for Emma, so nothing is refused: `latchkey settings set --child Emma --programs listed` "
            + "allows only listed ones."),
      "\(off.console.output)")
    script.rules.family.append(SampleValues.rule("programs", "listed"))
    let on = await ScriptedRun("apps", "refused", "--child", "Emma", script: script)
    #expect(
      on.console.output.spaced.contains(
        "Only listed programs may run for Emma, and nothing was refused within a week."),
      "\(on.console.output)")
    #expect(!on.console.output.contains("--programs"))
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

  @Test func aProgramThatGetsANameIsNamedByItInTheReceipt() async {
    var script = ScriptedNode.Script()
    script.refused[1].appID = SampleValues.app("kart-0a1b2c3d")
    script.refused[1].newName = "kart"
    script.rules.rules.append(
      RuleListing(
        key: "app/kart-0a1b2c3d/name", value: "kart", name: "name of kart", words: "kart",
        setBy: DeviceName(sanitising: "Kitchen laptop"), setAt: 0))
    let run = await ScriptedRun("apps", "allow", "kart", script: script)
    #expect(run.status == 0, "\(run.console.notes)")
    #expect(run.node.edits.first?.request.changes.first == .init("app/kart-0a1b2c3d/name", "kart"))
    #expect(run.console.notes.contains("Emma: kart-0a1b2c3d called kart."), "\(run.console.notes)")
    #expect(run.console.notes.contains("Emma: kart neutral."), "\(run.console.notes)")
    script.refused[1].newName = nil
    script.refused[1].displayName = "kart-0a1b2c3d"
    script.refused[1].category = .learning
    let taken = await ScriptedRun("apps", "allow", "kart-0a1b2c3d", script: script)
    #expect(taken.console.notes.joined().contains("It counts as “kart-0a1b2c3d”, which"), "\(taken.console.notes)")
  }

  /// A program of the child's own, as the child's menu calls it.
  private static let zirp = {
    var zirp = SampleValues.refused[1]
    (zirp.appID, zirp.displayName, zirp.isNew) = (SampleValues.app("net.zirp.zirp"), "Zirp", false)
    (zirp.matcher, zirp.file) = ("sha256 " + String(repeating: "0a", count: 32), "/home/emma/games/zirp")
    return zirp
  }()

  private func allow(
    _ arguments: String..., by change: (inout RefusedListing) -> Void = { _ in }
  ) async -> ScriptedRun {
    var script = ScriptedNode.Script()
    var zirp = Self.zirp
    change(&zirp)
    script.refused = [zirp]
    script.installed = [SampleValues.installed]
    script.installed[0].apps.append(
      .init(appID: zirp.appID, displayName: zirp.displayName, version: "", settings: []))
    return await ScriptedRun(["apps", "allow"] + arguments + ["--child", "Emma"], node: ScriptedNode(script))
  }

  @Test func aProgramOfTheChildsOwnIsListedWithItsFileAndAllowedByItsContent() async {
    var script = ScriptedNode.Script()
    script.refused = [Self.zirp]
    let list = await ScriptedRun(["apps", "refused"], node: ScriptedNode(script)) {
      $0.variables["COLUMNS"] = "200"
    }
    #expect(list.console.output.contains("the child's own file /home/emma/games/zirp"), "\(list.console.output)")
    #expect(list.console.output.contains("  latchkey apps allow Zirp --child Emma\n"))
    for text in ["zirp", "Zirp", "net.zirp.zirp", "/home/emma/games/zirp"] {
      let run = await allow(text)
      #expect(run.status == 0, "\(run.console.notes)")
      #expect(
        run.node.edits == [
          .init(
            child: Self.child,
            request: RuleRequest([
              .init("app/net.zirp.zirp/category", "neutral"), .init("app/net.zirp.zirp/matchers", Self.zirp.matcher),
            ]))
        ])
      let notes = run.console.notes.joined(separator: " ")
      #expect(notes.contains("the child's own file /home/emma/games/zirp as it is now"), "\(notes)")
      #expect(notes.contains("It counts as “Zirp” (net.zirp.zirp): that application's rules hold for it."), "\(notes)")
      #expect(!notes.contains("A path allows"), "\(notes)")
      #expect(notes.contains("runs any of them once it is allowed"), "\(notes)")
    }
  }

  @Test func whatIsListedAlreadyKeepsItsCategoryAndItsMatchers() async {
    let run = await allow("Zirp") { ($0.isListed, $0.category, $0.matchers) = (true, .learning, ["name zirp"]) }
    let matchers = "name zirp\n\(Self.zirp.matcher ?? "")"
    #expect(
      run.node.edits.map(\.request) == [RuleRequest([.init("app/net.zirp.zirp/matchers", matchers)])],
      "\(run.console.notes)")
    #expect(run.console.notes.joined().contains("which is learning"), "\(run.console.notes)")
    let given = await allow("Zirp", "--category", "reward") { $0.isListed = true }
    #expect(given.node.edits.first?.request.changes.first?.value == "reward")
    let byDefault = await allow("Zirp") { $0.category = .reward }
    #expect(byDefault.node.edits.first?.request.changes.first?.value == "reward", "It goes on to cost points.")
    let digests = (0..<64).map { "sha256 " + String(repeating: $0 < 10 ? "0\($0)" : "\($0)", count: 32) }
    let many = await allow("Zirp") { ($0.isListed, $0.matchers) = (true, digests) }
    let lines = many.node.edits.first?.request.changes.first?.value?.split(separator: "\n").map(String.init) ?? []
    #expect(lines.count == 64 && lines.first == digests[1] && lines.last == Self.zirp.matcher)
  }

  @Test func whatAnAllowWouldMakeOfAProgramIsListedBeforehand() async {
    for (change, words) in [
      ({ $0.category = .learning }, "which is learning"), ({ $0.isAlwaysAllowed = true }, "which is always allowed"),
    ] as [((inout RefusedListing) -> Void, String)] {
      var script = ScriptedNode.Script()
      var zirp = Self.zirp
      change(&zirp)
      script.refused = [zirp, SampleValues.refused[0]]
      change(&script.refused[1])
      let run = await ScriptedRun(["apps", "refused"], node: ScriptedNode(script)) { $0.variables["COLUMNS"] = "200" }
      let page = run.console.output
      #expect(
        page.contains("count as “Zirp” (net.zirp.zirp), \(words), a name that the child may have given it."), "\(page)")
      #expect(page.contains("  It would count as “Patience” (org.kde.kpat), \(words).\n"), "\(page)")
    }
    var script = ScriptedNode.Script()
    script.refused[1].category = .learning
    let run = await ScriptedRun("apps", "allow", "kart", script: script)
    let notes = run.console.notes.joined()
    #expect(notes.contains("It counts as “kart”, which is learning."), "\(notes)")
  }

  @Test func whatTheChildCanReplaceIsNotAllowedByItsPlace() async {
    let file = "/home/emma/games/zirp"
    let run = await allow("Zirp") { ($0.matcher, $0.isReplaceable) = ("path \(file)", true) }
    let words = run.console.notes.joined()
    #expect(run.status == 65 && run.node.edits.isEmpty, "\(words)")
    #expect(
      words.contains("--matcher \"path \(file)\"` allows whatever the child puts there, and whatever that runs"),
      "\(words)")
    #expect(words.contains("an interpreter or a copy of one, which runs whatever the child gives it"), "\(words)")
    var script = ScriptedNode.Script()
    script.refused = [Self.zirp]
    (script.refused[0].matcher, script.refused[0].isReplaceable) = ("path \(file)", true)
    let list = await ScriptedRun("apps", "refused", script: script)
    #expect(!list.console.output.contains("latchkey apps allow"), "\(list.console.output)")
    #expect(list.console.output.contains("cannot be allowed by its content"), "\(list.console.output)")
  }

  @Test(arguments: [("path /usr/bin/python3.11", true), ("path /usr/bin/mawk", false)])
  func anInterpreterAsAWholeIsNotAllowedInOneStep(matcher: String, showsScript: Bool) async {
    var script = ScriptedNode.Script()
    let name = String(matcher.split(separator: "/").last ?? "")
    script.refused = [SampleValues.refused[1]]
    (script.refused[0].displayName, script.refused[0].matcher) = (name, matcher)
    (script.refused[0].isInterpreter, script.refused[0].showsScript) = (true, showsScript)
    for text in [name, "kart", String(matcher.dropFirst(5)), matcher] {
      let run = await ScriptedRun("apps", "allow", text, "--child", "Emma", script: script)
      let words = run.console.notes.joined()
      #expect(run.status == 65 && run.node.edits.isEmpty, "\(words)")
      #expect(words.contains("cannot be allowed in one step: it runs whatever it is given"), "\(words)")
      #expect(words.contains("--matcher \"argument /home/…/game.py\"` allows one script") == showsScript, "\(words)")
      #expect(words.contains("\"\(matcher)\""), "\(words)")
    }
    let list = await ScriptedRun("apps", "refused", script: script)
    #expect(!list.console.output.contains("latchkey apps allow"), "\(list.console.output)")
    #expect(list.console.output.contains("cannot be allowed in one step"), "\(list.console.output)")
    #expect(!list.console.notes.joined().contains("A path allows"), "\(list.console.notes)")
  }

  @Test func aProgramIsNamedByWhatTheListShowsOfIt() async {
    var script = ScriptedNode.Script()
    for kind in ["argument", "path"] {
      let matcher = "\(kind) /home/emma/a folder/ok.py"
      (script.refused[1].displayName, script.refused[1].matcher) = ("ok.py", matcher)
      for text in ["/home/emma/a folder/ok.py", matcher, "ok.py"] {
        let run = await ScriptedRun("apps", "allow", text, "--child", "Emma", script: script)
        #expect(run.status == 0, "\(run.console.notes)")
        #expect(run.node.edits.first?.request.changes.last == .init("app/kart/matchers", matcher), "\(text)")
      }
      let other = await ScriptedRun("apps", "allow", "/home/emma/ok.py", script: script)
      #expect(other.status == 67 && other.node.edits.isEmpty)
    }
    let long = "/home/emma/" + String(repeating: "a", count: 300)
    script.refused[1].matcher = "argument \(long)"
    #expect(await ScriptedRun("apps", "allow", long, script: script).status == 0, "It is longer than a name.")
  }

  @Test func ofTwoFilesOfOneApplicationTheFileIsNamed() async {
    var script = ScriptedNode.Script()
    var other = Self.zirp
    (other.matcher, other.file) = ("sha256 " + String(repeating: "0b", count: 32), "/home/emma/games/zirp-server")
    script.refused = [Self.zirp, other]
    script.installed = [SampleValues.installed]
    script.installed[0].apps.append(.init(appID: other.appID, displayName: "Zirp", version: "", settings: []))
    let list = await ScriptedRun("apps", "refused", script: script)
    #expect(list.console.output.contains("  latchkey apps allow \"/home/emma/games/zirp-server\" --child Emma\n"))
    let unclear = await ScriptedRun("apps", "allow", "Zirp", script: script)
    #expect(unclear.status == 67 && unclear.console.notes.joined().contains("/home/emma/games/zirp-server"))
    let run = await ScriptedRun("apps", "allow", "/home/emma/games/zirp-server", script: script)
    #expect(run.node.edits.first?.request.changes.last?.value == other.matcher, "\(run.console.notes)")
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
    #expect(words.contains("which does not list them: an application is listed once you set one."), "\(words)")
    var script = ScriptedNode.Script()
    script.installed = [SampleValues.installed]
    let known = await ScriptedRun("settings", "set", "--child", "Emma", "--programs", "listed", script: script)
    let example = "such as with `latchkey app set GCompris --child Emma --category learning`."
    #expect(known.console.notes.last?.hasSuffix(example) == true, "\(known.console.notes)")
    let all = await ScriptedRun("settings", "set", "--child", "Emma", "--programs", "all")
    #expect(!all.console.notes.joined().contains("apps refused"))
  }
}

extension String {
  /// The text with a space in place of each end of a line.
  fileprivate var spaced: String { replacing("\n", with: " ") }
}
