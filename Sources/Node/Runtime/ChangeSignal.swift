import Synchronization

/// A signal that wakes waiting tasks after a change.
///
/// A change between two waits is never missed.
final class ChangeSignal: Sendable {
  private struct State {
    var version: UInt64 = 0
    var nextWaiter: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }

  private let state = Mutex(State())

  /// The number of changes so far, to be passed to `wait`.
  var version: UInt64 { state.withLock { $0.version } }

  func notify() {
    let waiters = state.withLock { state in
      state.version += 1
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.wake() }
  }

  /// Waits for a change after `version`, the cancellation of the task, or the end of
  /// `milliseconds`.
  func wait(after version: UInt64, milliseconds: Int64? = nil) async {
    let waiter = Waiter()
    let number: UInt64? = state.withLock { state in
      guard state.version <= version else { return nil }
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = waiter
      return state.nextWaiter
    }
    guard let number else { return }
    let alarm = milliseconds.map { AlarmClock.shared.set(after: $0) { waiter.wake() } }
    await withTaskCancellationHandler {
      await waiter.wait()
    } onCancel: {
      waiter.wake()
    }
    if let alarm { AlarmClock.shared.cancel(alarm) }
    state.withLock { _ = $0.waiters.removeValue(forKey: number) }
  }
}

/// A waiting task, which the first call of `wake` resumes.
private final class Waiter: Sendable {
  private enum State {
    case awake
    case waiting(CheckedContinuation<Void, Never>)
    case woken
  }

  private let state = Mutex(State.awake)

  func wait() async {
    await withCheckedContinuation { continuation in
      let isWoken = state.withLock { state in
        if case .woken = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isWoken { continuation.resume() }
    }
  }

  func wake() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .woken }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume()
  }
}

extension ChangeSignal {
  /// Returns a stream of the new values that a closure finds: immediately, and after each change.
  ///
  /// - Parameters:
  ///   - count: The number of events that are kept for a slow reader, newest first.
  ///   - seen: The initial state with which the closure compares.
  ///   - look: Returns the new values, and records them in `seen`.
  /// - Returns: The stream, which ends with its reader.
  func events<Event: Sendable, Seen: Sendable>(
    keepingNewest count: Int, since seen: Seen, _ look: @escaping @Sendable (_ seen: inout Seen) async -> [Event]
  ) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(count))
    let task = Task {
      var seen = seen
      await follow {
        for event in await look(&seen) { continuation.yield(event) }
        return nil
      }
      continuation.finish()
    }
    // The stream's end ends the task that feeds it, which nothing else knows of.
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
