import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// Tests of what people type into fields in English and German.
@Suite struct TypedInputTests {
  @Test(arguments: [
    ("30 min", 30), ("30 Min", 30), ("1 h 30", 90), ("1h30m", 90), ("1 Std 30 Min", 90), ("1 Std. 30", 90),
    ("1,5 Std", 90), ("1.5 h", 90), ("0,25 Stunden", 15), ("2 Stunden", 120), ("90", 90), ("45 Minuten", 45),
  ])
  func durations(typed: String, minutes: Int) {
    #expect(SpanReader.minutes(TypedInput.rule(typed)) == minutes, "\(TypedInput.rule(typed))")
  }

  @Test(
    arguments: [
      ("Mo-Fr 16:00-18:00", "mon-fri 16:00-18:00"), ("mon-fri 16:00-18:00, sat 9:00-10:00", nil),
      ("Mo–Fr 20:00–07:00 und Sa 21:00 bis 8:00 Uhr", "mon-fri 20:00-07:00, sat 21:00-8:00"),
      ("Montag bis Freitag von 8:00 - 13:00", "mon-fri 8:00-13:00"), ("Keine", "none"), ("none", nil), ("late", nil),
      ("Mo-Do 1,5 Std, Sa-So 3 Std", "mon-thu 90min, sat-sun 3 h"), ("do 1h30m; so 2h", "thu 1h30m, sun 2h"),
      ("1 Std zwischen 16:00 und 20:00", "1 h within 16:00-20:00"), ("1h within 16:00-20:00", nil),
    ] as [(String, String?)])
  func times(typed: String, english: String?) {
    #expect(TypedInput.rule(typed) == english ?? typed)
  }

  @Test func pointsHaveACommaOrAPoint() throws {
    for (typed, read) in [
      ("2,5", "2.5"), ("2.5", "2.5"), ("20", "20"), ("0,125", "0.125"), ("1.33", "1.33"), ("1000", "1000"),
      ("1000,5", "1000.5"), ("keine", "none"),
    ] {
      #expect(try TypedInput.points(typed) == read, "\(typed)")
    }
    #expect(PointsText.milliPoints(try TypedInput.points("1,000,000")) == nil)
  }

