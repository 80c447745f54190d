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

/// The clock that people read, used to show when something happened.
///
/// It may be set at any time.
public enum WallClock {
  public static func now() -> Int64 { SystemClock.wall.milliseconds }

  /// A Boolean value that indicates whether a time service keeps the clock, according to the
  /// kernel.
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
