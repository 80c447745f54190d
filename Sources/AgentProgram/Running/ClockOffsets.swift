import LatchkeyAgent

/// The differences between the machine's clocks, by which the agent sees that it slept, or that the wall clock was set.
///
/// Small differences add up until they are large enough to tell.
struct ClockOffsets {
  /// The difference from which on the machine slept, or the wall clock was set, in milliseconds.
  private static let sleptMilliseconds: Int64 = 2_000
  private static let setMilliseconds: Int64 = 60_000

  private var last = Self.now()

  /// Returns for how long the machine slept and by how much the wall clock was set since an earlier call told so, in
  /// milliseconds; `nil` for what is too little.
  mutating func change() -> (slept: Int64?, set: Int64?) {
    let now = Self.now()
    let (slept, set) = (last.awake - now.awake, now.wall - last.wall)
    let (isSleep, isSet) = (slept >= Self.sleptMilliseconds, abs(set) >= Self.setMilliseconds)
    if isSleep { last.awake = now.awake }
    if isSet { last.wall = now.wall }
    return (isSleep ? slept : nil, isSet ? set : nil)
  }

  private static func now() -> (wall: Int64, awake: Int64) {
    let boot = SystemClock.boot.milliseconds
    return (SystemClock.wall.milliseconds - boot, SystemClock.awake.milliseconds - boot)
  }
}
