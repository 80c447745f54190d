import LatchkeyModel
import LatchkeySystem

/// The differences between the machine's clocks, which show a sleep or a change of the wall clock.
///
/// Small differences add up until they are large enough to report.
struct ClockOffsets {
  /// The present, and the changes since an earlier reading reported them.
  struct Reading {
    var now: BootInstant
    /// How long the machine slept, in milliseconds; `nil` if the time is too short to report.
    var slept: Int64?
    /// How far the wall clock was set, in milliseconds; `nil` if the change is too small to report.
    var set: Int64?
  }

  /// Returns what a clock shows, in milliseconds.
  typealias Clock = () -> Int64

  /// The smallest sleep and the smallest change that are reported, in milliseconds.
  private static let sleptMilliseconds: Int64 = 2_000
  private static let setMilliseconds: Int64 = 60_000

  private let clocks: (boot: Clock, awake: Clock, wall: Clock)
  private var last: (wall: Int64, awake: Int64)

  /// Creates the differences from the present readings.
  init(
    boot: @escaping Clock = { SystemClock.boot.milliseconds },
    awake: @escaping Clock = { SystemClock.awake.milliseconds },
    wall: @escaping Clock = { SystemClock.wall.milliseconds }
  ) {
    clocks = (boot, awake, wall)
    let now = boot()
    last = (wall() - now, awake() - now)
  }

  /// Reads the clocks.
  ///
  /// If the machine falls asleep between two of the readings, the next call reports the sleep, and
  /// this call returns an instant from before it.
  mutating func read() -> Reading {
    let now = clocks.boot()
    let (awake, wall) = (clocks.awake() - now, clocks.wall() - now)
    var reading = Reading(now: BootInstant(milliseconds: now))
    if last.awake - awake >= Self.sleptMilliseconds {
      reading.slept = last.awake - awake
      last.awake = awake
    }
    // After such a sleep, the wall clock is ahead of the instant.
    let isTogether = clocks.boot() - now < Self.sleptMilliseconds
    if isTogether, abs(wall - last.wall) >= Self.setMilliseconds {
      reading.set = wall - last.wall
      last.wall = wall
    }
    return reading
  }
}
