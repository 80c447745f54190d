import LatchkeyModel
import Testing

/// Tests of spans of time as people write them.
@Suite struct SpanReaderTests {
  @Test(arguments: [
    ("30", 30), ("90min", 90), ("90 min", 90), ("1h30m", 90), ("1 h 30 min", 90), ("1.5h", 90), ("0.25 hours", 15),
    ("2.50h", 150), ("1d", 1_440),
  ])
  func aSpanIsReadInMinutes(text: String, minutes: Int) { #expect(SpanReader.minutes(text) == minutes) }

  @Test(arguments: [
    "", "h", "1:30", "1,5h", "1.5", "1.5m", "1.h", ".5h", "1.555h", "1h1.5h", "1.5h30m", "90s", "99999999999999999999h",
    "9999.5h", "-30m",
  ])
  func whatIsNoSpanOfMinutesIsRefused(text: String) { #expect(SpanReader.minutes(text) == nil) }

  @Test(
    arguments: [
      ("1:30", "1h30m"), ("0:45", "45m"), ("2:00", "2h"), ("1:30h", "1h30m"), ("1,5h", "1.5h"), ("0:00", nil),
      ("1:60", nil), ("1h", nil), ("1,2,3", nil), ("soon", nil),
    ] as [(String, String?)])
  func anotherSpellingIsRecognized(text: String, meant: String?) { #expect(SpanReader.meant(text) == meant) }
}
