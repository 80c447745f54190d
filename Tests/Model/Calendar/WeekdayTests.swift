import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct WeekdayTests {
  @Test(arguments: [
    ("1900-01-01", Weekday.monday), ("1969-12-31", .wednesday), ("1970-01-01", .thursday), ("2024-02-29", .thursday),
    ("2026-11-22", .sunday), ("9999-12-31", .friday),
  ])
  func aDateHasItsWeekday(text: String, weekday: Weekday) throws {
    let day = try #require(FamilyDay(text))
    #expect(day.weekday == weekday)
    #expect(day.startOfWeek.weekday == .monday || day.startOfWeek == .first)
    #expect(day.days(since: day.startOfWeek) == weekday.rawValue)
  }

  @Test func daysAreCountedBothWays() throws {
    let early = try #require(FamilyDay("2026-02-27"))
    let late = try #require(FamilyDay("2026-03-02"))
    #expect(late.days(since: early) == 3)
    #expect(early.days(since: late) == -3)
  }

  @Test(arguments: [
    ("2026-11-22", 0, "2026-11-21T23:00:00Z"), ("2026-11-22", 1_200, "2026-11-22T19:00:00Z"),
    ("2026-11-22", 1_440, "2026-11-22T23:00:00Z"), ("2026-11-22", 2_880, "2026-11-23T23:00:00Z"),
    // Left out when the clocks go forward: the change. Twice when they go back: the first.
    ("2026-03-29", 150, "2026-03-29T01:00:00Z"), ("2026-03-29", 180, "2026-03-29T01:00:00Z"),
    ("2026-10-25", 150, "2026-10-25T00:30:00Z"), ("2026-10-25", 180, "2026-10-25T02:00:00Z"),
    ("2026-11-22", -5, "2026-11-21T23:00:00Z"), ("2026-11-22", .max, "2026-11-23T23:00:00Z"),
  ])
  func aClockTimeOnADateIsTheFirstInstantThatShowsIt(text: String, minute: Int, expected: String) throws {
    let berlin = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4)
    let day = try #require(FamilyDay(text))
    let instant = try Date(expected, strategy: .iso8601).timeIntervalSince1970 * 1_000
    #expect(berlin.instant(on: day, minute: minute) == Int64(instant))
  }
}
