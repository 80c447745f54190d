import CSQLite
import Foundation
import GRDB
import Glibc
import LatchkeyModel

/// The node's database: all data that must survive the process, in one SQLite file that only one
/// process opens.
///
/// It uses a write-ahead log with `synchronous=FULL`: when a method returns, its changes are on
/// disk. Every method throws `StoreError`.
public final class Store: Sendable {
  let writer: DatabaseQueue
  let commits: CommitQueue
  private let reads: ReadQueue
  let coding: any BodyCoding
  let keys: any KeySource
  let own: DeviceID
  let caps: QueueCaps
  let clock: StoreClock
  let ageClock: AgeClock
  let factCache = FactCache()
  public let path: String
  /// A Boolean value that indicates whether the database was opened without a check of all of it.
  ///
  /// `examine` makes the check later.
  public let isUnexamined: Bool

  /// Opens the database, and creates it if it does not exist.
  ///
  /// It is checked, unless the file is unchanged since it was closed. The check reads all of it,
  /// which takes a second for a few years of records. A damaged file is moved aside with its log
  /// files, never deleted, and reported as `StoreError.corrupt`. `caps` limits the items that wait
  /// for one peer in one class, and `clock` measures how long items have waited. With
  /// `keepsReserve`, space is reserved for a full disk, as a running node does. A database of this
  /// version then opens on a full disk as well.
  /// With `isStarting`, reads use the connection that writes until `hasStarted` is called, since
  /// opening another one takes as long as all reads of a node's start.
  public init(
    path: String, own: DeviceID, coding: any BodyCoding, keys: any KeySource, caps: QueueCaps = QueueCaps(),
    clock: StoreClock = .stopped, keepsReserve: Bool = false, isStarting: Bool = false
  ) throws(StoreError) {
    self.caps = caps
    self.clock = clock
    self.path = path
    self.own = own
    self.coding = coding
    self.keys = keys
    do {
      let isNew = try Self.makeFile(path)
      let wasClosed = CloseMark(of: path).take()
      let room = DiskRoom(path: path, keepsReserve: keepsReserve)
      let (writer, isAlone) = try Self.open(path, room)
      if !isNew, !wasClosed { guard try writer.read(Self.isWhole) else { throw Self.damage(path) } }
      isUnexamined = !isNew && wasClosed
      var migrator = DatabaseMigrator()
      migrator.registerMigration(Migration001.name) { try $0.execute(sql: Migration001.sql) }
      if try writer.read({ try migrator.hasBeenSuperseded($0) }) { throw StoreError.newerVersion(path: path) }
      try migrator.migrate(writer)
      // The page cache has 8 MB, since a busy queue changes the same pages repeatedly.
      try writer.writeWithoutTransaction {
        try $0.execute(
          sql: """
            PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(room.plan.logPages);
            PRAGMA journal_size_limit = \(room.plan.log); PRAGMA cache_size = -8000
            """)
      }
      let ageClock = try Self.startAgeClock(clock, writer)
      self.ageClock = ageClock
      self.writer = writer
      reads = ReadQueue(limit: isAlone ? 1 : 2, lent: isStarting ? writer : nil) {
        isAlone ? writer : try Self.openReader(path)
      }
      commits = CommitQueue(writer, path: path, room: room) { ageClock.age(at: clock.now()) }
      if !room.takeReserve() { commits.health.failed(.diskFull) }
    } catch {
      let fault = StoreError(error, path: path)
      guard case .corrupt = fault else { throw fault }
      throw .corrupt(path: path, setAside: Self.setAside(path))
    }
  }

  /// Lets reads go on beside writes and beside each other, after a start.
  public func hasStarted() { reads.spread() }

  /// Reads all of the database, and refuses further writes if it is damaged, until the next start
  /// sets it aside.
  public func examine() async {
    // A fault of the read is recorded by it.
    do { if try await !read(Self.isWhole) { commits.health.failed(Self.damage(path)) } } catch {}
  }

  /// Returns whether SQLite finds no damage in the whole database.
  @Sendable private static func isWhole(_ database: Database) throws -> Bool {
    try String.fetchAll(database, sql: "PRAGMA quick_check(1)") == ["ok"]
  }

  private static func damage(_ path: String) -> StoreError { .corrupt(path: path, setAside: nil) }

