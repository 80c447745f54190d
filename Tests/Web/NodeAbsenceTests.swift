import LatchkeyModel
import Testing

@testable import LatchkeyWeb

@Suite struct NodeAbsenceTests {
  private static let away = LocalAPIError(.timeout, "No node is running for /home/mum: start it.")
  private static let start: Int64 = 1_795_950_000_000

  @Test func itIsSaidSinceWhenAndNoPathUntilItAnswersAgain() throws {
    let absence = NodeAbsence()
    let clock = PageClock(now: Self.start)
    func said(_ now: Int64) throws -> String { try #require(absence.sentence(Self.away, now: now)).worded() }
    let first = try said(Self.start)
    #expect(first.contains(clock.time(Self.start)) && !first.contains("/home") && !first.contains("`"), "\(first)")
    #expect(try said(Self.start + 600_000).contains(clock.time(Self.start)))
    absence.answered(.parent)
    let again = try said(Self.start + 1_200_000)
    #expect(again.contains(clock.time(Self.start + 1_200_000)) && again.contains("latchkey doctor"), "\(again)")
    absence.answered(.child)
    #expect(try !said(Self.start).contains("doctor"))
    // A clock that was set back.
    #expect(try said(Self.start - 60_000).contains(clock.time(Self.start - 60_000)))
    #expect(absence.sentence(LocalAPIError(.internal, "x"), now: Self.start) == nil)
  }
}
