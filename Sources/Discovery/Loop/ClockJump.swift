import Glibc

/// Notices that the wall clock was set or that the machine was suspended.
///
/// Avahi plans on the wall clock: set back by an hour, its stack stays silent for that hour. It is looked at only when
/// the loop wakes anyway, which is enough: where no packet arrives there is nobody to answer.
struct ClockJump {
  /// The readings of three clocks at one moment.
  struct Reading {
    /// Time of day, which people and NTP set.
    var wall: Duration

    /// Time since boot without suspend.
    var awake: Duration

    /// Time since boot with suspend.
    var elapsed: Duration

    /// Read the system's clocks.
    static func now() -> Reading {
      Reading(
        wall: DiscoveryLoop.time(CLOCK_REALTIME), awake: DiscoveryLoop.time(CLOCK_MONOTONIC),
        elapsed: DiscoveryLoop.time(CLOCK_BOOTTIME))
    }
  }

  /// More than NTP slews in hours, less than what keeps a peer waiting.
  static let tolerance = Duration.seconds(10)

  private var last: Reading

  /// Begin to compare with a reading.
  init(_ reading: Reading) {
    last = reading
  }

  /// Compare with the reading before.
  ///
  /// - Returns: true when the wall clock jumped or the machine slept for more than `tolerance`.
  mutating func noticed(at reading: Reading) -> Bool {
    let set = (reading.wall - reading.elapsed) - (last.wall - last.elapsed)
    let slept = (reading.elapsed - reading.awake) - (last.elapsed - last.awake)
    last = reading
    return set > Self.tolerance || set < .zero - Self.tolerance || slept > Self.tolerance
  }
}
