import Dispatch
import GRDB
import Synchronization

/// The queue of reads.
///
/// At most as many reads run at once as there are connections for them.
///
/// A read changes threads once, and its transaction begins and ends with statements that are
/// prepared once. GRDB's pool of connections takes several times as much as a short read itself.
final class ReadQueue: Sendable {
  /// A read that waits for a connection, or for the reason why there is none.
  private typealias Job = @Sendable (Result<DatabaseQueue, any Error>) -> Void

  private struct State {
    var waiting: [Job] = []
    /// The open connections that no read uses.
    var idle: [DatabaseQueue] = []
    var running = 0
    var isClosed = false
    /// The connection that all reads use one after another, until `spread`.
    var lent: DatabaseQueue?
  }

  private let limit: Int
  private let open: @Sendable () throws -> DatabaseQueue
  private let threads = DispatchQueue(label: "latchkey.store.read", attributes: .concurrent)
  private let state: Mutex<State>

  /// Creates a queue that opens at most `limit` connections, each when it is first needed.
  ///
  /// With `lent`, all reads use that one until `spread` is called.
  init(limit: Int, lent: DatabaseQueue? = nil, open: @escaping @Sendable () throws -> DatabaseQueue) {
    (self.limit, self.open) = (limit, open)
    state = Mutex(State(lent: lent))
  }

  /// Lets reads that begin from now on use connections of their own.
  func spread() { state.withLock { $0.lent = nil } }

  /// Returns what `body` reads from one state of the database.
  ///
  /// It runs even if the task is cancelled, since the work after a commit has to be finished.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
      enqueue { connection in
        continuation.resume(
          returning: Result {
            try connection.get().unsafeRead { database in
              try database.transaction("BEGIN DEFERRED TRANSACTION") { try body(database) }
            }
          })
      }
    }
    return try result.get()
  }

  /// Waits for the reads under way, closes the connections and refuses later reads.
  func close() {
    state.withLock { $0.isClosed = true }
    threads.sync(flags: .barrier) {}
    let connections = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for connection in connections { try? connection.close() }
  }

  private func enqueue(_ job: @escaping Job) {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(job)
      guard state.running < (state.lent == nil ? limit : 1) else { return true }
      state.running += 1
      // Within the lock, so that `close` waits for it.
      threads.async { self.drain() }
      return true
    }
    if !isTaken { job(.failure(DatabaseError(resultCode: .SQLITE_MISUSE, message: "It is closed."))) }
  }

  private func drain() {
    var own: DatabaseQueue?
    while true {
      let (job, lent): (Job?, DatabaseQueue?) = state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.running -= 1
          if let own { state.idle.append(own) }
          return (nil, nil)
        }
        if state.lent == nil, own == nil { own = state.idle.popLast() }
        return (state.waiting.removeFirst(), state.lent)
      }
      guard let job else { return }
      let connection = Result { try lent ?? own ?? open() }
      if lent == nil, case .success(let opened) = connection { own = opened }
      job(connection)
    }
  }
}

extension Database {
  /// Runs `body` in a transaction that is committed afterwards, or rolled back if it throws.
  ///
  /// The statements for it are prepared once.
  ///
  /// - `begin`: `BEGIN DEFERRED TRANSACTION` or `BEGIN IMMEDIATE TRANSACTION`.
  func transaction<Value>(_ begin: String, _ body: () throws -> Value) throws -> Value {
    try run(begin)
    do {
      let value = try body()
      // SQLite rolls a transaction back by itself after some faults of the disk.
      guard isInsideTransaction else {
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "The transaction was rolled back.")
      }
      try run("COMMIT TRANSACTION")
      return value
    } catch {
      if isInsideTransaction { try? run("ROLLBACK TRANSACTION") }
      throw error
    }
  }
}
