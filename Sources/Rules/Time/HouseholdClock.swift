import LatchkeyModel

/// What a machine's clocks show at one instant.
public struct ClockReading: Hashable, Sendable {
  /// The boot that the boot clock belongs to.
  public var bootID: String
  public var boot: BootInstant
  /// The wall clock in Unix milliseconds.
  public var wall: Int64
  /// A Boolean value that indicates whether a time server or a parent vouches for the wall clock.
  public var isVouched: Bool

  public init(bootID: String, boot: BootInstant, wall: Int64, isVouched: Bool) {
    (self.bootID, self.boot, self.wall, self.isVouched) = (bootID, boot, wall, isVouched)
  }
}

/// The time by which a child's machine applies rules.
///
/// Within one boot, it advances only with the boot clock, so that setting the wall clock gains
/// nothing. It has two times: the *time* decides about times of the day, and the *day time* about
/// days and their limits. They differ only after a wall clock was set back between two boots: the
/// day time follows it, and the time does not. Both are set to a wall clock that can be believed.
///
/// Spec: Protocol/11-rules.md §4.
public struct HouseholdClock: Hashable, Sendable {
  /// A difference between the wall clock and the household's time.
  public enum Change: Hashable, Sendable {
    /// The wall clock was set and not followed; the milliseconds are positive if it is ahead.
    case ignored(by: Int64)
    /// The household's time was corrected by a number of milliseconds.
    case corrected(by: Int64)
  }

  /// The largest difference that is not reported: a minute, in milliseconds.
  public static let slackMilliseconds: Int64 = 60_000

  /// The values to store, at the latest with every heartbeat.
  public private(set) var stored: StoredClock

  public init(_ reading: ClockReading) {
    let wall = Self.limited(reading.wall)
    stored = StoredClock(
      bootID: reading.bootID, anchor: Self.limited(reading.boot), time: wall, dayTime: wall, last: wall, reached: nil)
  }

  public init(_ stored: StoredClock) {
    self.stored = StoredClock(
      bootID: stored.bootID, anchor: Self.limited(stored.anchor), time: Self.limited(stored.time),
      dayTime: Self.limited(stored.dayTime), last: Self.limited(stored.last), reached: stored.reached)
  }

  /// Returns the time for times of the day at an instant of the anchor's boot.
  public func time(at boot: BootInstant) -> Int64 { Self.limited(stored.time + elapsed(boot)) }

  /// Returns the time for days at an instant of the anchor's boot, in Unix milliseconds.
  public func dayTime(at boot: BootInstant) -> Int64 { Self.limited(stored.dayTime + elapsed(boot)) }

  /// Takes a reading, and returns a difference to report; `nil` for none.
  @discardableResult public mutating func read(_ reading: ClockReading) -> Change? {
    let wall = Self.limited(reading.wall)
    let boot = Self.limited(reading.boot)
    let isNewBoot = reading.bootID != stored.bootID
    // Before this boot, the machine was off for a time that no clock can be trusted to measure.
    let expected = isNewBoot ? Self.limited(stored.last + boot.milliseconds) : time(at: boot)
    let difference = wall - expected
    let isNotable = abs(difference) > Self.slackMilliseconds
    if reading.isVouched {
      // A day that a wrong clock had reached has not been reached.
      if isNotable, difference < 0 { stored.reached = nil }
      anchor(reading.bootID, boot, time: wall, dayTime: wall)
      return isNotable && (!isNewBoot || difference < 0) ? .corrected(by: difference) : nil
    }
    if isNewBoot {
      anchor(reading.bootID, boot, time: max(wall, expected), dayTime: wall)
      return isNotable && difference < 0 ? .ignored(by: difference) : nil
    }
    stored.last = max(stored.last, expected)
    return isNotable ? .ignored(by: difference) : nil
  }

  /// Returns the family's day at an instant of the anchor's boot.
  ///
  /// It never goes back from a day that was reached, whatever the clock shows.
  public mutating func day(at boot: BootInstant, _ boundary: DayBoundary) -> FamilyDay {
    let day = boundary.day(containing: dayTime(at: boot))
    if let reached = stored.reached, reached >= day { return reached }
    stored.reached = day
    return day
  }

  /// Forgets the day that was reached, since a parent has changed how days begin.
  public mutating func forgetReached() { stored.reached = nil }

  private func elapsed(_ boot: BootInstant) -> Int64 {
    max(0, Self.limited(boot).milliseconds - stored.anchor.milliseconds)
  }

  private mutating func anchor(_ bootID: String, _ boot: BootInstant, time: Int64, dayTime: Int64) {
    (stored.bootID, stored.anchor) = (bootID, boot)
    (stored.time, stored.dayTime, stored.last) = (time, dayTime, time)
  }

  private static func limited(_ time: Int64) -> Int64 { min(max(time, 0), HybridTimestamp.wallLimit - 1) }

  private static func limited(_ boot: BootInstant) -> BootInstant {
    BootInstant(milliseconds: limited(boot.milliseconds))
  }
}
