import LatchkeyModel

/// The schedule for scans of the processes that are new since the last full scan.
///
/// Spec: Protocol/13-agent.md §10.
struct NewLooks {
  /// The time between two of these scans after a kill, and how long they continue, in milliseconds.
  private static let interval: Int64 = 200
  private static let watchfulMilliseconds: Int64 = 10_000
  /// The shortest time between two of these scans, in milliseconds.
  private static let rest: Int64 = 20

  private var last: BootInstant
  private var watchfulUntil: BootInstant?
  private var isWanted = false

  /// Creates a schedule after a full scan.
  init(at now: BootInstant) { last = now }

  /// The instant by which the next scan is due; `nil` if the next full scan is sufficient.
  var due: BootInstant? {
    if isWanted { return last + Self.rest }
    return watchfulUntil.flatMap { $0 > last ? last + Self.interval : nil }
  }

  /// Notes that a scan begins now, whether of the new processes or of all.
  mutating func begin(at now: BootInstant) { (last, isWanted) = (now, false) }

  /// Notes that a program that was already running is closed or frozen.
  ///
  /// Copies that it has made since the last scan must be found.
  mutating func closed() { isWanted = true }

  /// Notes a kill or a freeze that no events follow.
  ///
  /// A closed program is often started again immediately.
  mutating func watch(from now: BootInstant) { watchfulUntil = now + Self.watchfulMilliseconds }
}
