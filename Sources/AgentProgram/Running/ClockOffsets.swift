import LatchkeyAgent
import LatchkeyModel

/// The differences between the machine's clocks, by which the agent sees that it slept, or that the wall clock was set.
///
/// Small differences add up until they are large enough to tell.
struct ClockOffsets {
  /// The present, and what has happened since an earlier reading told of it.
  struct Reading {
    var now: BootInstant
    /// For how long the machine slept, in milliseconds; `nil` for what is too little.
    var slept: Int64?
    /// By how much the wall clock was set, in milliseconds; `nil` for what is too little.
    var set: Int64?
  }

  /// Returns what a clock shows, in milliseconds.
  typealias Clock = () -> Int64

  /// The difference from which on the machine slept, or the wall clock was set, in milliseconds.
  private static let sleptMilliseconds: Int64 = 2_000
  private static let setMilliseconds: Int64 = 60_000

  private let clocks: (boot: Clock, awake: Clock, wall: Clock)
  private var last: (wall: Int64, awake: Int64)

  /// Creates the differences that the clocks have now.
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
  /// A machine that falls asleep between two of the readings is seen to have slept by the next call, and the instant that this
  /// one returns is from before the sleep.
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
