import LatchkeyModel
import Synchronization

/// The state of the disk according to the last commits and reads.
///
/// A fault remains until a trial write has succeeded.
///
/// Spec: Protocol/05-delivery.md §6.
final class DiskHealth: Sendable {
  private struct State {
    var fault: StoreError?
    var faults: [DiskStatus.State: Int] = [:]
    var observer: (@Sendable (StoreError?) -> Void)?
  }

  private let state = Mutex(State())

  /// The present fault; `nil` if there is none.
  var fault: StoreError? { state.withLock { $0.fault } }

  /// The number of faults so far, by their kind.
  var faults: [DiskStatus.State: Int] { state.withLock { $0.faults } }

  /// Calls `observer` with each change of the fault.
  func observe(_ observer: @escaping @Sendable (StoreError?) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Records that an operation failed.
  ///
  /// Errors that are not the disk's are ignored, and damage takes precedence over any other fault.
  func failed(_ error: StoreError) {
    guard error.isOfDisk else { return }
    change(to: error)
  }

  /// Records that a trial write succeeded.
  ///
  /// This does not repair damage.
  func proved() { change(to: nil) }

  private func change(to fault: StoreError?) {
    let observer: (@Sendable (StoreError?) -> Void)? = state.withLock { state in
      guard state.fault != fault, state.fault?.isDamage != true else { return nil }
      state.fault = fault
      if let fault { state.faults[DiskStatus.State(fault), default: 0] += 1 }
      return state.observer
    }
    observer?(fault)
  }
}
