import CProcess
import Glibc
import LatchkeyModel

/// A clock of the kernel.
public enum SystemClock: Sendable {
  /// The time of day since 1970, which people and time services set.
  case wall
  /// The time since this machine started, excluding sleep.
  case awake
  /// The time since this machine started, including sleep.
  case boot

  public var now: Duration {
    let time = reading
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  public var milliseconds: Int64 { microseconds / 1_000 }

  public var microseconds: Int64 {
    let time = reading
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  private var reading: timespec {
    var time = timespec()
    // This cannot fail, since every kernel since 2.6.39 has the three clocks.
    switch self {
    case .wall: clock_gettime(CLOCK_REALTIME, &time)
    case .awake: clock_gettime(CLOCK_MONOTONIC, &time)
    case .boot: clock_gettime(CLOCK_BOOTTIME, &time)
    }
    return time
  }
}

/// The clock that people read, for when something happened; it may be set at any time.
public enum WallClock {
  public static func now() -> Int64 { SystemClock.wall.milliseconds }

  /// A Boolean value that indicates whether the kernel says that a time service keeps the clock.
  public static var isKept: Bool { latchkey_clock_is_kept() == 1 }
}

/// The clock for durations, `CLOCK_BOOTTIME`, which includes sleep and never jumps.
public enum BootClock {
  public static func now() -> BootInstant { BootInstant(milliseconds: SystemClock.boot.milliseconds) }
}

/// The kernel's name for the time since this machine last started.
///
/// A process number and a reading of `BootClock` are valid within one boot only.
public enum BootID {
  /// Returns the ID of this boot, a UUID in lower case; `nil` if /proc does not show it.
  public static func current() -> String? {
    ProcFile.text("/proc/sys/kernel/random/boot_id").flatMap {
      $0.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
  }
}

/// A comparison of clocks that shows whether the wall clock was set or the machine slept.
public struct ClockJump: Sendable {
  /// The readings of the three clocks at one moment.
  public struct Reading: Sendable {
    var wall: Duration
    var awake: Duration
    var boot: Duration

    public init(wall: Duration, awake: Duration, boot: Duration) {
      (self.wall, self.awake, self.boot) = (wall, awake, boot)
    }

    public static func now() -> Reading {
      Reading(wall: SystemClock.wall.now, awake: SystemClock.awake.now, boot: SystemClock.boot.now)
    }
  }

  /// The change between two readings.
  public struct Change: Sendable, Hashable {
    /// The time that has passed, including sleep.
    public var passed: Duration
    public var slept: Duration
    /// The time by which the wall clock was set forward; negative if it was set back.
    public var set: Duration

    /// Returns whether the sleep, or the change of the wall clock, exceeds a tolerance.
    public func exceeds(_ tolerance: Duration) -> Bool {
      slept > tolerance || set > tolerance || set < .zero - tolerance
    }
  }

  private var last: Reading

  public init(_ reading: Reading = .now()) { last = reading }

  /// Returns the change since the previous call.
  public mutating func change(at reading: Reading = .now()) -> Change {
    defer { last = reading }
    let passed = reading.boot - last.boot
    return Change(passed: passed, slept: passed - (reading.awake - last.awake), set: reading.wall - last.wall - passed)
  }
}
