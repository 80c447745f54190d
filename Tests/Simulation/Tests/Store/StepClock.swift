import LatchkeyModel
import LatchkeyStore
import Synchronization

/// A boot clock that the test moves, for the store and its model alike.
final class StepClock: Sendable {
  private let state = Mutex<(boot: Int, now: Int64)>((1, 1_000))

  var bootID: String { "boot-\(state.withLock(\.boot))" }
  var now: BootInstant { BootInstant(milliseconds: state.withLock(\.now)) }
  var store: StoreClock { StoreClock(bootID: bootID) { self.now } }

  func pass(_ milliseconds: Int64) {
    state.withLock { $0.now += milliseconds }
  }

  /// Start the machine anew: another boot, whose clock begins at 0.
  func reboot() {
    state.withLock { $0 = ($0.boot + 1, 0) }
  }
}
