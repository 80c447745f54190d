import Glibc
import Synchronization

@testable import LatchkeyStore

/// A transaction that stays open until its end is allowed, so that jobs that arrive meanwhile share
/// the next one.
final class HeldCommit: Sendable {
  private let isOpen = Mutex(false)
  private let mayEnd = Mutex(false)
  private let work = Mutex<Task<Void, any Error>?>(nil)

  /// Begins a transaction and returns once it is open.
  init(_ store: Store) async {
    store.beforeEachCommit {
      self.isOpen.withLock { $0 = true }
      while !self.mayEnd.withLock({ $0 }) { sched_yield() }
    }
    work.withLock { $0 = Task { try await store.set("work", to: "1") } }
    while !isOpen.withLock({ $0 }) { await Task.yield() }
  }

  /// Lets the transaction end, and waits for that.
  func end() async throws {
    mayEnd.withLock { $0 = true }
    try await work.withLock { $0 }?.value
  }
}
