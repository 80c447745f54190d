/// An instant on CLOCK_BOOTTIME, which includes sleep, never jumps, and restarts with each boot.
///
/// Waits, ages and times of use are measured by this clock. Days and times of the day follow the
/// household's time, which is computed from this clock.
public struct BootInstant: Hashable, Sendable, Codable, Comparable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.milliseconds < right.milliseconds }

  public static func + (instant: BootInstant, milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: instant.milliseconds + milliseconds)
  }

  public static func - (left: BootInstant, right: BootInstant) -> Int64 { left.milliseconds - right.milliseconds }
}

/// The clock that measures how long items have waited.
///
/// It counts the time for which this machine has run or slept, and continues from boot to boot.
///
/// It never jumps or goes back. Time while the machine is off does not count, since no clock can be
/// trusted to measure it.
///
/// Spec: Protocol/05-delivery.md §10.
public struct AgeClock: Hashable, Sendable {
  public let bootID: String
  /// The time of the clock when that boot began, in milliseconds.
  public let base: Int64

  /// Continues from the stored state of the clock, or begins at 0 if there is none.
  ///
  /// `noted` has the stored boot, the time when it began, and its last stored instant.
  public init(after noted: (bootID: String, base: Int64, last: BootInstant)?, bootID: String) {
    self.bootID = bootID
    switch noted {
    case nil: base = 0
    case let noted? where noted.bootID == bootID: base = noted.base
    case let noted?: base = noted.base + max(0, noted.last.milliseconds)
    }
  }

  public func age(at now: BootInstant) -> Int64 { base + now.milliseconds }
}

/// What is stored of a child's household clock.
///
/// Spec: Protocol/11-rules.md §4.
public struct StoredClock: Hashable, Sendable {
  public var bootID: String
  public var anchor: BootInstant
  /// The time at the anchor in Unix milliseconds.
  public var time: Int64
  /// The day time at the anchor in Unix milliseconds.
  public var dayTime: Int64
  /// The latest time at which the clock was read.
  public var last: Int64
  public var reached: FamilyDay?

  public init(bootID: String, anchor: BootInstant, time: Int64, dayTime: Int64, last: Int64, reached: FamilyDay?) {
    (self.bootID, self.anchor, self.time) = (bootID, anchor, time)
    (self.dayTime, self.last, self.reached) = (dayTime, last, reached)
  }
}
