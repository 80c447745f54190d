import LatchkeyModel
import LatchkeyRules
import Testing

/// When an exception for single days holds no more: Protocol/11-rules.md §2.
@Suite struct PastDaysTests {
  @Test(
    "A time that ends on the next day holds until its end",
    arguments: [
      ("22:00-07:00", 20, 23, false), ("22:00-07:00", 21, 6, false), ("22:00-07:00", 21, 7, true),
      ("22:00-07:00", 22, 6, true), ("12:00-13:00", 20, 23, false), ("12:00-13:00", 21, 0, true), ("none", 21, 0, true),
    ] as [(String, Int, Int64, Bool)])
  func bedtime(value: String, day: Int, hour: Int64, isOver: Bool) throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    let first = try #require(FamilyDay("2026-11-20"))
    let instant = boundary.start(of: first.advanced(byDays: day - 20)) + hour * 3_600_000
    let key = DayRule.bedtime.key(on: DayRange(first))
    #expect(key.isOver(at: instant, value: value, boundary) == isOver)
  }

  @Test("A limit of a day ends with it")
  func limit() throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 4)
    let day = try #require(FamilyDay("2026-11-20"))
    let key = DayRule.limit.key(on: DayRange(day))
    let end = boundary.start(of: day.advanced(byDays: 1))
    #expect(!key.isOver(at: end - 1, value: "60", boundary) && key.isOver(at: end, value: "60", boundary))
    #expect(!ChildRule.bedtime.key.isOver(at: end, value: "20:00-07:00", boundary), "It is no exception.")
  }
}
