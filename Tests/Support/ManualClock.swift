import LatchkeyModel
import Synchronization

/// A boot clock that stands still until a test moves it.
public final class ManualClock: Sendable {
  private let state: Mutex<(boot: Int, now: Int64)>

  /// Creates a clock of a machine's first boot.
  ///
  /// - Parameter milliseconds: The first reading. Machines that have been on for a day are the rule, so it is not zero.
  public init(milliseconds: Int64 = 90_000_000) {
    state = Mutex((1, milliseconds))
  }

  /// The present moment.
  public var now: BootInstant { BootInstant(milliseconds: state.withLock(\.now)) }

  /// The name of the present boot.
  public var bootID: String { "boot-\(state.withLock(\.boot))" }

  /// Advances the clock, awake or asleep, and returns the new time.
  @discardableResult
  public func advance(_ milliseconds: Int64) -> BootInstant {
    state.withLock { state in
      state.now += milliseconds
      return BootInstant(milliseconds: state.now)
    }
  }

  /// Begins another boot, whose clock starts at 0.
  public func reboot() {
    state.withLock { $0 = ($0.boot + 1, 0) }
  }
}
