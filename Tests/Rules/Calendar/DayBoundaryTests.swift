import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct DayBoundaryTests {
  private static let hour: Int64 = 3_600_000

  private func boundary(_ zone: String, _ hour: Int = 0) throws -> DayBoundary {
    try DayBoundary(zone: zone, dayStartHour: hour)
  }

  private func instant(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000
  }

  @Test(arguments: [
    ("Europe/Berlin", 0, "2026-03-29", "2026-03-28T23:00:00Z", 23),
    ("Europe/Berlin", 0, "2026-10-25", "2026-10-24T22:00:00Z", 25),
    ("Europe/Berlin", 4, "2026-03-28", "2026-03-28T03:00:00Z", 23),
    ("Europe/Berlin", 4, "2026-03-29", "2026-03-29T02:00:00Z", 24),
    ("Europe/Berlin", 4, "2026-10-24", "2026-10-24T02:00:00Z", 25),
    ("America/New_York", 0, "2026-03-08", "2026-03-08T05:00:00Z", 23),
    ("America/New_York", 0, "2026-11-01", "2026-11-01T04:00:00Z", 25),
    ("UTC", 0, "2026-11-21", "2026-11-21T00:00:00Z", 24),
    ("Asia/Kathmandu", 3, "2026-11-21", "2026-11-20T21:15:00Z", 24),
    ("Pacific/Kiritimati", 0, "2026-11-21", "2026-11-20T10:00:00Z", 24),
    // The hour the day should start at is left out: the day starts at the jump.
    ("Europe/Berlin", 2, "2026-03-29", "2026-03-29T01:00:00Z", 23),
    ("Africa/Cairo", 0, "2026-04-24", "2026-04-23T22:00:00Z", 23),
    // It is read twice: the day starts at the first.
    ("Europe/Berlin", 2, "2026-10-25", "2026-10-25T00:00:00Z", 25),
    ("Atlantic/Azores", 0, "2026-10-25", "2026-10-25T00:00:00Z", 25),
    // A whole day was left out when the islands crossed the date line.
    ("Pacific/Apia", 0, "2011-12-29", "2011-12-29T10:00:00Z", 24),
    ("Pacific/Apia", 0, "2011-12-30", "2011-12-30T10:00:00Z", 0),
    ("Pacific/Apia", 0, "2011-12-31", "2011-12-30T10:00:00Z", 24),
  ])
  func aDayStartsAndLasts(zone: String, hour: Int, day: String, start: String, hours: Int64) throws {
    let boundary = try boundary(zone, hour)
    let day = try #require(FamilyDay(day))
    #expect(boundary.start(of: day) == (try instant(start)))
    #expect(boundary.end(of: day) - boundary.start(of: day) == hours * Self.hour)
    if hours > 0 {
      #expect(boundary.day(containing: boundary.start(of: day)) == day)
      #expect(boundary.day(containing: boundary.end(of: day) - 1) == day)
    }
    #expect(boundary.day(containing: boundary.start(of: day) - 1) < day)
    #expect(boundary.day(containing: boundary.end(of: day)) > day)
  }

  @Test func halfAnHoursChangeMakesADayOfTwentyThreeAndAHalfHours() throws {
    let boundary = try boundary("Australia/Lord_Howe")
    let day = try #require(FamilyDay("2026-10-04"))
    #expect((boundary.end(of: day) - boundary.start(of: day)) * 2 == 47 * Self.hour)
  }

  @Test func theEveningBeforeTheStartHourBelongsToTheDayBefore() throws {
    let boundary = try boundary("Europe/Berlin", 4)
    #expect(boundary.day(containing: try instant("2026-11-21T02:59:59Z")).description == "2026-11-20")
    #expect(boundary.day(containing: try instant("2026-11-21T03:00:00Z")).description == "2026-11-21")
  }

  @Test(arguments: ["", "Europe/Nowhere", "europe/berlin", "CEST", "../etc/localtime", "Europe/Berlin\n"])
  func anUnknownZoneIsRefused(zone: String) {
    #expect(throws: DayBoundaryError.unknownZone(zone)) { try DayBoundary(zone: zone, dayStartHour: 0) }
  }

  @Test(arguments: [-1, 24, .min, .max])
  func anHourThatIsNoneIsRefused(hour: Int) {
    #expect(throws: DayBoundaryError.startHourOutOfRange(hour)) { try DayBoundary(zone: "UTC", dayStartHour: hour) }
  }

  @Test func instantsBeyondAllDaysAreInTheFirstOrLast() throws {
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
      for hour in [0, 23] {
        let boundary = try boundary(zone, hour)
        #expect(boundary.day(containing: .min) == .first)
        #expect(boundary.day(containing: .max) == .last)
        #expect(boundary.end(of: .last) > boundary.start(of: .last))
      }
    }
  }

  /// The definition itself, read off Foundation's calendar: before the start clocks show less, from
  /// it on more.
  @Test func daysOfAllZonesStartWhereTheirClocksSay() throws {
    var random = SeededRandom()
    let zones = TimeZone.knownTimeZoneIdentifiers
    var calendar = Calendar(identifier: .gregorian)
    for _ in 0..<3_000 {
      let name = try #require(zones.randomElement(using: &random))
      let hour = Int.random(in: 0...23, using: &random)
      let boundary = try boundary(name, hour)
      calendar.timeZone = try #require(TimeZone(identifier: name))
      let day = try #require(FamilyDay("1970-01-02")).advanced(byDays: Int.random(in: 0...25_000, using: &random))
      let wanted = "\(day) \(String(format: "%02d", hour))"
      let start = boundary.start(of: day)
      func clock(_ instant: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(instant) / 1_000)
        let parts = calendar.dateComponents([.year, .month, .day, .hour], from: date)
        return String(
          format: "%04d-%02d-%02d %02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0)
      }
      let context: Comment = "seed \(random.seed): \(name), \(wanted)"
      #expect(clock(start) >= wanted, context)
      for back in [1, 900_000, 1_800_000, 3_599_999, 3_600_000, 7_200_000, 43_200_000, 86_399_999] as [Int64] {
        #expect(clock(start - back) < wanted, context)
      }
      let end = boundary.end(of: day)
      #expect(end >= start, context)
      if end > start {
        let inside = Int64.random(in: start..<end, using: &random)
        #expect(boundary.day(containing: inside) == day, context)
      }
    }
  }
}
