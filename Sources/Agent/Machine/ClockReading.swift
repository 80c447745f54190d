import Glibc

enum ClockReading {
  /// Read one of the kernel's clocks, in whole milliseconds.
  static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    // Cannot fail for the two clocks asked for here: every kernel since 2.6.39 has them.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
