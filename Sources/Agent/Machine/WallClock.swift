import Glibc

/// The clock that people read, to show when something happened.
///
/// It may be changed at any time.
public enum WallClock {
  /// Returns the present time in Unix milliseconds.
  public static func now() -> Int64 {
    ClockReading.milliseconds(of: CLOCK_REALTIME)
  }
}
