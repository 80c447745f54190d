import Foundation
import GRDB
import LatchkeyModel

/// The result of a request to record a program.
public enum SessionOpening: Hashable, Sendable {
  /// The session that records the program. It may be one that its application already has open.
  case open(OpenUsageSession)
  /// The program is recorded as another application.
  case otherApplication(AppID)
  /// The program has ended, and all its use is already recorded.
  case ended
  /// As many programs as the limit permits are being recorded.
  case full
}

/// The result of removing ended programs from a session.
public enum SessionEnding: Hashable, Sendable {
  /// Another program of the session is still running.
  case open
  /// The record, and the changes to the streams that carry it.
  case ended(UsageRecord, [OutboxChange])
}

extension Store {
  /// Durably begins a session for a program, or adds the program to the open session of its
  /// application.
  ///
  /// If a session of the application already has the program, returns that session. Sessions of one
  /// application and account never overlap. `make` returns the new session, with `process` as its
  /// only program.
  ///
  /// If the limit is reached, a program that the agent has seen (`isObserved`) can still begin a
  /// session: it replaces a program of a session that has several. So no application is left out
  /// because of the processes of another one. A paused session of unknown programs continues at
  /// `since`.
  ///
  /// If a caller names the application (`isObserved` is false), this replaces the application as
  /// which the agent has just seen the program. The reason is that the agent may see a program
  /// before the caller who started it can name it. The new session begins when the replaced one
  /// did.
  ///
  /// If an earlier session had the program, the new session begins no earlier than the program
  /// ended there. So what an agent reports again counts once. No session begins if that end is
  /// later than `asOf`, which is the last instant at which the program is known to have run.
  public func openSession(
    of app: AppID, _ process: ProcessIdentity, account: UInt32?, bootID: String, isObserved: Bool = false,
    since: BootInstant? = nil, asOf: BootInstant, make: @escaping @Sendable () throws -> OpenUsageSession
  ) async throws(StoreError) -> SessionOpening {
    try await commits.commit { database in
      let known = try database.row(
        """
        SELECT s.* FROM open_session s JOIN open_session_process p ON p.record_id = s.record_id
        WHERE s.boot_id = ? AND p.process_id = ? AND p.process_start_time = ?
        """, [bootID, process.processID, Int64(bitPattern: process.startTime)])
      var seen: OpenUsageSession?
      if let known {
        let session = try OpenUsageSession(known, processes: database.processes(of: known["record_id"]))
        if session.appID == app { return .open(session) }
        let new = try make()
        guard !isObserved, session.isJustSeen(by: new.startedAt) else { return .otherApplication(session.appID) }
        seen = session
      }
      let open = try database.row(
        "SELECT * FROM open_session WHERE boot_id = ? AND app_id = ? AND account IS ?", [bootID, app.text, account])
      var session: OpenUsageSession
      if let open {
        session = try OpenUsageSession(open, processes: database.processes(of: open["record_id"]))
        if session.isPaused { try database.resume(&session, at: since) }
        session.processes.append(process)
      } else {
        session = try make()
        if let seen {
          session.startedAt = seen.startedAt
          session.startedAtWall = seen.startedAtWall
          session.householdStart = seen.householdStart
        }
        if let end = try database.end(of: process, bootID: bootID) {
          if end > asOf { return .ended }
          session.begin(noEarlierThan: end)
        }
      }
      let all = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") ?? 0
      let programs = all - (seen == nil ? 0 : 1)
      if programs >= (isObserved ? Limits.recordedPrograms : Limits.trackedPrograms) {
        guard isObserved, open == nil, try database.freePlace() else { return .full }
      }
      // The replaced session is deleted only now, when the other session is certain to record the
      // use.
      if let seen {
        try database.run("DELETE FROM open_session_process WHERE record_id = ?", [Data(seen.recordID.bytes)])
        try database.run("DELETE FROM open_session WHERE record_id = ?", [Data(seen.recordID.bytes)])
      }
      if open == nil { try database.insert(session) }
      try database.run(
        "INSERT INTO open_session_process VALUES (?, ?, ?)",
        [session.recordID.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
      return .open(session)
    }
  }

  public func openSessions() async throws(StoreError) -> [OpenUsageSession] {
    try await read { database in
      try database.rows("SELECT * FROM open_session").map { row in
        try OpenUsageSession(row, processes: database.processes(of: row["record_id"]))
      }
    }
  }

  /// Records that sessions continue.
  ///
  /// Sessions of unknown or other programs count only if a program runs in them.
  public func heartbeat(_ records: [RecordID], now: BootInstant, at wall: Int64) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in records {
        try database.run(
          """
          UPDATE open_session SET last_seen_boot = ?, last_seen_at = ? WHERE record_id = ?
            AND (app_id NOT IN (?, ?) OR EXISTS (SELECT 1 FROM open_session_process p WHERE p.record_id = open_session.record_id))
          """, [now.milliseconds, wall, Data(record.bytes), AppID.unknownPrograms.text, AppID.otherPrograms.text])
      }
    }
  }

