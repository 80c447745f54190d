import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct HouseholdClockTests {
  private static let hour: Int64 = 3_600_000
  private static let start: Int64 = 1_795_446_000_000

  private func reading(_ boot: Int64, _ wall: Int64, vouched: Bool = false, bootID: String = "a") -> ClockReading {
    ClockReading(bootID: bootID, boot: BootInstant(milliseconds: boot), wall: wall, isVouched: vouched)
  }

  /// Takes a reading outside of `#expect`, whose macro makes its arguments constant.
  private func change(_ clock: inout HouseholdClock, _ reading: ClockReading) -> HouseholdClock.Change? {
    clock.read(reading)
  }

  private func day(_ clock: inout HouseholdClock, _ boot: Int64, _ boundary: DayBoundary) -> String {
    clock.day(at: BootInstant(milliseconds: boot), boundary).description
  }

  @Test func withinABootTheWallClockIsNotFollowed() {
    var clock = HouseholdClock(reading(1_000, Self.start))
    #expect(change(&clock, reading(1_000 + Self.hour, Self.start + Self.hour)) == nil)
    // Set back by a day, set forward by a day, and by less than a minute.
    let later = BootInstant(milliseconds: 1_000 + 2 * Self.hour)
    for offset in [-24 * Self.hour, 24 * Self.hour] {
      let jumped = reading(later.milliseconds, Self.start + 2 * Self.hour + offset)
      #expect(change(&clock, jumped) == .ignored(by: offset))
      #expect(clock.time(at: later) == Self.start + 2 * Self.hour)
    }
    #expect(change(&clock, reading(later.milliseconds, Self.start + 2 * Self.hour - 30_000)) == nil)
    // The boot clock counts through sleep.
    #expect(clock.time(at: later + 9 * Self.hour) == Self.start + 11 * Self.hour)
  }

  @Test func aBelievedTimeIsFollowedBothWays() {
    var clock = HouseholdClock(reading(0, Self.start))
    #expect(change(&clock, reading(1, Self.start + Self.hour, vouched: true)) == .corrected(by: Self.hour - 1))
    #expect(clock.time(at: BootInstant(milliseconds: 1)) == Self.start + Self.hour)
    #expect(change(&clock, reading(2, Self.start, vouched: true)) == .corrected(by: -Self.hour - 1))
    #expect(clock.time(at: BootInstant(milliseconds: 2)) == Self.start)
    #expect(change(&clock, reading(3, Self.start + 11, vouched: true)) == nil)
  }

  @Test func afterABootTheLaterOfBothTimesCounts() {
    var clock = HouseholdClock(reading(0, Self.start))
    clock.read(reading(Self.hour, Self.start + Self.hour))
    var off = clock
    #expect(change(&off, reading(5_000, Self.start + 30 * Self.hour, bootID: "b")) == nil)
    #expect(off.time(at: BootInstant(milliseconds: 5_000)) == Self.start + 30 * Self.hour)
    // A clock that lost its battery, or was set back while the machine was off.
    #expect(change(&clock, reading(5_000, 0, bootID: "b")) == .ignored(by: -(Self.start + Self.hour + 5_000)))
    #expect(clock.time(at: BootInstant(milliseconds: 5_000)) == Self.start + Self.hour + 5_000)
    // Days wait for the clock.
    #expect(clock.dayTime(at: BootInstant(milliseconds: 6_000)) == 1_000)
  }

  @Test func aDayThatWasReachedIsNotReachedAgain() throws {
    let berlin = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 0)
    let honolulu = try DayBoundary(zone: "Pacific/Honolulu", dayStartHour: 0)
    let time = try HouseholdSamples.instant("2026-11-23T23:30:00Z")
    var clock = HouseholdClock(reading(0, time))
    #expect(day(&clock, 0, berlin) == "2026-11-24")
    // Another zone or another hour does not bring the day before back.
    #expect(day(&clock, 0, honolulu) == "2026-11-24")
    let late = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 6)
    #expect(day(&clock, 0, late) == "2026-11-24")
    #expect(day(&clock, 48 * Self.hour, berlin) == "2026-11-26")
    // A believable time does, since that day was never reached.
    clock.read(reading(1, time, vouched: true))
    #expect(day(&clock, 1, berlin) == "2026-11-26")
    clock.read(reading(2, time - 2 * Self.hour, vouched: true))
    #expect(day(&clock, 2, berlin) == "2026-11-23")
  }

  @Test func noSequenceOfWallClocksMovesTheTimeWithinABoot() throws {
    var random = SeededRandom()
    for _ in 0..<200 {
      var clock = HouseholdClock(reading(0, Self.start))
      var boot: Int64 = 0
      for _ in 0..<30 {
        boot += Int64(random.below(3_600_000))
        clock.read(reading(boot, Int64.random(in: .min ... .max, using: &random)))
        #expect(clock.time(at: BootInstant(milliseconds: boot)) == Self.start + boot, "\(random.note)")
      }
    }
  }

  @Test func noReadingTraps() throws {
    var random = SeededRandom()
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4)
    let numbers: [Int64] = [.min, -1, 0, 1, Self.start, HybridTimestamp.wallLimit, .max]
    for _ in 0..<2_000 {
      var clock = HouseholdClock(reading(random.pick(numbers), random.pick(numbers)))
      for _ in 0..<5 {
        clock.read(
          reading(
            random.pick(numbers), random.pick(numbers), vouched: random.once(in: 3), bootID: random.pick(["a", "b"])))
        let boot = BootInstant(milliseconds: random.pick(numbers))
        let time = clock.time(at: boot)
        #expect(HybridTimestamp.walls.contains(time))
        _ = clock.day(at: boot, boundary)
      }
      #expect(HouseholdClock(clock.stored) == clock)
    }
  }
}
