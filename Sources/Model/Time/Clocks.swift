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

/// The stored values of a child's household clock.
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

/// A reading of a hybrid logical clock with its author, by which edits are ordered.
public struct HybridTimestamp: Hashable, Sendable, Codable, Comparable {
  /// The time in Unix milliseconds, never less than in any earlier reading.
  public var wall: Int64
  /// A number that distinguishes readings in the same millisecond.
  public var counter: UInt32
  /// The device whose clock was read.
  public var author: DeviceID

  /// The upper bound of `wall`: the year 10889, which 48 bits can hold.
  public static let wallLimit: Int64 = 1 << 48
  public static let walls: Range<Int64> = 0..<wallLimit

  /// Returns whether another device's reading may advance this device's clock.
  ///
  /// It may not if it is more than a day ahead of this machine's wall clock.
  ///
  /// Both values are in Unix milliseconds.
  public static func mayWitness(_ reading: Int64, at wall: Int64) -> Bool {
    walls.contains(reading) && reading - Limits.aheadMilliseconds <= wall
  }

  /// The time of a value that was never set, which is before every reading.
  public static let never: HybridTimestamp = {
    guard let nobody = DeviceID(bytes: [UInt8](repeating: 0, count: DeviceID.size)) else {
      preconditionFailure("a device ID of zeros")
    }
    return HybridTimestamp(wall: 0, counter: 0, author: nobody)
  }()

  public init(wall: Int64, counter: UInt32, author: DeviceID) {
    (self.wall, self.counter, self.author) = (wall, counter, author)
  }

  public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
    if left.wall != right.wall { return left.wall < right.wall }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.author < right.author
  }

  /// Returns the author's next reading after `last`, at the wall time in Unix milliseconds.
  public static func next(after last: HybridTimestamp?, wall: Int64, author: DeviceID) -> HybridTimestamp {
    guard let last, last.wall >= wall else { return HybridTimestamp(wall: wall, counter: 0, author: author) }
    guard last.counter == .max else {
      return HybridTimestamp(wall: last.wall, counter: last.counter + 1, author: author)
    }
    // Values above the limit are refused on receipt. If one is here nevertheless, it must not cause
    // a trap.
    return HybridTimestamp(wall: last.wall == .max ? .max : last.wall + 1, counter: 0, author: author)
  }

  /// Returns this reading, or the author's next one after `known` if that is not earlier.
  ///
  /// The clock of a machine that was restored to an older state may be behind its earlier readings.
  public func after(_ known: HybridTimestamp?) -> HybridTimestamp {
    guard let known, known >= self else { return self }
    return Self.next(after: known, wall: wall, author: author)
  }
}
