import LatchkeyModel
import LatchkeySystem

/// The schedule for scans of the processes that are new since the last full scan
/// (Protocol/13-agent.md §10).
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

  /// Notes a kill or a freeze without events, since closed programs often start again at once.
  mutating func watch(from now: BootInstant) { watchfulUntil = now + Self.watchfulMilliseconds }
}

/// The programs that the kernel has reported and that are examined again soon.
///
/// A loader needs a moment to map its program, and the next full scan is seconds away. Spec:
/// Protocol/13-agent.md §10.
struct YoungPrograms {
  /// The ages at which a program is examined again, in milliseconds.
  private static let ages: [Int64] = [50, 300, 1_500]
  /// The most programs that are queued; the next full scan sees the others.
  private static let capacity = 4_096

  private var waiting: [[(process: Int32, at: BootInstant)]] = Array(repeating: [], count: YoungPrograms.ages.count)

  /// The instant at which the next program is due; `nil` if none is queued.
  var next: BootInstant? { waiting.lazy.compactMap { $0.first?.at }.min() }

  mutating func started(_ process: Int32, at now: BootInstant) { add(process, 0, now) }

  /// Removes and returns the programs that are due.
  mutating func due(at now: BootInstant) -> [Int32] {
    var due: [Int32] = []
    for stage in waiting.indices {
      let ready = waiting[stage].prefix { $0.at <= now }
      waiting[stage].removeFirst(ready.count)
      for (process, _) in ready {
        due.append(process)
        if stage + 1 < waiting.count { add(process, stage + 1, now) }
      }
    }
    return due
  }

  private mutating func add(_ process: Int32, _ stage: Int, _ now: BootInstant) {
    guard waiting[stage].count < Self.capacity else { return }
    let earlier = stage == 0 ? 0 : Self.ages[stage - 1]
    waiting[stage].append((process, now + (Self.ages[stage] - earlier)))
  }
}

/// The signs of life that the agent sends to the service manager.
///
/// The agent's loop itself sends them. An agent that hangs therefore sends none, and is restarted.
struct SignsOfLife {
  private let manager: ServiceManager?
  /// The time between two signs, in milliseconds; `nil` if none are required.
  private let interval: Int64?
  private var next: BootInstant?

  /// Creates the signs; `manager` is `nil` for a process that is not a service.
  init(_ manager: ServiceManager?) {
    self.manager = manager
    interval = manager?.signInterval.map { duration in
      max(1, duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)
    }
  }

  /// The instant by which the next sign is due; `nil` if none are required.
  var due: BootInstant? { next }

  /// Reports that the orders are in force and the first scan is complete.
  mutating func begin(at now: BootInstant) {
    manager?.tell("READY=1")
    next = interval.map { now + $0 }
  }

  mutating func give(at now: BootInstant) {
    guard let interval, let due = next, due <= now else { return }
    manager?.tell("WATCHDOG=1")
    next = now + interval
  }
}
