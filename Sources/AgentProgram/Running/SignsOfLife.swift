import LatchkeyModel
import LatchkeySystem

/// The signs of life that the agent sends to the service manager.
///
/// The agent's loop itself sends them. An agent that hangs therefore sends none, and is restarted.
struct SignsOfLife {
  private let manager: ServiceManager?
  /// The time between two signs, in milliseconds; `nil` if none are required.
  private let interval: Int64?
  private var next: BootInstant?

  /// Creates the signs for a service manager; `nil` for a process that is not a service.
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
