import LatchkeyModel
import Synchronization

/// The common timer of all links, so that no link needs a task that waits for its next deadline.
final class LinkAlarm: Sendable {
  private struct State {
    var due: [DeviceID: BootInstant] = [:]
    /// The deadline of the link that is due first; `nil` if none is set.
    var earliest: BootInstant?
  }

  private let state = Mutex(State())
  private let sooner = ChangeSignal()

  /// Sets the time at which to wake a link, and replaces its earlier one.
  func set(_ device: DeviceID, at moment: BootInstant) {
    let isSooner = state.withLock { state in
      state.due[device] = moment
      guard state.earliest.map({ moment < $0 }) ?? true else { return false }
      state.earliest = moment
      return true
    }
    if isSooner { sooner.notify() }
  }

  /// Wakes each link when it is due, until the task is cancelled.
  func run(now: @Sendable () -> BootInstant, wake: @Sendable (DeviceID) async -> Void) async {
    await sooner.follow {
      let moment = now()
      let (due, earliest) = state.withLock { state in
        let due = state.due.filter { $0.value <= moment }.map(\.key)
        for device in due { state.due[device] = nil }
        state.earliest = state.due.values.min()
        return (due, state.earliest)
      }
      for device in due { await wake(device) }
      return earliest.map { max(1, $0 - now()) }
    }
  }
}
