import Dispatch
import GRDB
import Synchronization

/// Writes to the database: what arrives together is committed together, with one fsync, and nobody's error undoes another's work.
///
/// A caller resumes after the commit is durable, never before. Spec: Protocol/05-delivery.md §6.
final class CommitQueue: Sendable {
  private struct Job: Sendable {
    /// Run in the transaction; gives what to do once that is durable. May be run again after a rollback.
    let run: @Sendable (Database) throws -> (@Sendable () -> Void)
    /// Answer that it cannot be done.
    let refuse: @Sendable (StoreError) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isDraining = false
  }

  private let pool: DatabasePool
  private let thread = DispatchQueue(label: "latchkey.store.commit")
  private let state = Mutex(State())
  /// Jobs in one transaction at most, so that a long queue does not make the first of it wait for all.
  private static let groupSize = 1_024

  init(_ pool: DatabasePool) {
    self.pool = pool
  }

  /// Run `body` in a transaction, perhaps together with others', and give its value once it is durable.
  ///
  /// - Parameter body: may be run a second time after a rollback, so it changes nothing but the database.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      enqueue(
        Job(
          run: { database in
            let value = try body(database)
            return { continuation.resume(returning: .success(value)) }
          }, refuse: { continuation.resume(returning: .failure($0)) }))
    }
    return try result.get()
  }

  private func enqueue(_ job: Job) {
    let starts = state.withLock { state in
      state.jobs.append(job)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if starts { thread.async { self.drain() } }
  }

  private func drain() {
    while true {
      let jobs: [Job] = state.withLock { state in
        let group = Array(state.jobs.prefix(Self.groupSize))
        state.jobs.removeFirst(group.count)
        if group.isEmpty { state.isDraining = false }
        return group
      }
      guard !jobs.isEmpty else { return }
      run(jobs)
    }
  }

  private func run(_ jobs: [Job]) {
    do {
      var endings: [@Sendable () -> Void] = []
      endings.reserveCapacity(jobs.count)
      try pool.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          for job in jobs { endings.append(try job.run(database)) }
          return .commit
        }
      }
      for ending in endings { ending() }
    } catch {
      // Nothing of the group is kept. Alone, each finds out whether it was the one.
      guard jobs.count > 1 else { return jobs[0].refuse(StoreError(error)) }
      for job in jobs { run([job]) }
    }
  }
}
