import LatchkeyModel

/// When the agent looks at the processes that are new since its last look at everything.
///
/// Spec: Protocol/13-agent.md §10.
struct NewLooks {
  /// The time between two of these looks after a kill, in milliseconds, and for how long they follow it.
  private static let interval: Int64 = 200
  private static let watchfulMilliseconds: Int64 = 10_000
  /// The shortest time between two of these looks, in milliseconds.
  private static let rest: Int64 = 20

  private var last: BootInstant
  private var watchfulUntil: BootInstant?
  private var isWanted = false

  /// Creates a plan after a look at everything.
  init(at now: BootInstant) { last = now }

  /// The instant by which the next look is due; `nil` if none is before the next look at everything.
  var due: BootInstant? {
    if isWanted { return last + Self.rest }
    return watchfulUntil.flatMap { $0 > last ? last + Self.interval : nil }
  }

  /// Notes that a look begins now, at new processes or at everything.
  mutating func begin(at now: BootInstant) { (last, isWanted) = (now, false) }

  /// Notes that a program is closed or frozen that ran before: what it has forked since the last look must not go on.
  mutating func closed() { isWanted = true }

  /// Notes a kill or a freeze that no events follow: what was closed is often started again at once.
  mutating func watch(from now: BootInstant) { watchfulUntil = now + Self.watchfulMilliseconds }
}
