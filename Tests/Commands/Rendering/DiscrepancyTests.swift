import LatchkeyHousehold
import LatchkeyModel
import Testing

/// Tests of the text about a different state that a child's machine reports.
@Suite struct DiscrepancyTests {
  private static let open: AppConfiguration = {
    var rule = SampleValues.configuration
    (rule.isBlocked, rule.dailyLimitMinutes) = (false, nil)
    return rule
  }()

  private static func discrepancy(
    _ state: StateInForce?, reason: String? = nil, isFamily: Bool = false, isFarAhead: Bool = false
  ) -> Discrepancy {
    Discrepancy(
      appID: isFamily ? nil : open.appID, displayName: isFamily ? nil : "Chess", commandID: SampleValues.commandID,
      state: state, reason: reason, isFarAhead: isFarAhead, at: SampleValues.now)
  }

  private func run(_ arguments: [String], _ discrepancy: Discrepancy) async -> ScriptedRun {
    var script = ScriptedNode.Script()
    script.devices[0].discrepancies = [discrepancy]
    if discrepancy.appID != nil { script.apps[0].discrepancy = discrepancy }
    return await ScriptedRun(arguments, node: ScriptedNode(script))
  }

  @Test(arguments: [
    (discrepancy(.app(open, .recorded)), "It says that it holds reward, 2.5 points a minute for org.gnome.Chess."),
    (discrepancy(.appRemoved(open.appID, modified: .never)), "It says that it holds no rules for org.gnome.Chess."),
    (discrepancy(.messageStored), "something that does not belong to this command"),
    (discrepancy(nil), "does not say what it holds"), (discrepancy(nil, reason: "No room."), "for Chess: No room."),
    (discrepancy(.app(open, .recorded), isFarAhead: true), "a day ahead of this machine's clock"),
  ])
  func besideTheRule(discrepancy: Discrepancy, words: String) async {
    let run = await run(["apps", "list"], discrepancy)
    #expect(run.status == 0 && run.console.output.contains("it says otherwise"))
    let note = run.console.notes.joined()
    #expect(note.contains("“Emma's PC” does not hold what was set here for Chess") && note.contains(words), "\(note)")
    // The family's rules are not what it is about.
    #expect(await self.run(["settings", "show"], discrepancy).console.notes.isEmpty)
  }

  @Test func whatWasNeverSetHereIsNotSaidToBe() async {
    var unknown = Self.discrepancy(.app(Self.open, .recorded))
    unknown.displayName = nil
    let note = await run(["apps", "list"], unknown).console.notes.joined()
    #expect(note.contains("holds rules for org.gnome.Chess that are not known here"), "\(note)")
    #expect(!note.contains("what was set here"))
  }

  @Test func besideTheFamilysRules() async {
    var settings = SampleValues.settings
    settings.defaultMilliPointsPerMinute = 999_999_999
    let discrepancy = Self.discrepancy(.familySettings(settings), isFamily: true)
    let note = await run(["settings", "show"], discrepancy).console.notes.joined()
    #expect(note.contains("for the family's rules") && note.contains("999999.999 points a minute"), "\(note)")
    #expect(await run(["apps", "list"], discrepancy).console.notes.isEmpty)
  }

  @Test func inJSONThereIsTheStateAndNoWarning() async {
    let run = await run(["apps", "list", "--format", "json"], Self.discrepancy(.app(Self.open, .recorded)))
    #expect(run.console.notes.isEmpty && run.console.output.contains("\"discrepancy\""))
  }

  @Test(arguments: [CommandStatus.failed, .superseded])
  func aCommandTellsWhatIsHeldInstead(status: CommandStatus) async {
    var script = ScriptedNode.Script()
    (script.command.status, script.command.reason) = (status, "It answered something else.")
    script.command.stateInForce = .app(Self.open, .recorded)
    let run = await ScriptedRun(["commands", "show", "01ab"], node: ScriptedNode(script))
    #expect(run.console.output.contains("reward, 2.5 points a minute for org.gnome.Chess"), "\(run.console.output)")
  }
}
