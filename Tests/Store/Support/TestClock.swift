import LatchkeyModel
import LatchkeyStore
import Synchronization

/// A boot clock that a test moves.
final class TestClock: Sendable {
  private let state = Mutex<(boot: Int, now: Int64)>((1, 1_000))

  var store: StoreClock {
    StoreClock(bootID: "boot-\(state.withLock(\.boot))") { BootInstant(milliseconds: self.state.withLock(\.now)) }
  }

  /// Let time pass, awake or asleep.
  func pass(_ milliseconds: Int64) {
    state.withLock { $0.now += milliseconds }
  }

  /// Start the machine anew: another boot, whose clock begins at 0.
  func reboot() {
    state.withLock { $0 = ($0.boot + 1, 0) }
  }
}
