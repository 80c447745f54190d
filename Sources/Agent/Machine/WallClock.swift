import Glibc

/// The clock people read, for showing when something was; it may be set at any time.
public enum WallClock {
  /// Read the clock, in Unix milliseconds.
  public static func now() -> Int64 {
    ClockReading.milliseconds(of: CLOCK_REALTIME)
  }
}