  /// Records the sessions whose programs rules close now, and the sessions that are open again.
  public func note(closed: [RecordID], reopened: [RecordID], now: BootInstant) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in closed {
        try database.run(
          "UPDATE open_session SET closed_boot = coalesce(closed_boot, ?) WHERE record_id = ?",
          [now.milliseconds, Data(record.bytes)])
      }
      for record in reopened {
        try database.run("UPDATE open_session SET closed_boot = NULL WHERE record_id = ?", [Data(record.bytes)])
      }
    }
  }

  /// Records a reading of the activity clock of a program's application.
  ///
  /// The session continues.
  ///
  /// `since` is when the agent began to see the program. The session's time before that counts in
  /// full.
  public func note(
    _ reading: SessionActivity.Reading, of process: ProcessIdentity, bootID: String, since: BootInstant?
  ) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      let row = try database.row(
        """
        SELECT s.* FROM open_session s JOIN open_session_process p ON p.record_id = s.record_id
        WHERE s.boot_id = ? AND p.process_id = ? AND p.process_start_time = ?
        """, [bootID, process.processID, Int64(bitPattern: process.startTime)])
      guard let row else { return }
      let session = try OpenUsageSession(row, processes: [process])
      var activity: SessionActivity
      if let known = session.activity {
        activity = known
        activity.add(reading)
      } else {
        let before = since.map { max(0, $0 - session.startedAt) } ?? 0
        activity = SessionActivity(run: reading.run, clock: reading.milliseconds, milliseconds: before)
      }
      try database.run(
        "UPDATE open_session SET activity_run = ?, activity_clock = ?, activity = ? WHERE record_id = ?",
        [Int64(bitPattern: activity.run), activity.clock, activity.milliseconds, Data(session.recordID.bytes)])
    }
  }

  /// Removes programs from a session.
  ///
  /// If none is left, ends the session. The same transaction stores the record and queues it for
  /// every parent, with the facts that follow from the record.
  ///
  /// Returns `nil` if there is neither a session nor a record with that ID. `make` returns the
  /// record of the session; it is not called if the session has ended already. `end` is when the
  /// programs ended, on the boot clock.
  public func endSession(
    _ id: RecordID, of ended: [ProcessIdentity], at wall: Int64, end: BootInstant? = nil,
    make: @escaping @Sendable (OpenUsageSession, inout DatabaseEffects) throws -> UsageRecord
  ) async throws(StoreError) -> SessionEnding? {
    try await commits.commitTogether { [own, coding, keys, caps, factCache] database, group in
      guard let row = try database.row("SELECT * FROM open_session WHERE record_id = ?", [Data(id.bytes)]) else {
        // The request was repeated. That is rare, so it may read the index of this device's whole
        // history.
        return try database.row(
          "SELECT * FROM usage_record WHERE device_id = ? AND record_id = ?", [Data(own.bytes), Data(id.bytes)]
        ).map { SessionEnding.ended(try UsageRecord($0), []) }
      }
      for process in ended {
        try database.run(
          "DELETE FROM open_session_process WHERE record_id = ? AND process_id = ? AND process_start_time = ?",
          [id.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
        if let end { try database.note(end, of: process, bootID: row["boot_id"]) }
      }
      guard try database.processes(of: Data(id.bytes)).isEmpty else { return .open }
      var effects = DatabaseEffects(database, coding, own: own, author: own, cache: factCache, at: wall)
      let record = try make(try OpenUsageSession(row, processes: ended), &effects)
      try database.run("DELETE FROM open_session WHERE record_id = ?", [Data(id.bytes)])
      var changes = try database.report(record, coding, keys, caps, in: group, at: wall)
      if !effects.newFacts.isEmpty {
        // Control streams change in the database itself, so the group's changes are written first.
        try group.settle(database)
        changes += try database.relay(effects.newFacts, from: nil, keys, coding, at: wall)
      }
      return .ended(record, changes)
    }
  }
}

extension Database {
  func processes(of record: Data) throws -> [ProcessIdentity] {
    try rows("SELECT process_id, process_start_time FROM open_session_process WHERE record_id = ?", [record]).map {
      ProcessIdentity(
        processID: Int32(clamping: $0["process_id"] as Int64), startTime: $0.unsigned("process_start_time"))
    }
  }

  func insert(_ session: OpenUsageSession) throws {
    try run(
      """
      INSERT INTO open_session (record_id, app_id, display_name, boot_id, started_boot, last_seen_boot, started_at,
        last_seen_at, zone, category, rate, evidence, account, child, household_start)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        session.recordID.bytes, session.appID.text, session.displayName, session.bootID,
        session.startedAt.milliseconds, session.lastSeenAt.milliseconds, session.startedAtWall, session.lastSeenAtWall,
        session.zone, session.category.rawValue, session.milliPointsPerMinute, session.evidence.rawValue,
        session.account, session.child?.bytes, session.householdStart,
      ])
  }
}

extension OpenUsageSession {
  init(_ row: Row, processes: [ProcessIdentity]) throws {
    guard let id = RecordID(bytes: row["record_id"] as Data), let app = AppID(row["app_id"]),
      let category = AppCategory(rawValue: row["category"]), let evidence = UsageEvidence(rawValue: row["evidence"])
    else { throw StoreError.unexpected("an open session") }
    self.init(
      recordID: id, appID: app, displayName: row["display_name"], processes: processes, bootID: row["boot_id"],
      startedAt: Self.reading(row["started_boot"]), lastSeenAt: Self.reading(row["last_seen_boot"]),
      startedAtWall: row["started_at"],
      lastSeenAtWall: row["last_seen_at"], zone: row["zone"], category: category, milliPointsPerMinute: row["rate"],
      evidence: evidence, account: (row["account"] as Int64?).map { UInt32(clamping: $0) },
      child: (row["child"] as Data?).flatMap { ChildID(bytes: $0) }, householdStart: row["household_start"])
    closedAt = (row["closed_boot"] as Int64?).map { Self.reading($0) }
    if let run = row["activity_run"] as Int64?, let clock = row["activity_clock"] as Int64?,
      let milliseconds = row["activity"] as Int64?
    {
      activity = SessionActivity(
        run: UInt64(bitPattern: run), clock: Self.reading(clock).milliseconds,
        milliseconds: Self.reading(milliseconds).milliseconds)
    }
  }

  /// Returns a reading of the boot clock within its valid range, since a child may have changed it
  /// in the database.
  private static func reading(_ milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: min(max(0, milliseconds), HybridTimestamp.wallLimit))
  }
}

extension Database {
  /// Removes the newest program from the observed session that has the most programs.
  ///
  /// Returns `false` if no observed session has several.
  fileprivate func freePlace() throws -> Bool {
    let crowded = try row(
      """
      SELECT p.record_id FROM open_session_process p JOIN open_session s ON s.record_id = p.record_id
      WHERE s.evidence = 'observed' GROUP BY p.record_id HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC LIMIT 1
      """)
    guard let id: Data = crowded?["record_id"],
      let taken = try processes(of: id).max(by: { $0.startTime < $1.startTime })
    else { return false }
    try run(
      "DELETE FROM open_session_process WHERE record_id = ? AND process_id = ? AND process_start_time = ?",
      [id, Int64(taken.processID), Int64(bitPattern: taken.startTime)])
    return true
  }
}
