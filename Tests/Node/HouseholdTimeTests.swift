import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Synchronization
import Testing

@testable import LatchkeyNode

/// The household's time on a child's machine and on a parent's.
@Suite struct HouseholdTimeTests {
  /// Clocks that a test sets.
  private final class Clocks: Sendable {
    private let reading: Mutex<ClockReading>

    init(boot: String = "a", at milliseconds: Int64 = 1_000, wall: Int64, isVouched: Bool = false) {
      reading = Mutex(
        ClockReading(
          bootID: boot, boot: BootInstant(milliseconds: milliseconds), wall: wall, isVouched: isVouched))
    }

    var now: ClockReading { reading.withLock { $0 } }
    func change(_ change: (inout ClockReading) -> Void) { reading.withLock { change(&$0) } }
    func pass(_ milliseconds: Int64) {
      change {
        $0.boot = $0.boot + milliseconds
        $0.wall += milliseconds
      }
    }
  }

  private static let noon: Int64 = 1_795_262_400_000
  private static let hour: Int64 = 3_600_000

  @Test("A day that was reached is left when a parent changes the family's zone, and not when a clock is set back")
  func anotherZone() throws {
    let clocks = Clocks(wall: Self.noon)
    let time = HouseholdTime(isChild: true, nil) { clocks.now }
    let east = try DayBoundary(zone: "Pacific/Kiritimati", dayStartHour: 0)
    let west = try DayBoundary(zone: "Pacific/Honolulu", dayStartHour: 0)
    #expect(time.moment(east).day == east.day(containing: Self.noon))
    clocks.change { $0.wall -= 24 * Self.hour }
    _ = time.read()
    #expect(time.moment(east).day == east.day(containing: Self.noon))
    #expect(time.moment(west).day == west.day(containing: Self.noon))
    #expect(west.day(containing: Self.noon) < east.day(containing: Self.noon))
  }

  @Test func aWallClockThatIsSetIsNotFollowedAndReportedOnce() throws {
    let clocks = Clocks(wall: Self.noon)
    let time = HouseholdTime(isChild: true, nil) { clocks.now }
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    #expect(time.read() == nil)
    clocks.pass(Self.hour)
    clocks.change { $0.wall += 24 * Self.hour }
    #expect(time.read() == .ignored(by: 24 * Self.hour))
    #expect(time.read() == nil)
    #expect(time.now == Self.noon + Self.hour)
    #expect(time.moment(boundary).day == boundary.day(containing: Self.noon))
    clocks.change { $0.wall -= 48 * Self.hour }
    #expect(time.read() == .ignored(by: -24 * Self.hour))
    clocks.change { $0.isVouched = true }
    #expect(time.read() == .corrected(by: -24 * Self.hour))
    #expect(time.now == Self.noon - 23 * Self.hour)
  }

  @Test func theClockGoesOnAfterARestartAndSaysWhatItFound() throws {
    let clocks = Clocks(wall: Self.noon)
    let first = HouseholdTime(isChild: true, nil) { clocks.now }
    let stored = try #require(first.toKeep(now: clocks.now.boot, hasChanged: false))
    #expect(first.toKeep(now: clocks.now.boot, hasChanged: true) == nil, "Nothing has changed.")
    // The same boot: the wall clock was set while the node was off.
    clocks.pass(Self.hour)
    clocks.change { $0.wall -= 5 * Self.hour }
    let second = HouseholdTime(isChild: true, stored) { clocks.now }
    #expect(second.now == Self.noon + Self.hour)
    #expect(second.read() == .ignored(by: -5 * Self.hour), "What the start found is not lost.")
    #expect(second.read() == nil)
    // Another boot, with a wall clock that was set back: times of the day do not go back.
    let late = Clocks(boot: "b", at: 60_000, wall: Self.noon - 9 * Self.hour)
    let third = HouseholdTime(isChild: true, stored) { late.now }
    #expect(third.now >= Self.noon)
    if case .ignored(let difference)? = third.read() { #expect(difference < 0) } else { Issue.record("not reported") }
  }

  @Test func aDayThatWasReachedIsKept() throws {
    let clocks = Clocks(wall: Self.noon)
    let time = HouseholdTime(isChild: true, nil) { clocks.now }
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    _ = time.toKeep(now: clocks.now.boot, hasChanged: false)
    _ = time.moment(boundary)
    let stored = time.toKeep(now: clocks.now.boot, hasChanged: false)
    #expect(stored?.reached == boundary.day(containing: Self.noon), "A new day is kept at once.")
  }

  @Test func aParentsTimeIsItsWallClock() throws {
    let clocks = Clocks(wall: Self.noon)
    let time = HouseholdTime(isChild: false, nil) { clocks.now }
    clocks.change { $0.wall += 48 * Self.hour }
    #expect(time.read() == nil && time.now == Self.noon + 48 * Self.hour)
    #expect(time.toKeep(now: clocks.now.boot, hasChanged: true) == nil)
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    #expect(time.moment(boundary).day == boundary.day(containing: time.now))
  }
}
