import Dispatch
import GRDB
import LatchkeyModel
import Synchronization

/// The queue of writes to the database.
///
/// Writes that arrive together are committed together, with one fsync, and a failure of one does
/// not undo the others.
///
/// A caller resumes after its commit is durable, never before. A job without a waiting caller may
/// wait a moment for the next commit. So it does not keep the disk busy when a caller needs the
/// disk.
///
/// Spec: Protocol/05-delivery.md §6.
final class CommitQueue: Sendable {
  private struct Job: Sendable {
    /// Runs in the transaction, and returns what to do once it is durable.
    ///
    /// May run again after a rollback.
    let run: @Sendable (Database, WriteGroup) throws -> (@Sendable () -> Void)
    let purpose: CommitPurpose
    let wait: CommitWait
    /// A Boolean value that indicates whether the job runs before the others of its transaction.
    let comesFirst: Bool
    /// Reports to the caller that the job failed.
    let refuse: @Sendable (StoreError) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    /// The jobs that wait for answers.
    var awaitsAnswers: [Job] = []
    var isDraining = false
    /// The states of the timer that ends the wait of jobs that may wait: it runs, or it has fired.
    var isTimed = false
    var isDue = false
  }

  /// The state of the disk, as commits find it.
  let health = DiskHealth()
  /// The rules for commits while little space is left.
  let room: DiskRoom
  /// The commits so far, without the disk's faults.
  let statistics = Mutex(CommitStatistics())
  private let writer: DatabaseQueue
  private let path: String
  /// The clock for how long items have waited.
  private let age: @Sendable () -> Int64
  private let thread = DispatchQueue(label: "latchkey.store.commit")
  private let state = Mutex(State())
  /// Receives the changes of each transaction once it is durable; `nil` to note none.
  private let watcher = Mutex<(@Sendable ([ChangeEvent]) -> Void)?>(nil)
  /// The largest number of jobs in one transaction, without those that wait for answers, so that
  /// the first of a long queue does not wait for all of them.
  private static let groupSize = 1_024
  /// The time that a job waits at most for another one, in milliseconds.
  private static let patience = 20

  #if DEBUG
    private let beforeCommit = Mutex<(@Sendable () -> Void)?>(nil)

    func callBeforeEachCommit(_ body: @escaping @Sendable () -> Void) { beforeCommit.withLock { $0 = body } }

    var waitingJobs: Int { state.withLock { $0.jobs.count + $0.awaitsAnswers.count } }
  #endif

  init(_ writer: DatabaseQueue, path: String, room: DiskRoom, age: @escaping @Sendable () -> Int64) {
    self.writer = writer
    self.path = path
    self.room = room
    self.age = age
  }

  /// Runs `body` in a transaction, possibly with others, and returns its value once it is durable.
  ///
  /// `purpose` says whether it may use the reserve of a full disk. `body` changes nothing but the
  /// database: it may run again after a rollback.
  func commit<Value: Sendable>(
    _ purpose: CommitPurpose = .work, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    try await commitTogether(purpose) { database, group in
      try group.settle(database)
      group.discardItems()
      return try body(database)
    }
  }

