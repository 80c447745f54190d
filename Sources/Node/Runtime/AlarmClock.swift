import Synchronization

/// A timer for any number of waits that may be cancelled.
///
/// A task that is cancelled while it sleeps keeps about 3 kB until the time at which it would have
/// woken. A cancelled alarm is gone at once, and few tasks sleep: another one starts only for an
/// alarm that is due before all of them wake.
final class AlarmClock: Sendable {
  static let shared = AlarmClock()

  private struct Alarm {
    var due: ContinuousClock.Instant
    var ring: @Sendable () -> Void
  }

  private struct State {
    var alarms: [UInt64: Alarm] = [:]
    var last: UInt64 = 0
    /// The times at which tasks wake, earliest last.
    var wakes: [ContinuousClock.Instant] = []

    /// Returns whether a task is needed that wakes at `moment`.
    mutating func needs(_ moment: ContinuousClock.Instant) -> Bool {
      guard wakes.last.map({ moment < $0 }) ?? true else { return false }
      wakes.append(moment)
      return true
    }
  }

  private let state = Mutex(State())

  /// Calls `ring` once after a number of milliseconds, unless the alarm is cancelled before.
  ///
  /// Time in which the machine sleeps counts. Returns the alarm's number for `cancel`.
  func set(after milliseconds: Int64, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
    let due = ContinuousClock.now + .milliseconds(max(0, milliseconds))
    let (number, isSooner) = state.withLock { state in
      state.last += 1
      state.alarms[state.last] = Alarm(due: due, ring: ring)
      return (state.last, state.needs(due))
    }
    if isSooner { sleep(until: due) }
    return number
  }

  /// Cancels an alarm.
  ///
  /// An alarm that has rung no longer exists.
  func cancel(_ number: UInt64) {
    state.withLock { _ = $0.alarms.removeValue(forKey: number) }
  }

  var count: Int { state.withLock { $0.alarms.count } }

  /// The number of tasks that are sleeping.
  var sleepers: Int { state.withLock { $0.wakes.count } }

  private func sleep(until moment: ContinuousClock.Instant) {
    Task {
      try? await Task.sleep(until: moment, clock: .continuous)
      self.ring(moment)
    }
  }

  /// Rings all alarms that are due when the task for `moment` wakes.
  private func ring(_ moment: ContinuousClock.Instant) {
    let now = max(moment, ContinuousClock.now)
    let (due, next) = state.withLock { state in
      if let index = state.wakes.lastIndex(of: moment) { state.wakes.remove(at: index) }
      let due = state.alarms.filter { $0.value.due <= now }
      for number in due.keys { state.alarms[number] = nil }
      guard let next = state.alarms.values.map(\.due).min() else { return (due, ContinuousClock.Instant?.none) }
      return (due, state.needs(next) ? next : nil)
    }
    if let next { sleep(until: next) }
    for alarm in due.values.sorted(by: { $0.due < $1.due }) { alarm.ring() }
  }
}
