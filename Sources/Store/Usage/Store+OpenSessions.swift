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
  /// `new` is the session that begins, with `process` as its only program. If a session of the
  /// application already has the program, returns that session. Sessions of one application and
  /// account never overlap.
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
  /// later than `asOf`, the last instant at which the program is known to have run.
  ///
  /// In an account that several children share, a session begins no earlier than the last change of
  /// who is there: the agent may name a program that had no rules before with its start.
  public func open(
    _ new: OpenUsageSession, of process: ProcessIdentity, isObserved: Bool = false, since: BootInstant? = nil,
    asOf: BootInstant
  ) async throws(StoreError) -> SessionOpening {
    try await commits.commit { [own] database in
      let seen = try database.openSession(of: process, bootID: new.bootID, on: own)
      if let seen {
        if seen.appID == new.appID { return .open(seen) }
        guard !isObserved, seen.isJustSeen(by: new.startedAt) else { return .otherApplication(seen.appID) }
      }
      let open = try database.openSession(like: new)
      var session = open ?? new
      if open != nil {
        if session.isPaused { try database.resume(&session, at: since) }
        session.processes.append(process)
      } else {
        if let seen {
          session.startedAt = seen.startedAt
          session.sessionStart = seen.sessionStart
          session.householdStart = seen.householdStart
        }
        if let end = try database.end(of: process, bootID: new.bootID) {
          if end > asOf { return .ended }
          session.begin(noEarlierThan: end)
        }
        if let account = new.account, let change = try database.presenceChange(in: account, bootID: new.bootID) {
          session.begin(noEarlierThan: change)
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
        try database.remove([process], from: seen.recordID)
        try database.run("DELETE FROM open_session WHERE record_id = ?", [seen.recordID.bytes])
      }
      if open == nil { try database.insert(session) }
      try database.run(
        "INSERT INTO open_session_process VALUES (?, ?, ?)",
        [session.recordID.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
      return .open(session)
    }
  }

  public func openSessions() async throws(StoreError) -> [OpenUsageSession] {
    try await read { [own] database in try database.openSessions("TRUE", [], on: own) }
  }

  /// Records that sessions continue.
  ///
  /// Sessions of unknown or other programs count only if a program runs in them.
  public func heartbeat(_ records: [RecordID], now: BootInstant, at wall: Int64) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in records {
        try database.run(
          """
          UPDATE open_session SET last_seen_boot = ?, session_end = ? WHERE record_id = ?
            AND (app_id NOT IN (?, ?) OR EXISTS (SELECT 1 FROM open_session_process p WHERE p.record_id = open_session.record_id))
          """, [now.milliseconds, wall, record.bytes, AppID.unknownPrograms.text, AppID.otherPrograms.text])
      }
    }
  }

  /// Records the sessions whose programs rules close now, and the sessions that are open again.
  public func note(closed: [RecordID], reopened: [RecordID], now: BootInstant) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in closed {
        try database.run(
          "UPDATE open_session SET closed_boot = coalesce(closed_boot, ?) WHERE record_id = ?",
          [now.milliseconds, record.bytes])
      }
      for record in reopened {
        try database.run("UPDATE open_session SET closed_boot = NULL WHERE record_id = ?", [record.bytes])
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
    try await commits.commit(.upkeep) { [own] database in
      guard let session = try database.openSession(of: process, bootID: bootID, on: own) else { return }
      var activity: SessionActivity
      if let known = session.activity {
        activity = known
        activity.add(reading)
      } else {
        let before = since.map { max(0, $0 - session.startedAt) } ?? 0
        activity = SessionActivity(run: reading.run, clock: reading.milliseconds, milliseconds: before)
      }
      try database.set(activity, of: session.recordID)
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
  ///
  /// With a `boot`, programs that have gone on in another session of that boot are removed from
  /// that one: `handOver` may have ended theirs since the caller looked.
  public func endSession(
    _ id: RecordID, of ended: [ProcessIdentity], in boot: String? = nil, at wall: Int64, end: BootInstant? = nil,
    make: @escaping @Sendable (OpenUsageSession, inout DatabaseEffects) throws -> UsageRecord
  ) async throws(StoreError) -> SessionEnding? {
    try await commits.commitTogether { [own, coding, keys, caps, factCache] database, group in
      guard var session = try database.openSession(id, orOf: ended, in: boot, on: own) else {
        // The request was repeated. That is rare, so it may read the index of this device's whole
        // history.
        return try database.row(
          "SELECT * FROM usage_record WHERE device_id = ? AND record_id = ?", [Data(own.bytes), Data(id.bytes)]
        ).map { SessionEnding.ended(try UsageRecord($0), []) }
      }
      try database.remove(ended, from: session.recordID)
      if let end { for process in ended { try database.note(end, of: process, bootID: session.bootID) } }
      session.processes.removeAll { ended.contains($0) }
      guard session.processes.isEmpty else { return .open }
      session.processes = ended
      var effects = DatabaseEffects(database, coding, own: own, author: own, cache: factCache, at: wall)
      let record = try make(session, &effects)
      try database.run("DELETE FROM open_session WHERE record_id = ?", [session.recordID.bytes])
      let records = session.records(from: record)
      var changes = try records.flatMap { try database.report($0, coding, keys, caps, in: group, at: wall) }
      if !effects.newFacts.isEmpty {
        // Control streams change in the database itself, so the group's changes are written first.
        try group.settle(database)
        changes += try database.relay(effects.newFacts, from: nil, keys, coding, at: wall)
      }
      return .ended(records.first ?? record, changes)
    }
  }
}

extension Database {
  func openSession(_ id: RecordID, on own: DeviceID) throws -> OpenUsageSession? {
    try openSessions("record_id = ?", [Data(id.bytes)], on: own).first
  }

  /// Returns an open session or, if there is none with that ID, the open one of a boot that has one
  /// of these programs; only the former without a boot.
  func openSession(
    _ id: RecordID, orOf processes: [ProcessIdentity], in boot: String?, on own: DeviceID
  ) throws -> OpenUsageSession? {
    if let session = try openSession(id, on: own) { return session }
    guard let boot else { return nil }
    for process in processes {
      if let session = try openSession(of: process, bootID: boot, on: own) { return session }
    }
    return nil
  }

  /// Returns the open session of another one's application, account and boot.
  func openSession(like new: OpenUsageSession) throws -> OpenUsageSession? {
    try openSessions(
      "boot_id = ? AND app_id = ? AND account IS ?", [new.bootID, new.appID.text, new.account], on: new.device
    ).first
  }

  fileprivate func openSession(
    of process: ProcessIdentity, bootID: String, on own: DeviceID
  ) throws -> OpenUsageSession? {
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
      guard let child = ChildID(bytes: $0["child"] as Data), let category = AppCategory(rawValue: $0["category"]) else {
        throw StoreError.unexpected("a child of an open session")
      }
      return SessionSharer(child: child, category: category)
    }
  }

  /// Removes programs from an open session.
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

  /// Removes the newest program from the observed session that has the most programs.
  ///
  /// Returns `false` if no observed session has several.
  fileprivate func freePlace() throws -> Bool {
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
