import GRDB
import GRDBSQLite
import Glibc
import LatchkeyModel

/// The room of a database on its disk: decides what may be committed when little is left, so that the log can always be
/// written back and emptied.
///
/// Spec: Protocol/05-delivery.md §6.
final class DiskRoom: Sendable {
  let plan: DiskPlan
  /// The reserve; `nil` for a database that is only opened to be looked into or changed once.
  private let reserve: ReserveFile?
  private let path: String
  private let folder: String

  /// Bytes that are free from which nothing is counted: more than any transaction and the log take.
  private static let plenty: Int64 = 128 << 20
  /// Bytes that opening a database takes: its shared memory and a first entry of the log.
  private static let opening: Int64 = 256 << 10
  /// Bytes that a commit may add to the log after it was counted.
  private static let slack: Int64 = 8 * DiskPlan.page

  /// Creates the room of the database at `path`.
  init(path: String, keepsReserve: Bool) {
    self.path = path
    let end = path.lastIndex(of: "/")
    folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    plan = DiskPlan(total: DiskSpace(folder: folder)?.total)
    reserve = keepsReserve ? ReserveFile(path: path + "-reserve", size: plan.reserve) : nil
  }

  /// A Boolean value that indicates whether the reserve is as large as it is to be.
  var isReserveWhole: Bool { reserve?.isWhole ?? true }

  /// Takes the room of the reserve; returns whether it is whole.
  func takeReserve() -> Bool { reserve?.take() ?? true }

  /// Gives the room of the reserve back to the disk.
  func giveUpReserve() { reserve?.giveUp() }

  /// Gives the reserve up if a database could not be opened in what is free.
  func prepareToOpen() {
    if let space = DiskSpace(folder: folder), space.free < Self.opening { giveUpReserve() }
  }

  /// A Boolean value that indicates whether what is free besides the reserve may be too little for new work.
  var isShort: Bool { DiskSpace(folder: folder).map { $0.free < plan.reserve } ?? false }

  /// Bytes of the log's file.
  var logBytes: Int64 { Self.size(path + "-wal") }

  /// A Boolean value that indicates whether readers or a large transaction have let the log grow far over its bound.
  var isLogTooLong: Bool { logBytes > 2 * plan.log }

  /// The figures that the node shows.
  func status(fault: StoreError?) -> DiskStatus {
    DiskStatus(
      state: fault.map(DiskStatus.State.init) ?? .well, freeBytes: DiskSpace(folder: folder)?.free,
      databaseBytes: Self.size(path), logBytes: logBytes, reserveBytes: reserve?.held ?? 0)
  }

  /// Admits a transaction that is about to be committed.
  ///
  /// After each commit, what is free and in reserve must suffice to write the log back; after a commit of new work that
  /// makes the database larger it must also suffice to hold the reserve again.
  ///
  /// - Throws: `StoreError.diskFull` when there is no such room; the transaction has to be rolled back.
  func admit(_ database: Database, _ purpose: CommitPurpose) throws {
    guard reserve != nil, let before = DiskSpace(folder: folder), before.free < Self.plenty else { return }
    // What the transaction holds in memory has to be in the log before what is left can be counted.
    let code = sqlite3_db_cacheflush(database.sqliteConnection)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    let pages = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
    let growth = max(0, pages * DiskPlan.page - Self.size(path))
    let room = (DiskSpace(folder: folder)?.free ?? 0) + (reserve?.held ?? 0)
    guard room >= growth + Self.slack else { throw StoreError.diskFull }
    // The log's own room comes back when it is emptied: what only uses pages that are free leaves the reserve as it was.
    guard purpose == .upkeep || growth == 0 || room + logBytes - growth >= plan.reserve else {
      throw StoreError.diskFull
    }
  }

  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// Why a transaction is committed, which decides whether it may use the reserve.
enum CommitPurpose: Sendable {
  /// New commands, records and received items: refused on a full disk.
  case work
  /// What delivering needs and what frees room: notes of what was sent, stored, cancelled, expired or removed.
  case upkeep
}

extension DiskStatus.State {
  init(_ fault: StoreError) {
    switch fault {
    case .diskFull: self = .full
    case .readOnly: self = .readOnly
    case .corrupt: self = .damaged
    case .inputOutput, .cannotOpen, .newerVersion, .queueFull, .tooManyPeers, .noSuchPeer, .unexpected: self = .faulty
    }
  }
}
