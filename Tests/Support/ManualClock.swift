import LatchkeyModel
import Synchronization

/// A boot clock that stands still until a test moves it.
public final class ManualClock: Sendable {
  private let state: Mutex<(boot: Int, now: Int64)>

  /// Creates a clock of a machine's first boot.
  ///
  /// - Parameter milliseconds: The first reading; not zero by default, since most machines have
  ///   been on for a while.
  public init(milliseconds: Int64 = 90_000_000) {
    state = Mutex((1, milliseconds))
  }

  public var now: BootInstant { BootInstant(milliseconds: state.withLock(\.now)) }

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
