import Dispatch
import GRDB
import Synchronization

/// Writes to the database: what arrives together is committed together, with one fsync, and nobody's error undoes another's work.
///
/// A caller resumes after the commit is durable, never before. Spec: Protocol/05-delivery.md §6.
final class CommitQueue: Sendable {
  private struct Job: Sendable {
    /// Run in the transaction; gives what to do once that is durable. May be run again after a rollback.
    let run: @Sendable (Database, WriteGroup) throws -> (@Sendable () -> Void)
    /// Answer that it cannot be done.
    let refuse: @Sendable (StoreError) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isDraining = false
  }

  /// What commits find out about the disk.
  let health = DiskHealth()
  private let pool: DatabasePool
  private let path: String
  /// The clock for how long things have waited.
  private let age: @Sendable () -> Int64
  private let thread = DispatchQueue(label: "latchkey.store.commit")
  private let state = Mutex(State())
  /// Jobs in one transaction at most, so that a long queue does not make the first of it wait for all.
  private static let groupSize = 1_024

  #if DEBUG
    private let beforeCommit = Mutex<(@Sendable () -> Void)?>(nil)

    func callBeforeEachCommit(_ body: @escaping @Sendable () -> Void) { beforeCommit.withLock { $0 = body } }
  #endif

  init(_ pool: DatabasePool, age: @escaping @Sendable () -> Int64) {
    self.pool = pool
    self.age = age
    path = pool.path
  }

  /// Run `body` in a transaction, perhaps together with others', and give its value once it is durable.
  ///
  /// - Parameter body: may be run a second time after a rollback, so it changes nothing but the database.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    try await commitTogether { database, group in
      try group.settle(database)
      return try body(database)
    }
  }

  /// The same for what knows that the counters in `WriteGroup` are ahead of the database.
  func commitTogether<Value: Sendable>(
    _ body: @escaping @Sendable (Database, WriteGroup) throws -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      enqueue(
        Job(
          run: { database, group in
            let value = try body(database, group)
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
      run(jobs[...])
    }
  }

  private func run(_ jobs: ArraySlice<Job>) {
    guard !jobs.isEmpty else { return }
    // What is written to a damaged file may damage it further, and is not held for certain.
    if let fault = health.fault, fault.isDamage { return refuse(jobs, fault) }
    var running = jobs.startIndex
    do {
      var endings: [@Sendable () -> Void] = []
      endings.reserveCapacity(jobs.count)
      try pool.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          let group = WriteGroup(age: age())
          while running < jobs.endIndex {
            endings.append(try jobs[running].run(database, group))
            running += 1
          }
          try group.settle(database)
          #if DEBUG
            beforeCommit.withLock { $0 }?()
          #endif
          return .commit
        }
      }
      for ending in endings { ending() }
    } catch {
      // Nothing of the group is kept.
      let fault = StoreError(error, path: path)
      health.failed(fault)
      if jobs.count == 1 { return refuse(jobs, fault) }
      switch fault {
      case .diskFull:
        // There may be room for the smaller ones, and among these for what makes room; and in the log once it is written back.
        try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        for index in jobs.indices { run(jobs[index...index]) }
      case _ where fault.isOfDisk || running == jobs.endIndex: refuse(jobs, fault)
      default:
        // The one that failed is its caller's business; the others are not done one by one for that.
        run(jobs[..<running])
        run(jobs[running...running])
        run(jobs[(running + 1)...])
      }
    }
  }

  private func refuse(_ jobs: ArraySlice<Job>, _ fault: StoreError) {
    for job in jobs { job.refuse(fault) }
  }
}
