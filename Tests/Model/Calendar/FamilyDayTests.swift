import Foundation
import LatchkeyModel
import Testing

@Suite struct FamilyDayTests {
  @Test(arguments: ["1900-01-01", "1970-01-01", "1999-12-31", "2000-02-29", "2024-02-29", "2026-11-21", "9999-12-31"])
  func aDayIsReadAsItIsWritten(text: String) throws {
    let day = try #require(FamilyDay(text))
    #expect(day.description == text)
    #expect(try JSONDecoder().decode([FamilyDay].self, from: JSONEncoder().encode([day])) == [day])
  }

  @Test(arguments: [
    "", "2026", "2026-11", "2026-11-", "2026-11-31", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10",
    "2026-01-00", "26-11-21", "2026-1-21", "2026-11-21 ", " 2026-11-21", "2026/11/21", "2026-11-21T00", "+026-11-21",
    "-026-11-21", "2026-+1-21", "1899-12-31", "0000-01-01", "２０２６-11-21", "2026--1-21", "2026-11-2１",
  ])
  func whatIsNoDayIsRefused(text: String) {
    #expect(FamilyDay(text) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([FamilyDay].self, from: JSONEncoder().encode([text]))
    }
  }

  @Test func everyDayFollowsTheOneBeforeAsInTheGregorianCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var day = try #require(FamilyDay("1970-01-01"))
    for number in 0..<60_000 {
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let expected = [parts.year, parts.month, parts.day].map { $0 ?? 0 }
      #expect(day.description.split(separator: "-").map { Int($0) ?? -1 } == expected)
      #expect(FamilyDay(day.description) == day)
      let next = day.advanced(byDays: 1)
      #expect(day < next && next.advanced(byDays: -1) == day)
      day = next
    }
  }

  @Test func countingGoesNoFurtherThanTheFirstAndLastDay() {
    #expect(FamilyDay.first.description == "1900-01-01")
    #expect(FamilyDay.last.description == "9999-12-31")
    #expect(FamilyDay.first.advanced(byDays: -1) == .first)
    #expect(FamilyDay.last.advanced(byDays: 1) == .last)
    #expect(FamilyDay.last.advanced(byDays: .max) == .last)
    #expect(FamilyDay.first.advanced(byDays: .min) == .first)
  }
}
