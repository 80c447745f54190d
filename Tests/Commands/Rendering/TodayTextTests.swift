import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of a child's day in words.
@Suite struct TodayTextTests {
  @Test func aDayWithoutALimitReadsAsOne() {
    var day = SampleValues.today
    (day.running, day.limitMilliseconds, day.usedMilliseconds) = ([], nil, 0)
    day.screen = VerdictToday(isAllowed: true, rule: nil, reason: nil, until: nil, leftMilliseconds: nil)
    #expect(TodayText.line(day) == "Emma 0 min used today · no limit")
    day.apps = []
    #expect(MeText.hint(day, []) == nil, "There is nothing to ask for more of.")
  }

  @Test func theNextBreakIsSaid() {
    var day = SampleValues.today
    day.running = []
    day.screen = VerdictToday(
      isAllowed: true, rule: "breaks", reason: "a break of 10 min after 45 min of screen time",
      until: day.at + 1_200_000, leftMilliseconds: 1_200_000)
    #expect(TodayText.line(day) == "Emma 1 h 12 min of 2 h · 48 min left · break in 20 min, at 14:20")
    day.limitMilliseconds = nil
    #expect(TodayText.line(day) == "Emma 1 h 12 min used today · break in 20 min, at 14:20")
  }
}
