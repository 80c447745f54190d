import Dispatch
import GRDB
import Synchronization

/// Writes to the database: what arrives together is committed together, with one fsync, and nobody's error undoes another's work.
///
/// A caller resumes after the commit is durable, never before. Spec: Protocol/05-delivery.md §6.
final class CommitQueue: Sendable {
  private struct Job: Sendable {
    /// Run in the transaction; gives what to do once its end is known: nil for a commit, else why there was none.
    let run: @Sendable (Database) -> (@Sendable (StoreError?) -> Void)
    /// Answer without having run.
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

  /// Run `body` in a transaction of its own making, perhaps together with others', and give its value once it is durable.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      enqueue(
        Job(
          run: { database in
            do {
              var value: Value?
              try database.inSavepoint {
                value = try body(database)
                return .commit
              }
              guard let value else { throw StoreError.unexpected("a savepoint without a value") }
              return { [value] failure in
                continuation.resume(returning: failure.map { .failure($0) } ?? .success(value))
              }
            } catch {
              let fault = StoreError(error)
              return { _ in continuation.resume(returning: .failure(fault)) }
            }
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
    var endings: [@Sendable (StoreError?) -> Void] = []
    endings.reserveCapacity(jobs.count)
    var failure: StoreError?
    do {
      try pool.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          for job in jobs {
            // A full or broken disk makes SQLite undo the whole transaction under our hands.
            guard database.isInsideTransaction else { break }
            endings.append(job.run(database))
          }
          guard database.isInsideTransaction else { throw StoreError.inputOutput("the transaction was undone") }
          return .commit
        }
      }
    } catch { failure = StoreError(error) }
    for ending in endings { ending(failure) }
    for job in jobs.dropFirst(endings.count) { job.refuse(failure ?? .inputOutput("the transaction was undone")) }
  }
}
