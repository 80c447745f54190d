import GRDB
import GRDBSQLite
import Glibc
import LatchkeyModel
import Synchronization

/// The state of the disk according to the last commits and reads.
///
/// A fault remains until a trial write has succeeded. Spec: Protocol/05-delivery.md §6.
final class DiskHealth: Sendable {
  private struct State {
    var fault: StoreError?
    var faults: [DiskStatus.State: Int] = [:]
    var observer: (@Sendable (StoreError?) -> Void)?
  }

  private let state = Mutex(State())

  /// The present fault; `nil` if there is none.
  var fault: StoreError? { state.withLock { $0.fault } }

  var faults: [DiskStatus.State: Int] { state.withLock { $0.faults } }

  func observe(_ observer: @escaping @Sendable (StoreError?) -> Void) { state.withLock { $0.observer = observer } }

  /// Records that an operation failed; errors that are not the disk's are ignored, and damage takes
  /// precedence over any other fault.
  func failed(_ error: StoreError) {
    guard error.isOfDisk else { return }
    change(to: error)
  }

  /// Records that a trial write succeeded; this does not repair damage.
  func proved() { change(to: nil) }

  private func change(to fault: StoreError?) {
    let observer: (@Sendable (StoreError?) -> Void)? = state.withLock { state in
      guard state.fault != fault, state.fault?.isDamage != true else { return nil }
      state.fault = fault
      if let fault { state.faults[DiskStatus.State(fault), default: 0] += 1 }
      return state.observer
    }
    observer?(fault)
  }
}

extension Store {
  /// The present fault of the disk; `nil` if there is none.
  public var diskFault: StoreError? { commits.health.fault }

  /// Calls `observer` with each change of the disk's fault; `nil` when it has ended.
  public func watchDisk(_ observer: @escaping @Sendable (StoreError?) -> Void) { commits.health.observe(observer) }

  /// Checks at the start of a node whether there is space for new work, if little of it is left.
  public func examineDisk() async { if commits.room.isShort { _ = await tryDisk() } }

  /// Returns whether a fault of the disk has ended; the check writes more than most commits and
  /// removes it again.
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

  public var diskStatus: DiskStatus { commits.room.status(fault: diskFault) }

  #if DEBUG
    /// Calls `body` in each transaction before it is committed, for tests that kill the process
    /// there.
    public func beforeEachCommit(_ body: @escaping @Sendable () -> Void) { commits.callBeforeEachCommit(body) }
  #endif

  public var commitStatistics: CommitStatistics {
    var statistics = commits.statistics.withLock { $0 }
    statistics.faults = commits.health.faults
    return statistics
  }
}

extension Database {
  /// Returns the disk fault that SQLite reports only by the system's error number, such as an
  /// exhausted quota.
  func diskFault(of error: DatabaseError) -> StoreError? {
    guard error.resultCode == .SQLITE_IOERR || error.resultCode == .SQLITE_CANTOPEN else { return nil }
    // SQLite keeps no error number for a failed COMMIT. The system's number is still the one of the
    // write.
    let last = errno
    return StoreError(errorNumber: sqlite3_system_errno(sqliteConnection)) ?? StoreError(errorNumber: last)
  }
}

extension StoreError {
  /// Creates the fault for an error number of the system; `nil` if the number is not a disk fault.
  init?(errorNumber: Int32) {
    switch errorNumber {
    case ENOSPC, EDQUOT: self = .diskFull
    case EROFS: self = .readOnly
    default: return nil
    }
  }
}

/// The writes of the database since it was opened.
public struct CommitStatistics: Hashable, Sendable {
  /// The durations of COMMIT in transactions that changed something.
  ///
  /// Each of these transactions synchronizes the log once.
  public internal(set) var commits = DurationHistogram(bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5])
  /// The writes that these transactions made durable.
  public internal(set) var writes = 0
  public internal(set) var faults: [DiskStatus.State: Int] = [:]

  public init() {}
}