  /// Creates an empty file for the owner only, regardless of the process's umask and the folder's
  /// access control lists.
  ///
  /// Returns whether no file existed.
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

  /// Opens a connection that reads.
  ///
  /// Each reads the schema when it opens, and keeps it and pages in memory. With two, a short read
  /// overtakes a long one.
  private static func openReader(_ path: String) throws -> DatabaseQueue {
    var configuration = configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// A setting that applies if no database of the process has been opened before.
  private static let countsNoMemory = latchkey_count_no_memory() == 0

  private static func configuration() -> Configuration {
    _ = countsNoMemory
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    // Temporary data of SQLite must not need space on another disk.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    return configuration
  }

  /// Opens the connection that writes, and returns whether there can be no other one.
  ///
  /// On a full disk, the reserve is released, and if that is not enough, a single connection is
  /// used that needs no space.
  private static func open(_ path: String, _ room: DiskRoom) throws -> (DatabaseQueue, isAlone: Bool) {
    room.prepareToOpen()
    do { return (try openWriter(path), false) } catch let error as DatabaseError where isForWantOfRoom(error) {
      room.giveUpReserve()
    }
    do { return (try openWriter(path), false) } catch let error as DatabaseError where isForWantOfRoom(error) {
      // The index of the log is kept in memory instead of a file, which excludes a second
      // connection.
      var configuration = configuration()
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      return (try DatabaseQueue(path: path, configuration: configuration), true)
    }
  }

  /// Opens the connection that writes, with a write-ahead log.
  ///
  /// GRDB's own setting of the log would write a table into it at each start.
  private static func openWriter(_ path: String) throws -> DatabaseQueue {
    let writer = try DatabaseQueue(path: path, configuration: configuration())
    let mode = try writer.writeWithoutTransaction { database in
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
      // The first read makes the log's index, for which a full disk has no room.
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      return mode
    }
    guard mode == "wal" else { throw StoreError.cannotOpen(path: path, reason: "its disk allows no write-ahead log") }
    return writer
  }

  private static func isForWantOfRoom(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
      || error.extendedResultCode == .SQLITE_IOERR_WRITE
  }

  /// Continues the clock for how long items have waited.
  ///
  /// In the boot whose clock is stored, it continues without a write, which a start would wait for.
  /// On a full disk, it continues from its last stored value.
  private static func startAgeClock(_ clock: StoreClock, _ writer: DatabaseQueue) throws -> AgeClock {
    if let going = try writer.read({ try $0.goingAgeClock(clock) }) { return going }
    do { return try writer.write { try $0.startAgeClock(clock) } } catch let error as DatabaseError
      where isForWantOfRoom(error)
    {
      return try writer.read { try $0.startedAgeClock(clock) }
    }
  }

  /// Reads from a consistent snapshot.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(StoreError) -> Value {
    do { return try await reads.read(body) } catch {
      let fault = StoreError(error, path: path)
      commits.health.failed(fault)
      throw fault
    }
  }

  /// Reports the changes of later commits, in the order of the commits, or none.
  ///
  /// `tell` is called once the changes are durable, and must not wait.
  public func watch(_ tell: (@Sendable ([ChangeEvent]) -> Void)?) async throws(StoreError) {
    try await commits.watch(tell)
  }

  /// Writes the log back into the file and closes it.
  ///
  /// All data is durable without this.
  public func close() {
    // The last connection to close removes the log, and one that may only read would leave it
    // behind.
    reads.close()
    do {
      try writer.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        try? database.noteAge(clock)
        try database.checkpoint(.truncate)
      }
      try writer.close()
    } catch {
      // The next start checks the database.
      try? writer.close()
      return
    }
    if commits.health.fault?.isDamage != true { CloseMark(of: path).write() }
  }

  /// Returns a value that is stored under a fixed key.
  public func setting(_ key: String) async throws(StoreError) -> String? {
    try await read { try String.fetchOne($0, sql: "SELECT value FROM setting WHERE key = ?", arguments: [key]) }
  }

  /// Stores a value under a fixed key.
  public func set(_ key: String, to value: String) async throws(StoreError) {
    try await commits.commit(.upkeep) {
      try $0.run("INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", [key, value])
    }
  }

  /// Moves a damaged database and its log files to free names; `nil` if that failed.
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
