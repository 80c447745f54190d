#include <stdint.h>

/// Loaded in front of the C library (LD_PRELOAD), shifts the clocks that a program reads.
///
/// LATCHKEY_CLOCK_SHIFT is a number of seconds by which the wall clock, and no other, is set ahead. LATCHKEY_CLOCKS is the
/// path of a file with a `struct latchkey_clocks`, which may change while the program runs: another program writes the
/// file in place. The start times in /proc/PID/stat and the timers of timerfd_create follow. No time service keeps a clock
/// that is shifted.
struct latchkey_clocks {
  /// Nanoseconds by which the wall clock is set ahead.
  int64_t set;
  /// Times that passed in no time, the oldest first; one of no length ends them.
  struct {
    /// When, in nanoseconds of the kernel's boot clock.
    int64_t at;
    /// For how long, in nanoseconds.
    int64_t length;
    /// 1 if the machine slept meanwhile, 0 if not.
    int64_t asleep;
  } leaps[15];
};
