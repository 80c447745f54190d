import Synchronization

/// A clock that stands still until the test moves it; whoever pauses goes on at each move.
final class ScriptedClock: Sendable {
  private struct State {
    var now: Int64 = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Milliseconds.
  var now: Int64 { state.withLock { $0.now } }

  /// Move it.
  func advance(_ milliseconds: Int64) {
    let waiting = state.withLock { state in
      state.now += milliseconds
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Wait for the next move.
  func pause() async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiting.append(continuation) }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.isOver = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
    try Task.checkCancellation()
  }
}
