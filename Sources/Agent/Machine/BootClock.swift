import Glibc
import LatchkeyModel

/// The clock that durations are measured by: CLOCK_BOOTTIME, which counts through sleep and never jumps.
public enum BootClock {
  /// Read the clock.
  public static func now() -> BootInstant {
    BootInstant(milliseconds: ClockReading.milliseconds(of: CLOCK_BOOTTIME))
  }
}
