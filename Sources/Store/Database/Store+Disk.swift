import GRDB
import GRDBSQLite
import Glibc
import LatchkeyModel

extension Store {
  /// What is wrong with the disk; nil while nothing is.
  public var diskFault: StoreError? { commits.health.fault }

  /// Call `observer` with each change of what is wrong with the disk; nil when that is over.
  public func watchDisk(_ observer: @escaping @Sendable (StoreError?) -> Void) {
    commits.health.observe(observer)
  }

  /// Finds out whether the disk has room for new work if little of it is left, as a node does that starts.
  public func examineDisk() async {
    if commits.room.isShort { _ = await tryDisk() }
  }

  /// Find out whether a fault of the disk is over, by writing more than most commits do and taking it back.
  ///
  /// - Returns: whether it is.
  public func tryDisk() async -> Bool {
    do {
      for length in [commits.room.plan.trial, 1] {
        try await commits.commit {
          try $0.run(
            "INSERT INTO setting VALUES ('disk-trial', printf('%.*c', ?, '-')) "
              + "ON CONFLICT DO UPDATE SET value = excluded.value", [length])
        }
      }
    } catch { return false }
    guard commits.room.isReserveWhole else { return false }
    commits.health.proved()
    return diskFault == nil
  }

  /// The disk as the node shows it.
  public var diskStatus: DiskStatus { commits.room.status(fault: diskFault) }

  #if DEBUG
    /// Call `body` in each transaction when its work is done and nothing of it is committed; for tests that kill there.
    public func beforeEachCommit(_ body: @escaping @Sendable () -> Void) { commits.callBeforeEachCommit(body) }
  #endif
}

extension Database {
  /// The fault of the disk that SQLite tells of by the system's error number alone, such as a quota that is used up.
  func diskFault(of error: DatabaseError) -> StoreError? {
    guard error.resultCode == .SQLITE_IOERR || error.resultCode == .SQLITE_CANTOPEN else { return nil }
    // SQLite keeps no number for a COMMIT that fails; then the system's own is still that of the write.
    let last = errno
    return StoreError(errorNumber: sqlite3_system_errno(sqliteConnection)) ?? StoreError(errorNumber: last)
  }
}

extension StoreError {
  /// The fault of the disk that an error number of the system stands for; `nil` for any other number.
  init?(errorNumber: Int32) {
    switch errorNumber {
    case ENOSPC, EDQUOT: self = .diskFull
    case EROFS: self = .readOnly
    default: return nil
    }
  }
}
