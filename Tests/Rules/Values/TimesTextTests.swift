import LatchkeyRules
import Testing

/// Tests of times as people type them.
@Suite struct TimesTextTests {
  @Test(arguments: [
    ("20:00-07:00", "20:00-07:00"), ("22-7", "22:00-7:00"), ("9 – 19", "9:00-19:00"), ("20.30-7", "20:30-7:00"),
    ("9-12, 13-17:30", "9:00-12:00, 13:00-17:30"), ("16 to 18", "16:00-18:00"), ("OFF", "none"), ("None", "none"),
    ("Monday-Friday 8-13, Saturdays 9-11", "mon-fri 8:00-13:00, sat 9:00-11:00"),
    ("weekdays 20:00-07:00, weekend 21:00-08:00", "mon-fri 20:00-07:00, sat-sun 21:00-08:00"),
    ("mon-fri", "mon-fri"), ("plan", "plan"), ("8pm-7am", "8pm-7am"), ("mon 100-200", "mon 100-200"),
  ])
  func timesAreWrittenAsRulesTakeThem(text: String, typed: String) { #expect(TimesText.typed(text) == typed) }

  @Test func timesThatAreRefusedHaveAReason() {
    #expect(TimesText.fault(inWeek: TimesText.typed("Mondays 22-7")) == nil)
    #expect(TimesText.fault(inDay: TimesText.typed("22-7")) == nil)
    #expect(TimesText.fault(inWeek: "soon")?.sentence.contains("such as 20:00-07:00") == true)
    #expect(TimesText.fault(inDay: "mon 20:00-07:00")?.sentence.contains("no weekdays") == true)
  }
}
