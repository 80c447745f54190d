import GRDB
import LatchkeyModel

/// The last programs whose part in a session has ended.
///
/// The agent tells again what the node had not acknowledged when it died, and that may be recorded
/// already. Spec: Protocol/13-agent.md §5.
extension Database {
  /// The most programs that are kept: as many as the reports that an agent keeps.
  private static let mostEnded: Int64 = 4_096

  /// Returns when a program's part in the last session ended; `nil` if none is known.
  func end(of process: ProcessIdentity, bootID: String) throws -> BootInstant? {
    try row(
      "SELECT ended_boot FROM ended_process WHERE process_id = ? AND process_start_time = ? AND boot_id = ?",
      [Int64(process.processID), Int64(bitPattern: process.startTime), bootID]
    ).map { BootInstant(milliseconds: min(max(0, $0["ended_boot"]), HybridTimestamp.wallLimit)) }
  }

  /// Keeps when a program's part in a session has ended, and forgets the oldest beyond the bound.
  func note(_ end: BootInstant, of process: ProcessIdentity, bootID: String) throws {
    try run(
      """
      INSERT OR REPLACE INTO ended_process (boot_id, process_id, process_start_time, ended_boot) VALUES (?, ?, ?, ?)
      """,
      [bootID, Int64(process.processID), Int64(bitPattern: process.startTime), end.milliseconds])
    try run(
      "DELETE FROM ended_process WHERE number <= (SELECT MAX(number) FROM ended_process) - ?", [Self.mostEnded])
  }
}

extension OpenUsageSession {
  /// Moves the start to an instant if it is before that.
  mutating func begin(noEarlierThan instant: BootInstant) {
    let late = instant - startedAt
    guard late > 0 else { return }
    startedAt = instant
    record.sessionStart += late
    record.householdStart += late
    lastSeenAt = max(lastSeenAt, startedAt)
    record.sessionEnd = max(record.sessionEnd, record.sessionStart)
  }
}
