import Synchronization

/// A clock for code that pauses.
///
/// It stands still until the test moves it, and each move resumes everything that pauses.
public final class ScriptedClock: Sendable {
  private struct State {
    var now: Int64 = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isOver = false
    /// The callers of `advance` that wait for something to pause.
    var movers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// The present reading, in milliseconds.
  public var now: Int64 { state.withLock { $0.now } }

  /// Moves the clock, as soon as something pauses.
  public func advance(_ milliseconds: Int64) async {
    await withCheckedContinuation { continuation in
      let isAwaited = state.withLock { state in
        if state.waiting.isEmpty { state.movers.append(continuation) }
        return !state.waiting.isEmpty
      }
      if isAwaited { continuation.resume() }
    }
    let waiting = state.withLock { state in
      state.now += milliseconds
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for the next move.
  public func pause() async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, movers) = state.withLock { state in
          if !state.isOver { state.waiting.append(continuation) }
          defer { state.movers = [] }
          return (state.isOver, state.movers)
        }
        if isOver { continuation.resume() }
        for mover in movers { mover.resume() }
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
