import CAvahi
import Glibc

/// Runs one thread's event loop, which owns every Avahi object of a discovery.
///
/// It drives `AvahiSimplePoll` itself instead of using `AvahiThreadedPoll`: then everything happens on one thread with
/// no lock to take, timers run on a clock that does not jump, and a caller never waits for a blocked loop.
/// Every member but `init` belongs to the loop's thread.
final class DiscoveryLoop {
  private let poll: OpaquePointer
  private var deferred: [() -> Void] = []
  private var timers: [ObjectIdentifier: LoopTimer] = [:]
  private var running = true

  /// Called after every wake-up, before anything that waits is run.
  var onWake: () -> Void = {}

  /// What Avahi needs to hang its own watches and time-outs into this loop.
  var api: UnsafePointer<AvahiPoll> { avahi_simple_poll_get(poll) }

  /// Make an idle loop.
  ///
  /// - Throws: `LoopError.noMemory`.
  init() throws(LoopError) {
    guard let poll = avahi_simple_poll_new() else { throw LoopError.noMemory }
    self.poll = poll
  }

  deinit {
    avahi_simple_poll_free(poll)
  }

  /// Run a closure in the next turn, outside of any callback from Avahi.
  ///
  /// - Parameter work: what to do.
  func later(_ work: @escaping () -> Void) {
    deferred.append(work)
  }

  /// Run a closure once after a time, unless it is cancelled.
  ///
  /// - Parameters:
  ///   - delay: counted on a clock that does not jump and goes on in suspend.
  ///   - work: what to do.
  /// - Returns: the timer; it lives until it fires or is cancelled.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    let timer = LoopTimer(deadline: Self.now() + delay, loop: self, work: work)
    timers[ObjectIdentifier(timer)] = timer
    return timer
  }

  /// Forget a timer.
  ///
  /// - Parameter timer: one made by `schedule`.
  func cancel(_ timer: LoopTimer) {
    timers[ObjectIdentifier(timer)] = nil
  }

  /// Turn until `quit`.
  ///
  /// - Returns: false when the system refused to wait, which ends the loop as well.
  func run() -> Bool {
    while running {
      turn()
      guard running else { return true }
      guard avahi_simple_poll_iterate(poll, timeout()) == 0 else { return false }
      onWake()
    }
    return true
  }

  /// End `run` after the present turn.
  func quit() {
    running = false
  }

  private func turn() {
    let now = Self.now()
    for timer in timers.values.filter({ $0.deadline <= now }).sorted(by: { $0.deadline < $1.deadline })
    where timers.removeValue(forKey: ObjectIdentifier(timer)) != nil {
      timer.work()
    }
    let work = deferred
    deferred = []
    for item in work { item() }
  }

  /// Milliseconds until something of ours is due, rounded up; -1 when nothing is.
  private func timeout() -> CInt {
    guard deferred.isEmpty else { return 0 }
    guard let next = timers.values.map(\.deadline).min() else { return -1 }
    let wait = next - Self.now()
    guard wait > .zero else { return 0 }
    let (seconds, attoseconds) = wait.components
    return CInt(clamping: min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  /// Time since boot, suspend included.
  static func now() -> Duration {
    Self.time(CLOCK_BOOTTIME)
  }

  /// Read one of the system's clocks.
  ///
  /// - Parameter clock: a `CLOCK_…` constant.
  static func time(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
