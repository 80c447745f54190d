import Glibc

enum ClockReading {
  /// Returns the time of one of the kernel's clocks in whole milliseconds.
  static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    // Cannot fail for the clocks used here, which every kernel since 2.6.39 has.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
