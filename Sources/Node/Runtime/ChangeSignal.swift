import Synchronization

/// Wakes whoever waits when something has changed; a change between two looks is never missed.
final class ChangeSignal: Sendable {
  private struct State {
    var version: UInt64 = 0
    var nextWaiter: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// How many changes there were; give it to `wait`.
  var version: UInt64 { state.withLock { $0.version } }

  func notify() {
    let waiters = state.withLock { state in
      state.version += 1
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Wait until there was a change after `version`, the task is cancelled, or `milliseconds` have gone by.
  func wait(after version: UInt64, milliseconds: Int64? = nil) async {
    guard let milliseconds else { return await wait(after: version) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(after: version) }
      group.addTask { try? await Task.sleep(for: .milliseconds(milliseconds)) }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait(after version: UInt64) async {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          guard state.version <= version, !Task.isCancelled else { return true }
          state.waiters[waiter] = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }
}