  /// Runs a body that knows that the counters in `WriteGroup` are ahead of the database.
  ///
  /// With `comesFirst`, it runs before what others commit in the same transaction. `wait` says
  /// whether it waits a moment to share another's fsync.
  func commitTogether<Value: Sendable>(
    _ purpose: CommitPurpose = .work, wait: CommitWait = .none, comesFirst: Bool = false,
    _ body: @escaping @Sendable (Database, WriteGroup) throws -> Value
  ) async throws(StoreError) -> Value {
    // The transaction runs in no task.
    let browser = Through.browser
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      enqueue(
        Job(
          run: { database, group in
            let value = try Through.$browser.withValue(browser) { try body(database, group) }
            return { continuation.resume(returning: .success(value)) }
          }, purpose: purpose, wait: wait, comesFirst: comesFirst,
          refuse: { continuation.resume(returning: .failure($0)) }))
    }
    return try result.get()
  }

  /// Sets the receiver of the changes of all later transactions; `nil` for none.
  func watch(_ tell: (@Sendable ([ChangeEvent]) -> Void)?) async throws(StoreError) {
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      thread.async { [self] in
        continuation.resume(
          returning: Result {
            try writer.writeWithoutTransaction { try $0.noteChanges(tell != nil) }
            watcher.withLock { $0 = tell }
          })
      }
    }
    do { try result.get() } catch { throw StoreError(error, path: path) }
  }

  private func enqueue(_ job: Job) {
    let (starts, times) = state.withLock { state in
      if job.wait == .forAnswers { state.awaitsAnswers.append(job) } else { state.jobs.append(job) }
      if job.wait != .none {
        defer { state.isTimed = true }
        return (false, !state.isTimed)
      }
      defer { state.isDraining = true }
      return (!state.isDraining, false)
    }
    if starts { thread.async { self.drain() } }
    if times { timeWait() }
  }

  /// Starts the timer that ends the wait of jobs.
  private func timeWait() {
    Task.detached {
      try? await Task.sleep(for: .milliseconds(Self.patience), clock: .continuous)
      self.endWait()
    }
  }

  /// Commits jobs that have waited long enough and that no other job has taken along.
  private func endWait() {
    let starts = state.withLock { state in
      state.isTimed = false
      guard !state.jobs.isEmpty || !state.awaitsAnswers.isEmpty else { return false }
      state.isDue = true
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if starts { thread.async { self.drain() } }
  }

  private func drain() {
    while true {
      let jobs: [Job] = state.withLock { state in
        guard state.isDue || state.jobs.contains(where: { $0.wait == .none }) else {
          state.isDraining = false
          return []
        }
        let group = state.jobs.prefix(Self.groupSize)
        state.jobs.removeFirst(group.count)
        // A cancellation or an expiry must find what is stored.
        let takesAll =
          state.isDue || group.contains { $0.comesFirst || $0.purpose == .upkeep && $0.wait == .none }
        let waiting = takesAll ? state.awaitsAnswers : []
        if takesAll { state.awaitsAnswers = [] }
        if state.isDue { state.isDue = state.jobs.contains { $0.wait != .none } }
        return group.filter(\.comesFirst) + waiting + group.filter { !$0.comesFirst }
      }
      guard !jobs.isEmpty else { return }
      run(jobs[...])
    }
  }

  private func run(_ jobs: ArraySlice<Job>) {
    guard !jobs.isEmpty else { return }
    // Writing to a damaged file may damage it further, and is not reliable.
    if let fault = health.fault, fault.isDamage { return refuse(jobs, fault) }
    var running = jobs.startIndex
    do {
      try attempt(jobs, &running)
      if room.isLogTooLong { writeLogBack() }
      if !room.isReserveWhole { restoreReserve() }
    } catch {
      // No write of the group is kept.
      switch error {
      case .diskFull: runWithoutReserve(jobs)
      case _ where error.isOfDisk || jobs.count == 1 || running == jobs.endIndex:
        health.failed(error)
        refuse(jobs, error)
      default:
        // The failure concerns only the job that caused it. The jobs before and after it still run
        // as groups.
        run(jobs[..<running])
        run(jobs[running...running])
        run(jobs[(running + 1)...])
      }
    }
  }

  /// Runs jobs in one transaction and resumes their callers.
  ///
  /// On failure, no change of theirs is kept, and `running` is the index of the job that failed.
  private func attempt(_ jobs: ArraySlice<Job>, _ running: inout Int) throws(StoreError) {
    // Callers that needed this commit resume before those whose jobs could wait for another one.
    var (endings, lateEndings): ([@Sendable () -> Void], [@Sendable () -> Void]) = ([], [])
    endings.reserveCapacity(jobs.count)
    let purpose: CommitPurpose = jobs.allSatisfy { $0.purpose == .upkeep } ? .upkeep : .work
    let tell = watcher.withLock { $0 }
    var noted: [ChangeEvent] = []
    var commitBegan: ContinuousClock.Instant?
    do {
      try writer.writeWithoutTransaction { database in
        do {
          try database.transaction("BEGIN IMMEDIATE TRANSACTION") {
            let changes = database.totalChangesCount
            let group = WriteGroup(age: age())
            while running < jobs.endIndex {
              let ending = try jobs[running].run(database, group)
              if jobs[running].wait == .none { endings.append(ending) } else { lateEndings.append(ending) }
              running += 1
            }
            try group.settle(database)
            let hasChanged = database.totalChangesCount != changes
            if hasChanged { try room.admit(database, purpose) }
            if tell != nil { noted = try database.takeNotedChanges() }
            #if DEBUG
              beforeCommit.withLock { $0 }?()
            #endif
            if hasChanged { commitBegan = .now }
          }
        } catch let error as DatabaseError {
          if let fault = database.diskFault(of: error) { throw fault }
          throw error
        }
      }
    } catch { throw StoreError(error, path: path) }
    if let commitBegan {
      let seconds = commitBegan.duration(to: .now) / .seconds(1)
      statistics.withLock { statistics in
        statistics.commits.add(seconds)
        statistics.writes += jobs.count
      }
    }
    for ending in endings { ending() }
    for ending in lateEndings { ending() }
    if !noted.isEmpty { tell?(noted) }
  }

  /// Runs jobs one by one on a full disk, after writing the log back and releasing the reserve.
  ///
  /// Those that may free space come first. There may be space for the smaller ones of the others.
  private func runWithoutReserve(_ jobs: ArraySlice<Job>) {
    let jobs = (jobs.filter { $0.purpose == .upkeep } + jobs.filter { $0.purpose == .work })[...]
    room.giveUpReserve()
    writeLogBack()
    for index in jobs.indices {
      var running = index
      do { try attempt(jobs[index...index], &running) } catch {
        // The space of the rolled-back job is still part of the log file.
        if error == .diskFull { writeLogBack() }
        health.failed(error)
        refuse(jobs[index...index], error)
      }
    }
    restoreReserve()
  }

  /// Allocates the reserve again.
  ///
  /// The disk counts as full while that is impossible.
  private func restoreReserve() {
    if room.takeReserve() { return }
    writeLogBack()
    if !room.takeReserve() { health.failed(.diskFull) }
  }

  /// Writes the log into the database file and truncates it, if no reader is using it.
  private func writeLogBack() {
    _ = try? writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  private func refuse(_ jobs: ArraySlice<Job>, _ fault: StoreError) {
    for job in jobs { job.refuse(fault) }
  }
}

/// The company for which a write waits a moment, so that it does not need an fsync of its own.
enum CommitWait: Sendable {
  case none
  /// For any other write that does not wait.
  case forAnother
  /// For received items, which are written before it, or a cancellation, which is written after it.
  case forAnswers
}
