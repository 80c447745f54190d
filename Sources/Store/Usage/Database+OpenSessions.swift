import Foundation
import GRDB
import LatchkeyModel

extension Database {
  func openSession(_ id: RecordID, on own: DeviceID) throws -> OpenUsageSession? {
    try openSessions("record_id = ?", [Data(id.bytes)], on: own).first
  }

  /// Returns the open session with an ID or, if there is none, the open session of a boot that has
  /// one of these programs.
  ///
  /// Without a boot, only the ID counts.
  func openSession(
    _ id: RecordID, orOf processes: [ProcessIdentity], in boot: String?, on own: DeviceID
  ) throws -> OpenUsageSession? {
    if let session = try openSession(id, on: own) { return session }
    guard let boot else { return nil }
    for process in processes { if let session = try openSession(of: process, bootID: boot, on: own) { return session } }
    return nil
  }

  /// Returns the open session of another one's application, account and boot.
  func openSession(like new: OpenUsageSession) throws -> OpenUsageSession? {
    try openSessions(
      "boot_id = ? AND app_id = ? AND account IS ?", [new.bootID, new.appID.text, new.account], on: new.device
    ).first
  }

  func openSession(of process: ProcessIdentity, bootID: String, on own: DeviceID) throws -> OpenUsageSession? {
    try openSessions(
      """
      boot_id = ?
        AND record_id IN (SELECT record_id FROM open_session_process WHERE process_id = ? AND process_start_time = ?)
      """, [bootID, process.processID, Int64(bitPattern: process.startTime)], on: own
    ).first
  }

  func openSessions(
    _ condition: String, _ arguments: StatementArguments, on own: DeviceID
  ) throws -> [OpenUsageSession] {
    try rows("SELECT * FROM open_session WHERE \(condition)", arguments).map { row in
      var session = OpenUsageSession(
        try UsageRecord(row, of: own), processes: try processes(of: row["record_id"]), bootID: row["boot_id"],
        startedAt: Self.reading(row["started_boot"]), lastSeenAt: Self.reading(row["last_seen_boot"]))
      session.isWeak = row["is_weak"]
      session.sharers = try sharers(of: row["record_id"])
      session.closedAt = (row["closed_boot"] as Int64?).map(Self.reading)
      if let run = row["activity_run"] as Int64?, let clock = row["activity_clock"] as Int64?,
        let milliseconds = row["activity"] as Int64?
      {
        session.activity = SessionActivity(
          run: UInt64(bitPattern: run), clock: Self.reading(clock).milliseconds,
          milliseconds: Self.reading(milliseconds).milliseconds)
      }
      return session
    }
  }

  /// Returns a reading of the boot clock within its valid range, since a child may have changed it
  /// in the database.
  private static func reading(_ milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: min(max(0, milliseconds), HybridTimestamp.wallLimit))
  }

  private func processes(of record: Data) throws -> [ProcessIdentity] {
    try rows("SELECT process_id, process_start_time FROM open_session_process WHERE record_id = ?", [record]).map {
      ProcessIdentity(
        processID: Int32(clamping: $0["process_id"] as Int64), startTime: $0.unsigned("process_start_time"))
    }
  }

  private func sharers(of record: Data) throws -> [SessionSharer] {
    try rows("SELECT child, category FROM open_session_sharer WHERE record_id = ? ORDER BY child", [record]).map {
      guard let child = ChildID(bytes: $0["child"] as Data), let category = AppCategory(rawValue: $0["category"])
      else { throw StoreError.unexpected("a child of an open session") }
      return SessionSharer(child: child, category: category)
    }
  }

  func add(_ process: ProcessIdentity, to id: RecordID) throws {
    try run(
      "INSERT INTO open_session_process VALUES (?, ?, ?)",
      [id.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
  }

  func remove(_ processes: [ProcessIdentity], from id: RecordID) throws {
    for process in processes {
      try run(
        "DELETE FROM open_session_process WHERE record_id = ? AND process_id = ? AND process_start_time = ?",
        [id.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
    }
  }

  func insert(_ session: OpenUsageSession) throws {
    try run(
      """
      INSERT INTO open_session (record_id, app_id, display_name, boot_id, started_boot, last_seen_boot, session_start,
        session_end, zone, category, rate, evidence, account, child, household_start, is_weak)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        session.recordID.bytes, session.appID.text, session.displayName, session.bootID,
        session.startedAt.milliseconds, session.lastSeenAt.milliseconds, session.sessionStart, session.sessionEnd,
        session.zone, session.category.rawValue, session.milliPointsPerMinute, session.evidence.rawValue,
        session.account, session.child?.bytes, session.householdStart, session.isWeak,
      ])
    for sharer in session.sharers {
      try run(
        "INSERT INTO open_session_sharer VALUES (?, ?, ?)",
        [session.recordID.bytes, sharer.child.bytes, sharer.category.rawValue])
    }
  }

  /// Records when an open session was last used, and the time `wall` in Unix milliseconds.
  func set(lastSeen end: BootInstant, _ wall: Int64, of id: RecordID) throws {
    try run(
      "UPDATE open_session SET last_seen_boot = ?, session_end = ? WHERE record_id = ?",
      [end.milliseconds, wall, id.bytes])
  }

  /// Removes the newest program from the observed session that has the most programs; returns
  /// `false` if no observed session has several.
  func freePlace() throws -> Bool {
    let crowded = try row(
      """
      SELECT p.record_id FROM open_session_process p JOIN open_session s ON s.record_id = p.record_id
      WHERE s.evidence = 'observed' GROUP BY p.record_id HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC LIMIT 1
      """)
    guard let bytes: Data = crowded?["record_id"], let id = RecordID(bytes: bytes),
      let taken = try processes(of: bytes).max(by: { $0.startTime < $1.startTime })
    else { return false }
    try remove([taken], from: id)
    return true
  }
}

/// The last programs whose part in a session has ended. The agent repeats the reports that the node
/// had not acknowledged when it died. They may be recorded already. Spec: Protocol/13-agent.md §5.
extension Database {
  /// The largest number of programs that are kept: as many as an agent keeps reports.
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
      "INSERT OR REPLACE INTO ended_process (boot_id, process_id, process_start_time, ended_boot) VALUES (?, ?, ?, ?)",
      [bootID, Int64(process.processID), Int64(bitPattern: process.startTime), end.milliseconds])
    try run("DELETE FROM ended_process WHERE number <= (SELECT MAX(number) FROM ended_process) - ?", [Self.mostEnded])
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
