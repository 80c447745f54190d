/// A comparison of the machine's clocks that shows whether the wall clock was set or the machine
/// slept.
public struct ClockJump: Sendable {
  /// The readings of the three clocks at one moment.
  public struct Reading: Sendable {
    var wall: Duration
    var awake: Duration
    var boot: Duration

    public init(wall: Duration, awake: Duration, boot: Duration) {
      self.wall = wall
      self.awake = awake
      self.boot = boot
    }

    public static func now() -> Reading {
      Reading(wall: SystemClock.wall.now, awake: SystemClock.awake.now, boot: SystemClock.boot.now)
    }
  }

  /// The change between two readings.
  public struct Change: Sendable, Hashable {
    /// The time that has passed, including sleep.
    public var passed: Duration
    public var slept: Duration
    /// The time by which the wall clock was set forward; negative if it was set back.
    public var set: Duration

    /// Returns whether the machine slept for longer than a tolerance, or the wall clock was set by
    /// more than it.
    public func exceeds(_ tolerance: Duration) -> Bool {
      slept > tolerance || set > tolerance || set < .zero - tolerance
    }
  }

  private var last: Reading

  public init(_ reading: Reading = .now()) {
    last = reading
  }

  /// Returns the change since the previous call.
  public mutating func change(at reading: Reading = .now()) -> Change {
    defer { last = reading }
    let passed = reading.boot - last.boot
    return Change(
      passed: passed, slept: passed - (reading.awake - last.awake), set: reading.wall - last.wall - passed)
  }
}
