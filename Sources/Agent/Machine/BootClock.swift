import Glibc
import LatchkeyModel

/// The clock by which durations are measured: CLOCK_BOOTTIME, which includes sleep and never jumps.
public enum BootClock {
  /// Returns the present time.
  public static func now() -> BootInstant {
    BootInstant(milliseconds: ClockReading.milliseconds(of: CLOCK_BOOTTIME))
  }
}
