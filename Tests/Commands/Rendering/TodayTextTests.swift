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

  @Test("A time is not said behind an exception, to which it would seem to belong")
  func anExceptionFollowsTheTime() {
    var day = SampleValues.today
    day.screen = VerdictToday(
      isAllowed: false, rule: "breaks",
      reason: Phrase("{reason}, but only what a rule names is closed", ["reason": "a break of 2 min"]),
      until: day.at + 1_200_000)
    let words = "until 14:20: a break of 2 min, but only what a rule names is closed"
    #expect(ShownText.worded(TodayText.phrase(day.screen, at: day.at, zone: day.zone)) == "not allowed \(words)")
    #expect(TodayText.obstacle(day) == "Emma still has to wait \(words).")
    day.screen.reason = "a break of 2 min"
    #expect(
      ShownText.worded(TodayText.phrase(day.screen, at: day.at, zone: day.zone))
        == "not allowed: a break of 2 min, until 14:20")
  }
}
