import GRDB
import GRDBSQLite
import Glibc
import LatchkeyModel

/// The space of a database on its disk.
///
/// When little space is left, it decides what may be committed, so that the log can always be
/// written back and truncated (Protocol/05-delivery.md §6).
final class DiskRoom: Sendable {
  let plan: DiskPlan
  /// The reserve; `nil` for a database that is opened only to read it or change it once.
  private let reserve: ReserveFile?
  private let path: String
  private let folder: String

  /// The free space in bytes from which no check is needed: more than any transaction and the log
  /// require.
  private static let plenty: Int64 = 128 << 20
  /// The space in bytes for opening a database: its shared memory and a first entry in the log.
  private static let opening: Int64 = 256 << 10
  /// The number of bytes that a commit may add to the log after the check.
  private static let slack: Int64 = 8 * DiskPlan.page

  init(path: String, keepsReserve: Bool) {
    self.path = path
    let end = path.lastIndex(of: "/")
    folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    plan = DiskPlan(total: DiskSpace(folder: folder)?.total)
    reserve = keepsReserve ? ReserveFile(path: path + "-reserve", size: plan.reserve) : nil
  }

  var isReserveWhole: Bool { reserve?.isWhole ?? true }

  func takeReserve() -> Bool { reserve?.take() ?? true }
  func giveUpReserve() { reserve?.giveUp() }

  /// Releases the reserve if the free space is too small to open a database.
  func prepareToOpen() { if let space = DiskSpace(folder: folder), space.free < Self.opening { giveUpReserve() } }

  /// A Boolean value that indicates whether the free space without the reserve may be too small for
  /// new work.
  var isShort: Bool { DiskSpace(folder: folder).map { $0.free < plan.reserve } ?? false }

  /// The size of the log file in bytes.
  var logBytes: Int64 { Self.size(path + "-wal") }

  /// A Boolean value that indicates whether readers or a large transaction have made the log far
  /// longer than planned.
  var isLogTooLong: Bool { logBytes > 2 * plan.log }

  func status(fault: StoreError?) -> DiskStatus {
    DiskStatus(
      state: fault.map(DiskStatus.State.init) ?? .well, freeBytes: DiskSpace(folder: folder)?.free,
      databaseBytes: Self.size(path), logBytes: logBytes, reserveBytes: reserve?.held ?? 0)
  }

  /// Checks the space for a transaction that is about to be committed.
  ///
  /// After each commit, the free space and the reserve must suffice to write the log back. After a
  /// commit of new work that enlarges the database, they must also suffice to allocate the reserve
  /// again. Throws `StoreError.diskFull` otherwise; the transaction then has to be rolled back.
  func admit(_ database: Database, _ purpose: CommitPurpose) throws {
    guard reserve != nil, let before = DiskSpace(folder: folder), before.free < Self.plenty else { return }
    // The transaction's pages have to be in the log before the remaining space is measured.
    let code = sqlite3_db_cacheflush(database.sqliteConnection)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    let pages = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
    let growth = max(0, pages * DiskPlan.page - Self.size(path))
    let room = (DiskSpace(folder: folder)?.free ?? 0) + (reserve?.held ?? 0)
    guard room >= growth + Self.slack else { throw StoreError.diskFull }
    // The space of the log becomes free when it is truncated. A transaction that uses only free
    // pages does not affect the reserve.
    guard purpose == .upkeep || growth == 0 || room + logBytes - growth >= plan.reserve
    else { throw StoreError.diskFull }
  }

  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// The purpose of a transaction, which decides whether it may use the reserve.
enum CommitPurpose: Sendable {
  /// New commands, records and received items, which are refused on a full disk.
  case work
  /// Changes that delivery needs or that free space: records of what was sent, stored, cancelled,
  /// expired or removed.
  case upkeep
}

extension DiskStatus.State {
  init(_ fault: StoreError) {
    switch fault {
    case .diskFull: self = .full
    case .readOnly: self = .readOnly
    case .corrupt: self = .damaged
    case .inputOutput, .cannotOpen, .newerVersion, .queueFull, .tooManyPeers, .noSuchPeer, .refused, .unexpected:
      self = .faulty
    }
  }
}

/// The size of a disk, and the space that this user may still write.
///
/// Quotas are not included, since the system reports one only when it is exhausted.
struct DiskSpace: Sendable {
  /// The number of bytes that this user may still write.
  let free: Int64
  /// The size of the disk in bytes.
  let total: Int64

  /// Reads the figures for the disk of a folder; `nil` if the system does not report them.
  init?(folder: String) {
    var status = statvfs()
    guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
    free = Self.bytes(UInt64(status.f_bavail), UInt64(status.f_frsize))
    total = Self.bytes(UInt64(status.f_blocks), UInt64(status.f_frsize))
  }

  private static func bytes(_ blocks: UInt64, _ size: UInt64) -> Int64 {
    let product = blocks.multipliedReportingOverflow(by: size)
    return product.overflow ? .max : Int64(clamping: product.partialValue)
  }
}

/// The use of a disk by the database: how long its log grows, and how much space is held in reserve
/// (Protocol/05-delivery.md §6).
struct DiskPlan: Hashable, Sendable {
  /// The size from which the log is written back into the database: a sixteenth of the disk, 256
  /// KiB to 16 MB.
  ///
  /// It is not smaller, since a busy queue changes the same pages repeatedly.
  let log: Int64
  /// The size of the reserve file in bytes.
  ///
  /// It is the space that a complete log adds to the database when it is written back, and a
  /// quarter more for the transactions that record deliveries.
  let reserve: Int64

  /// The size of a database page in bytes.
  static let page: Int64 = 4_096

  /// Creates the plan for a disk with a size of `total` bytes; `nil` if the size is unknown.
  init(total: Int64?) {
    let share = min(max((total ?? .max) / 16, 256 << 10), 4_000 * Self.page)
    log = share / Self.page * Self.page
    reserve = log + max(log / 4, 128 << 10)
  }

  /// The number of log pages from which the log is written back.
  var logPages: Int64 { log / Self.page }

  /// The size of a trial write in bytes.
  ///
  /// A disk that has space for only one message is still full.
  var trial: Int64 { min(256 << 10, reserve / 4) }
}