  @Test(arguments: ["1.000", "1.234", "1,000", "1,333", "1.500", " 12.500", "nichts", "Nie"])
  func pointsThatCanBeReadInTwoWaysAreRefused(typed: String) {
    #expect(throws: RuleFault.self) { try TypedInput.points(typed) }
    let call = FormCall(
      node: AnsweringNode([:]), fields: FamilySample.fields(["points": typed]), now: 0,
      once: { _ in AnsweringNode([:]) })
    do throws(PageFault) {
      _ = try call.milliPoints("points", else: "No number.")
      Issue.record("It was read.")
    } catch { #expect(error.status == 400 && error.sentence.worded().contains("in two ways")) }
  }

  @Test(arguments: ["nie", "Nichts", "never", "ohne", "Mo-Fr nichts, Sa-So 2 Std", "mon-fri 1h, sat NEVER"])
  func aWordThatMeansNoTimeOrNoLimitIsRefused(typed: String) throws {
    var family = FamilySample()
    family.rules = [FamilySample.rule("limits/daily", "60"), FamilySample.rule("schedule/bedtime", "20:00-07:00")]
    for (rule, other) in [(PlanRule.daily, "write 0 for no time"), (.weekly, "write 0"), (.bedtime, "write the times")]
    {
      do throws(PlanEdit.Fault) {
        _ = try PlanEdit(rule, FamilySample.fields(["value": typed]), family.plan)
        Issue.record("It was read.")
      } catch { #expect(error.phrase.worded().contains(other), "\(error)") }
    }
    let app = KnownApplications.App(id: try #require(AppID("chess")), name: "Chess")
    #expect(throws: ApplicationForms.Fault.self) {
      try ApplicationForms.changes(FamilySample.fields(["app:chess": "on", "limit": typed]), [app])
    }
  }

  @Test(arguments: [
    ("1.30 Std", "1h30min"), ("1,30h", "1h30min"), ("mon-fri 1.15 h, sat 2h", "1h15min"), ("0.05 Stunden", "0h5min"),
  ])
  func hoursWhosePlacesCanBeMinutesAreRefused(typed: String, example: String) {
    do throws(RuleFault) {
      _ = try TypedInput.read(typed)
      Issue.record("It was read.")
    } catch { #expect(error.sentence.contains(example), "\(error)") }
  }

  @Test(arguments: [("1,25 h", "75min"), ("1.50 h", "90min"), ("2,00 Std", "120min"), ("1.75h", "105min")])
  func quartersOfAnHourAreClear(typed: String, read: String) throws {
    #expect(try TypedInput.read(typed) == read)
  }

  @Test(arguments: ["1000,5 h", "1000.5h", "1,5,5 h", "12,345 h", "mon 1000,5 h"])
  func noPartOfANumberIsReadAlone(typed: String) {
    var family = FamilySample()
    family.rules = [FamilySample.rule("limits/daily", "60"), FamilySample.rule("limits/weekly", "60")]
    for rule in [PlanRule.daily, .weekly] {
      #expect(throws: PlanEdit.Fault.self, "\(TypedInput.rule(typed))") {
        try PlanEdit(rule, FamilySample.fields(["value": typed]), family.plan)
      }
    }
  }

  @Test func aLimitThatIsRemovedIsSaidToBeUnlimited() throws {
    var family = FamilySample()
    family.rules = [FamilySample.rule("limits/daily", "60"), FamilySample.rule("limits/weekly", "60")]
    let clock = PageClock(zone: "Europe/Berlin", now: FamilySample.now)
    for (rule, word) in [(PlanRule.daily, "a day is unlimited"), (.weekly, "a week is unlimited")] {
      let edit = try PlanEdit(rule, FamilySample.fields(["value": "keine"]), family.plan)
      let words = PlanWords.sentences(of: edit, family.plan, clock).map { $0.worded() }
      #expect(words.contains { $0.contains(word) }, "\(words)")
    }
  }

  @Test func daysAreGermanOrOfTheCalendar() {
    #expect(TypedInput.day("24.12.2026")?.description == "2026-12-24")
    #expect(TypedInput.day("6. 1. 2027")?.description == "2027-01-06")
    #expect(TypedInput.day("2026-12-24")?.description == "2026-12-24")
    for text in ["31.02.2026", "24.12.26", "24/12/2026", ""] { #expect(TypedInput.day(text) == nil, "\(text)") }
  }

  @Test func fieldsShowTheirValuesInTheLanguageOfThePage() throws {
    let german = try #require(Language.named("de"))
    var family = FamilySample()
    family.rules = [
      FamilySample.rule("schedule/bedtime", "mon-fri 20:00-07:00, sat-sun 21:00-08:00"),
      FamilySample.rule("limits/daily", "90"), FamilySample.rule("limits/daily/sat", "180"),
      FamilySample.rule("limits/weekly", "600"), FamilySample.rule("limits/breaks", "45 10"),
    ]
    func values(_ language: Language) -> String {
      PlanRule.allCases.map { family.plan.shown($0) }
        .map { "\($0.value.worded(in: language)) \($0.length.worded(in: language))" }.joined(separator: "|")
    }
    #expect(
      values(german) == "Mo-Fr 20:00-07:00, Sa-So 21:00-08:00 | | |Mo-Fr 1 Std 30 Min, Sa 3 Std, So 1 Std 30 Min "
        + "|10 Std |45 Min 10 Min| ")
    #expect(
      values(.english).hasPrefix("mon-fri 20:00-07:00, sat-sun 21:00-08:00 | | |mon-fri 1 h 30 min, sat 3 h, sun"))
    // What a field shows is read as what it stands for.
    for (rule, key) in [(PlanRule.bedtime, "schedule/bedtime"), (.weekly, "limits/weekly")] {
      let fields = FamilySample.fields(["value": family.plan.shown(rule).value.worded(in: german)])
      #expect(throws: PlanEdit.Fault.self, "\(key)") { try PlanEdit(rule, fields, family.plan) }
    }
    let changed = try PlanEdit(.daily, FamilySample.fields(["value": "Mo-Fr 1,5 Std, Sa-So 2 Std"]), family.plan)
    #expect(changed.changes == [.init("limits/daily/sat", "120"), .init("limits/daily/sun", "120")])
    let days = ["value": "4 Std", "when": "days", "first": "23.12.2026", "last": "6.1.2027"]
    let christmas = try PlanEdit(.daily, FamilySample.fields(days), family.plan)
    #expect(christmas.changes == [.init("days/2026-12-23..2027-01-06/limit", "240")])
  }
}
