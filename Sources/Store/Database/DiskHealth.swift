import Synchronization

/// What the last commits and reads found out about the disk: a fault stays until a trial write has proved that it is over.
///
/// Spec: Protocol/05-delivery.md §6.
final class DiskHealth: Sendable {
  private struct State {
    var fault: StoreError?
    var observer: (@Sendable (StoreError?) -> Void)?
  }

  private let state = Mutex(State())

  /// What is wrong; nil while nothing is.
  var fault: StoreError? { state.withLock { $0.fault } }

  /// Call `observer` with each change of what is wrong.
  func observe(_ observer: @escaping @Sendable (StoreError?) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// An operation failed; what is no fault of the disk's is passed over. Damage outlives whatever else goes wrong.
  func failed(_ error: StoreError) {
    guard error.isOfDisk else { return }
    change(to: error)
  }

  /// A trial write went through; damage is not healed by that.
  func proved() { change(to: nil) }

  private func change(to fault: StoreError?) {
    let observer: (@Sendable (StoreError?) -> Void)? = state.withLock { state in
      guard state.fault != fault, state.fault?.isDamage != true else { return nil }
      state.fault = fault
      return state.observer
    }
    observer?(fault)
  }
}
