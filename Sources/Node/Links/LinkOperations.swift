import Synchronization

/// The operations of the links that wait for the database or another part of the node, not for a
/// peer.
///
/// Each link's machine limits the number of operations under way. They are not child tasks of a
/// task group, because another thread would have to wake up to start each of them. An operation of
/// a link begins on the thread that runs the link.
final class LinkOperations: Sendable {
  typealias Operation = @Sendable () async -> Void

  private struct State {
    /// The operations that wait for the start; `nil` after it.
    var held: [Operation]? = []
    var underWay = 0
    var isFinished = false
    /// The callers that wait for the end of all operations.
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Returns the waiting callers if there is nothing left to wait for.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      guard isFinished, underWay == 0, !waiting.isEmpty else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())

  /// Begins the operations that were asked for so far; later ones begin at once.
  func start() {
    let held = state.withLock { $0.held.take() ?? [] }
    for operation in held { begin(operation) }
  }

  /// Begins an operation on the present thread, which may run it up to its first wait.
  func begin(_ operation: @escaping Operation) {
    guard admit(operation) else { return }
    Task.immediateDetached {
      await operation()
      self.ended()
    }
  }

  /// Begins an operation on another thread, for callers that must not wait, such as the thread of
  /// the connections.
  func beginElsewhere(_ operation: @escaping Operation) {
    guard admit(operation) else { return }
    Task.detached {
      await operation()
      self.ended()
    }
  }

  /// Refuses all further operations, and those that wait for the start.
  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      state.held = nil
      return state.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until `finish` was called and every operation has ended.
  func allEnded() async {
    await withCheckedContinuation { continuation in
      let waiting = state.withLock { state in
        state.waiting.append(continuation)
        return state.takeWaiting()
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns whether an operation begins now.
  private func admit(_ operation: @escaping Operation) -> Bool {
    state.withLock { state in
      guard !state.isFinished else { return false }
      guard state.held == nil else {
        state.held?.append(operation)
        return false
      }
      state.underWay += 1
      return true
    }
  }

  #if DEBUG
    /// The number of callers of `allEnded` that wait.
    var callers: Int { state.withLock { $0.waiting.count } }
  #endif

  private func ended() {
    let waiting = state.withLock { state in
      state.underWay -= 1
      return state.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }
}
