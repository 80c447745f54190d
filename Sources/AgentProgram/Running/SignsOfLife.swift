import LatchkeyAgent
import LatchkeyModel

/// The signs by which the service manager knows that the agent looks and obeys.
///
/// They come from the loop itself, so that an agent that hangs sends none, and is started again.
struct SignsOfLife {
  private let manager: ServiceManager?
  /// The time between two signs, in milliseconds; `nil` if none are wanted.
  private let interval: Int64?
  private var next: BootInstant?

  /// Creates the signs for a service manager; `nil` for a process that is no service.
  init(_ manager: ServiceManager?) {
    self.manager = manager
    interval = manager?.signInterval.map { duration in
      max(1, duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)
    }
  }

  /// The instant by which the next sign is due; `nil` if none are wanted.
  var due: BootInstant? { next }

  /// Tells that the orders hold and everything was looked at.
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
