import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Days and moments as arguments, in a zone with clock changes.
@Suite struct TimeBoundTests {
  private let berlin = TimeText.zone("Europe/Berlin")

  private func milliseconds(_ text: String) throws -> Int64 {
    Int64(try Date.ISO8601FormatStyle().parse(text).timeIntervalSince1970) * 1_000
  }

  @Test(arguments: [
    ("2026-11-01", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"),
    // 23 and 25 hours.
    ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
    ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
    ("2028-02-29", "2028-02-28T23:00:00Z", "2028-02-29T23:00:00Z"),
    ("2026-12-31", "2026-12-30T23:00:00Z", "2026-12-31T23:00:00Z"),
  ])
  func aDayGoesFromItsMidnightToTheNext(text: String, from: String, to: String) throws {
    let bound = try #require(TimeBound(argument: text))
    #expect(bound.lowerBound(in: berlin) == (try milliseconds(from)))
    #expect(bound.upperBound(in: berlin) == (try milliseconds(to)))
  }

  @Test func aDayWithoutMidnightBeginsAtItsFirstMoment() throws {
    // Clocks in Beirut went from 23:59:59 to 01:00 when this day began.
    let bound = try #require(TimeBound(argument: "2025-03-30"))
    let zone = TimeText.zone("Asia/Beirut")
    #expect(bound.lowerBound(in: zone) == (try milliseconds("2025-03-29T22:00:00Z")))
  }

  @Test(arguments: [
    ("2026-11-01T14:30", "2026-11-01T13:30:00Z"), ("2026-11-01 14:30:05", "2026-11-01T13:30:05Z"),
    ("2026-07-01T00:00", "2026-06-30T22:00:00Z"), ("2026-11-01T14:30:00Z", "2026-11-01T14:30:00Z"),
    ("2026-11-01T14:30:00+01:00", "2026-11-01T13:30:00Z"), ("2026-11-01T14:30:00-05:00", "2026-11-01T19:30:00Z"),
  ])
  func aMomentIsOfItsZoneOrElseOfOurs(text: String, moment: String) throws {
    let bound = try #require(TimeBound(argument: text))
    #expect(bound.lowerBound(in: berlin) == (try milliseconds(moment)))
    // The moment itself belongs to a range that it ends.
    #expect(bound.upperBound(in: berlin) == (try milliseconds(moment)) + 1)
  }

  /// The hour from 2 to 3 is left out on the first of these nights and comes twice on the second;
  /// midnight comes twice in Havana.
  @Test(arguments: [
    ("Europe/Berlin", "2027-03-28T01:59:59", "2027-03-28T00:59:59Z"),
    ("Europe/Berlin", "2027-03-28T02:00", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T02:15", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T02:59:59", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T03:15:07", "2027-03-28T01:15:07Z"),
    ("Europe/Berlin", "2026-10-25T01:59", "2026-10-24T23:59:00Z"),
    ("Europe/Berlin", "2026-10-25T02:15", "2026-10-25T00:15:00Z"),
    ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-04T02:10", "2026-10-03T15:30:00Z"),
    ("America/Havana", "2026-11-01T00:30", "2026-11-01T04:30:00Z"),
    ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
    ("America/Havana", "2026-03-08T00:30", "2026-03-08T05:00:00Z"),
    ("Asia/Beirut", "2025-03-30T00:30", "2025-03-29T22:00:00Z"),
  ])
  func aTimeThatIsLeftOutMeansTheChangeAndOneThatComesTwiceTheFirst(zone: String, text: String, moment: String) throws {
    #expect(try #require(TimeBound(argument: text)).lowerBound(in: TimeText.zone(zone)) == (try milliseconds(moment)))
  }

  /// The sample's present is a Saturday.
  @Test(arguments: [
    ("today", "2026-11-21"), ("Yesterday", "2026-11-20"), ("saturday", "2026-11-21"), ("monday", "2026-11-16"),
    ("SUN", "2026-11-15"), ("fri", "2026-11-20"), ("2026-11-01", "2026-11-01"),
  ])
  func aDayMayBeAWord(word: String, day: String) {
    let environment = ScriptedRun.environment(node: ScriptedNode(), console: ScriptedConsole())
    TerminalEnvironment.$current.withValue(environment) {
      #expect(FamilyDay(words: word)?.description == day)
      #expect(TimeBound(argument: word) == TimeBound(argument: day))
    }
  }

  @Test func aWordIsADayOfThisMachinesZone() {
    var environment = ScriptedRun.environment(node: ScriptedNode(), console: ScriptedConsole())
    environment.timeZone = berlin
    // Half past midnight in Berlin, the day before in Greenwich; and the day after clocks were set
    // forward.
    for (moment, yesterday) in [("2026-11-20T23:30:00Z", "2026-11-20"), ("2026-03-29T22:30:00Z", "2026-03-29")] {
      let now = (try? milliseconds(moment)) ?? 0
      environment.now = { now }
      TerminalEnvironment.$current.withValue(environment) {
        #expect(FamilyDay(words: "yesterday")?.description == yesterday)
      }
    }
  }

  @Test func millisecondsCount() throws {
    let bound = try #require(TimeBound(argument: "2026-11-01T14:30:00.123Z"))
    #expect(bound.lowerBound(in: berlin) == (try milliseconds("2026-11-01T14:30:00Z")) + 123)
  }

  @Test(arguments: [
    "", "tomorrow", "mo", "2026", "2026-11", "2026-11-31", "2026-02-29", "2026-13-01", "2026-00-10", "26-11-01",
    "1969-12-31",
    "2026-11-1", "+026-11-01", "2026/11/01", "01.11.2026", "2026-11-01T", "2026-11-01T24:00", "2026-11-01T14:60",
    "2026-11-01T14:30:60", "2026-11-01T+4:30", "2026-11-01T4:30", "2026-11-01TT14:30", "2026-11-01T14:30T",
    "2026-11-01T14", "2026-11-01T14:30:00Zx", "２０２６-11-01", "2026-11-01T14:30:00+99:99",
  ])
  func whatIsNoDayOrMomentIsRefused(text: String) {
    #expect(TimeBound(argument: text) == nil)
  }

  @Test func aDayIsWrittenAsItIsRead() throws {
    for text in ["1970-01-01", "2026-11-01", "9999-12-31"] {
      #expect(try #require(FamilyDay(words: text)).description == text)
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T01:00:00.000+01:00"), (1_795_266_000_123, "2026-11-21T14:00:00.123+01:00"),
      (1_782_856_800_007, "2026-07-01T00:00:00.007+02:00"), (-1, "1970-01-01T00:59:59.999+01:00"),
    ] as [(Int64, String)])
  func aMomentIsWrittenToTheMillisecondWithItsOffset(milliseconds: Int64, text: String) {
    #expect(TimeText.exact(milliseconds, zone: berlin) == text)
    #expect(TimeText.short(milliseconds, zone: berlin) == text.prefix(16).replacing("T", with: " "))
  }
}
