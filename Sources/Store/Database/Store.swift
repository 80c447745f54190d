import CSQLite
import Foundation
import GRDB
import Glibc
import LatchkeyModel

/// The node's database: everything that has to outlive the process, in one SQLite file that one process opens.
///
/// Write-ahead log with `synchronous=FULL`: what a method has returned is on the disk. Every method throws `StoreError`.
public final class Store: Sendable {
  let pool: any DatabaseWriter
  let commits: CommitQueue
  let coding: any BodyCoding
  let keys: any KeySource
  let own: DeviceID
  let caps: QueueCaps
  let clock: StoreClock
  let ageClock: AgeClock
  /// The file.
  public let path: String

  /// Opens the database, making it when it is not there, checking it when it is.
  ///
  /// - Parameters:
  ///   - caps: what may wait for one peer in one class.
  ///   - clock: this boot's ID and clock, for how long things have waited.
  ///   - keepsReserve: whether to hold room on the disk for when it is full, as a node does that runs. A database of this
  ///     version is then opened on a full disk, too.
  ///
  /// A damaged file is moved aside with its log files, never deleted, and reported as `StoreError.corrupt`.
  public init(
    path: String, own: DeviceID, coding: any BodyCoding, keys: any KeySource, caps: QueueCaps = QueueCaps(),
    clock: StoreClock = .stopped, keepsReserve: Bool = false
  ) throws(StoreError) {
    self.caps = caps
    self.clock = clock
    self.path = path
    self.own = own
    self.coding = coding
    self.keys = keys
    do {
      let isNew = try Self.makeFile(path)
      let room = DiskRoom(path: path, keepsReserve: keepsReserve)
      let pool = try Self.open(path, room)
      if !isNew {
        let verdict = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == ["ok"] else { throw StoreError.corrupt(path: path, setAside: nil) }
      }
      var migrator = DatabaseMigrator()
      migrator.registerMigration(Migration001.name) { try $0.execute(sql: Migration001.sql) }
      if try pool.read({ try migrator.hasBeenSuperseded($0) }) { throw StoreError.newerVersion(path: path) }
      try migrator.migrate(pool)
      // GRDB sets NORMAL when it turns the write-ahead log on, whatever was asked for before: it has to be said after that.
      // Pages are kept in 8 MB: a busy queue touches the same pages again and again.
      try pool.writeWithoutTransaction {
        try $0.execute(
          sql: """
            PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(room.plan.logPages);
            PRAGMA journal_size_limit = \(room.plan.log); PRAGMA cache_size = -8000
            """)
      }
      let ageClock = try Self.startAgeClock(clock, pool)
      self.ageClock = ageClock
      self.pool = pool
      commits = CommitQueue(pool, path: path, room: room) { ageClock.age(at: clock.now()) }
      if !room.takeReserve() { commits.health.failed(.diskFull) }
    } catch {
      let fault = StoreError(error, path: path)
      guard case .corrupt = fault else { throw fault }
      throw .corrupt(path: path, setAside: Self.setAside(path))
    }
  }

  /// Makes an empty file for the owner alone, whatever the process's mask and the folder's access control lists say.
  ///
  /// - Returns: whether nothing was there.
  private static func makeFile(_ path: String) throws -> Bool {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let code = errno
    if descriptor >= 0 {
      _ = Glibc.close(descriptor)
      return true
    }
    if code == EEXIST {
      var status = stat()
      return stat(path, &status) == 0 && status.st_size == 0
    }
    throw StoreError(errorNumber: code) ?? .cannotOpen(path: path, reason: String(cString: strerror(code)))
  }

  /// Opens the connections; on a full disk with the reserve given up, and then with one connection that needs no room.
  private static func open(_ path: String, _ room: DiskRoom) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 3
    configuration.foreignKeysEnabled = true
    // What SQLite sets aside for a moment needs no room on another disk.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    room.prepareToOpen()
    do { return try DatabasePool(path: path, configuration: configuration) } catch let error as DatabaseError
      where isForWantOfRoom(error)
    {
      room.giveUpReserve()
    }
    do { return try DatabasePool(path: path, configuration: configuration) } catch let error as DatabaseError
      where isForWantOfRoom(error)
    {
      // The index of the log in memory of its own instead of in a file, which no second connection can use.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      return try DatabaseQueue(path: path, configuration: configuration)
    }
  }

  private static func isForWantOfRoom(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
      || error.extendedResultCode == .SQLITE_IOERR_WRITE
  }

  /// Goes on with the clock for how long things have waited; on a full disk from where it was noted last.
  private static func startAgeClock(_ clock: StoreClock, _ pool: any DatabaseWriter) throws -> AgeClock {
    do { return try pool.write { try $0.startAgeClock(clock) } } catch let error as DatabaseError
      where isForWantOfRoom(error)
    {
      return try pool.read { try $0.startedAgeClock(clock) }
    }
  }

  /// `PRAGMA synchronous` as it is on the connection that writes: 2 is FULL.
  public func synchronousLevel() async throws(StoreError) -> Int {
    try await commits.commit { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
  }

  /// Read a consistent picture.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(StoreError) -> Value {
    // Not the pool's own async call, which refuses a cancelled task: what follows a commit has to be finished all the same.
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
      pool.asyncRead { database in continuation.resume(returning: Result { try body(database.get()) }) }
    }
    do { return try result.get() } catch {
      let fault = StoreError(error, path: path)
      commits.health.failed(fault)
      throw fault
    }
  }

  /// Write the log back into the file and close it; everything is durable without this.
  public func close() {
    // The pool closes its writer before its readers, and the last one to close, which may only read, leaves the log behind.
    // Whoever still reads is not waited for.
    try? pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA busy_timeout = 0")
      try? database.noteAge(clock)
      try database.checkpoint(.truncate)
    }
    try? pool.close()
  }

  /// A value kept under a fixed key.
  public func setting(_ key: String) async throws(StoreError) -> String? {
    try await read { try String.fetchOne($0, sql: "SELECT value FROM setting WHERE key = ?", arguments: [key]) }
  }

  public func set(_ key: String, to value: String) async throws(StoreError) {
    try await commits.commit(.upkeep) {
      try $0.run("INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", [key, value])
    }
  }

  /// Said once, before the first database is opened; it is no harm when another was open already.
  private static let withoutMemoryStatistics: Void = { _ = latchkey_sqlite_without_memory_statistics() }()

  /// Move a damaged database and its log files to names that are free; nil when that failed.
  private static func setAside(_ path: String) -> String? {
    let files = FileManager.default
    var number = 1
    while files.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
    let target = "\(path).damaged-\(number)"
    do { try files.moveItem(atPath: path, toPath: target) } catch { return nil }
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try? files.moveItem(atPath: path + suffix, toPath: target + suffix)
    }
    return target
  }
}
