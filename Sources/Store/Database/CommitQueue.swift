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
    let purpose: CommitPurpose
    /// Answer that it cannot be done.
    let refuse: @Sendable (StoreError) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isDraining = false
  }

  /// What commits find out about the disk.
  let health = DiskHealth()
  /// What may be committed while little room is left.
  let room: DiskRoom
  private let pool: any DatabaseWriter
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

  init(_ pool: any DatabaseWriter, path: String, room: DiskRoom, age: @escaping @Sendable () -> Int64) {
    self.pool = pool
    self.path = path
    self.room = room
    self.age = age
  }

  /// Run `body` in a transaction, perhaps together with others', and give its value once it is durable.
  ///
  /// - Parameters:
  ///   - purpose: whether it may use the reserve of a full disk.
  ///   - body: may be run a second time after a rollback, so it changes nothing but the database.
  func commit<Value: Sendable>(
    _ purpose: CommitPurpose = .work, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    try await commitTogether(purpose) { database, group in
      try group.settle(database)
      return try body(database)
    }
  }

  /// The same for what knows that the counters in `WriteGroup` are ahead of the database.
  func commitTogether<Value: Sendable>(
    _ purpose: CommitPurpose = .work, _ body: @escaping @Sendable (Database, WriteGroup) throws -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      enqueue(
        Job(
          run: { database, group in
            let value = try body(database, group)
            return { continuation.resume(returning: .success(value)) }
          }, purpose: purpose, refuse: { continuation.resume(returning: .failure($0)) }))
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
      try attempt(jobs, &running)
      if room.isLogTooLong { writeLogBack() }
      if !room.isReserveWhole { restoreReserve() }
    } catch {
      // Nothing of the group is kept.
      switch error {
      case .diskFull: runWithoutReserve(jobs)
      case _ where error.isOfDisk || jobs.count == 1 || running == jobs.endIndex:
        health.failed(error)
        refuse(jobs, error)
      default:
        // The one that failed is its caller's business; the others are not done one by one for that.
        run(jobs[..<running])
        run(jobs[running...running])
        run(jobs[(running + 1)...])
      }
    }
  }

  /// Runs jobs in one transaction and has their callers resume; keeps nothing of them if it fails.
  ///
  /// - Parameter running: set to the job that was being run when it failed.
  private func attempt(_ jobs: ArraySlice<Job>, _ running: inout Int) throws(StoreError) {
    var endings: [@Sendable () -> Void] = []
    endings.reserveCapacity(jobs.count)
    let purpose: CommitPurpose = jobs.allSatisfy { $0.purpose == .upkeep } ? .upkeep : .work
    do {
      try pool.writeWithoutTransaction { database in
        do {
          try database.inTransaction(.immediate) {
            let changes = database.totalChangesCount
            let group = WriteGroup(age: age())
            while running < jobs.endIndex {
              endings.append(try jobs[running].run(database, group))
              running += 1
            }
            try group.settle(database)
            if database.totalChangesCount != changes { try room.admit(database, purpose) }
            #if DEBUG
              beforeCommit.withLock { $0 }?()
            #endif
            return .commit
          }
        } catch let error as DatabaseError {
          if let fault = database.diskFault(of: error) { throw fault }
          throw error
        }
      }
    } catch { throw StoreError(error, path: path) }
    for ending in endings { ending() }
  }

  /// Runs jobs one by one on a disk that is full, with the log written back and the reserve given up.
  ///
  /// There may be room for the smaller ones, and among these for what makes room.
  private func runWithoutReserve(_ jobs: ArraySlice<Job>) {
    room.giveUpReserve()
    writeLogBack()
    for index in jobs.indices {
      var running = index
      do { try attempt(jobs[index...index], &running) } catch {
        // What was rolled back has left its room to the log's file.
        if error == .diskFull { writeLogBack() }
        health.failed(error)
        refuse(jobs[index...index], error)
      }
    }
    restoreReserve()
  }

  /// Takes the room of the reserve again; the disk is full as long as there is none.
  private func restoreReserve() {
    if room.takeReserve() { return }
    writeLogBack()
    if !room.takeReserve() { health.failed(.diskFull) }
  }

  /// Writes the log into the database's file and empties it, if no reader holds on to it.
  private func writeLogBack() {
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  private func refuse(_ jobs: ArraySlice<Job>, _ fault: StoreError) {
    for job in jobs { job.refuse(fault) }
  }
}
