import LatchkeySystem
import Synchronization

/// Whether the agent still has to tell of a sleep of the machine, with what the sleep cut.
///
/// Until it has, what runs seems to have been used all the while.
///
/// Spec: Protocol/13-agent.md §9.
final class SleepNews: Sendable {
  /// The time that the machine slept from which on the agent tells of it, with some allowance, in
  /// milliseconds.
  private static let toldMilliseconds: Int64 = 2_500

  private let slept: @Sendable () -> Int64
  private let known: Mutex<Int64>

  /// Creates news of which nothing is awaited.
  ///
  /// `slept` returns for how long the machine has slept in this boot, in milliseconds.
  init(slept: @escaping @Sendable () -> Int64 = { SystemClock.boot.milliseconds - SystemClock.awake.milliseconds }) {
    self.slept = slept
    known = Mutex(slept())
  }

  /// A Boolean value that indicates whether the machine slept and the agent has not told of it.
  var isAwaited: Bool { slept() - known.withLock { $0 } > Self.toldMilliseconds }

  /// Notes that the agent has told of all sleep so far, or will not.
  func told() {
    let slept = slept()
    known.withLock { $0 = slept }
  }
}
