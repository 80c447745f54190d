import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Begin a session, durably; `recordID` is made from the boot's next number and 8 random bytes of this database, so that a
  /// database that was lost and begun anew within one boot gives no ID twice.
  public func openSession(
    bootID: String,
    make:
      @escaping @Sendable (_ sequence: UInt64, _ salt: [UInt8], AppLookup, FamilySettings?) throws -> OpenUsageSession
  ) async throws(StoreError) -> OpenUsageSession {
    try await commits.commit { [own, coding] database in
      let row = try database.row(
        """
        INSERT INTO usage_sequence VALUES (?, 1, randomblob(8)) ON CONFLICT DO UPDATE SET last = last + 1
        RETURNING last, salt
        """, [bootID])
      let session = try make(
        row?.unsigned("last") ?? 1, row?.bytes("salt") ?? [], AppLookup { try database.app($0, on: own, coding) },
        try database.settings(coding))
      try database.run(
        "INSERT INTO open_session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          Data(session.recordID.bytes), session.appID.text, session.displayName, Int64(session.processID),
          Int64(bitPattern: session.processStartTime), session.bootID, session.startedAt.milliseconds,
          session.lastSeenAt.milliseconds, session.startedAtWall, session.lastSeenAtWall, session.zone,
          session.category.rawValue, session.milliPointsPerMinute, session.evidence.rawValue,
        ])
      return session
    }
  }

  public func openSessions() async throws(StoreError) -> [OpenUsageSession] {
    try await read { database in try database.rows("SELECT * FROM open_session").map(OpenUsageSession.init) }
  }

  /// Note that sessions are still running.
  public func heartbeat(_ records: [RecordID], now: BootInstant, at wall: Int64) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in records {
        try database.run(
          "UPDATE open_session SET last_seen_boot = ?, last_seen_at = ? WHERE record_id = ?",
          [now.milliseconds, wall, Data(record.bytes)])
      }
    }
  }

  /// End a session: its record, and its place in the outbox of every parent, in one transaction.
  ///
  /// - Parameter make: the record of the session that is open; not called when it has ended already.
  /// - Returns: the record; nil when there is neither a session nor a record of that ID.
  public func endSession(
    _ id: RecordID, at wall: Int64,
    make: @escaping @Sendable (OpenUsageSession, FamilySettings?, RemainderTable) throws -> UsageRecord
  ) async throws(StoreError) -> (record: UsageRecord, changes: [OutboxChange])? {
    try await commits.commitTogether { [own, coding, keys, caps] database, group in
      guard let row = try database.row("SELECT * FROM open_session WHERE record_id = ?", [Data(id.bytes)]) else {
        // Said again, which is rare: this reads through the index of this device's whole history.
        return try database.row(
          "SELECT * FROM usage_record WHERE device_id = ? AND record_id = ?", [Data(own.bytes), Data(id.bytes)]
        ).map { (try UsageRecord($0), []) }
      }
      let record = try make(
        try OpenUsageSession(row), try database.settings(coding), RemainderTable(database: database))
      try database.run("DELETE FROM open_session WHERE record_id = ?", [Data(id.bytes)])
      return (record, try database.report(record, coding, keys, caps, in: group, at: wall))
    }
  }

  /// Keep finished records and queue them for every parent, in one transaction.
  public func record(_ records: [UsageRecord], at wall: Int64) async throws(StoreError) -> [OutboxChange] {
    try await commits.commitTogether { [coding, keys, caps] database, group in
      try records.flatMap { try database.report($0, coding, keys, caps, in: group, at: wall) }
    }
  }

  /// Sessions that overlap a range, newest first.
  ///
  /// - Parameters:
  ///   - devices: nil for all.
  ///   - before: the start and ID of the last session of the page before.
  public func usage(
    device: DeviceID?, app: AppID?, from: Int64, to: Int64, limit: Int, before: (start: Int64, id: RecordID)?
  ) async throws(StoreError) -> [UsageRecord] {
    try await read { database in
      let devices =
        try device.map { [$0] }
        ?? database.rows("SELECT device_id FROM usage_longest").map { try $0.deviceID("device_id") }
      var found: [UsageRecord] = []
      for device in devices {
        let longest =
          try database.row("SELECT milliseconds FROM usage_longest WHERE device_id = ?", [Data(device.bytes)])
          .map { $0[0] as Int64 } ?? 0
        // Nothing that begins earlier than the longest session before the range can reach into it.
        let earliest = from.subtractingReportingOverflow(longest)
        found += try database.rows(
          """
          SELECT * FROM usage_record WHERE device_id = ?1 AND session_start >= ?2 AND session_start < ?3
            AND (session_end > ?4 OR session_start = ?4)
            AND (?5 IS NULL OR app_id = ?5) AND (session_start, record_id) < (?6, ?7)
          ORDER BY session_start DESC, record_id DESC LIMIT ?8
          """,
          [
            Data(device.bytes), earliest.overflow ? Int64.min : earliest.partialValue, to, from, app?.text,
            before?.start ?? Int64.max, before.map { Data($0.id.bytes) } ?? Data(repeating: 255, count: 17), limit,
          ]
        ).map(UsageRecord.init)
      }
      if devices.count > 1 {
        found.sort { ($0.sessionStart, $0.recordID.description) > ($1.sessionStart, $1.recordID.description) }
      }
      return Array(found.prefix(limit))
    }
  }

  /// Rows of usage of a device, for tests and reports.
  public func usageCount(device: DeviceID) async throws(StoreError) -> Int64 {
    try await read {
      try Int64.fetchOne(
        $0, sql: "SELECT COUNT(*) FROM usage_record WHERE device_id = ?", arguments: [Data(device.bytes)]) ?? 0
    }
  }
}

extension Database {
  /// Insert a record; false when it was there already.
  func insert(_ record: UsageRecord, in group: WriteGroup) throws -> Bool {
    try run(
      "INSERT INTO usage_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        record.recordID.bytes, record.device.bytes, record.appID.text, record.displayName,
        record.sessionStart, record.sessionEnd, record.zone, record.activeMilliseconds, record.category.rawValue,
        record.milliPointsPerMinute, record.earnedMilliPoints, record.evidence.rawValue, record.sessions,
      ])
    guard changesCount > 0 else { return false }
    try group.witness(session: record.sessionEnd - record.sessionStart, of: record.device, self)
    return true
  }

  /// Insert a record of this machine and queue it for every parent.
  ///
  /// A parent whose queue has no room even after making some is passed over, and the audit says so: the others get the
  /// record, and it is kept here.
  func report(
    _ record: UsageRecord, _ coding: any BodyCoding, _ keys: any KeySource, _ caps: QueueCaps,
    in group: WriteGroup, at wall: Int64
  ) throws -> [OutboxChange] {
    guard try insert(record, in: group) else { return [] }
    let item = QueuedItem(kind: .usageRecord, id: record.recordID.bytes, body: coding.encode(record), level: 0)
    return try group.parents(self).compactMap { parent in
      let queue = UsageQueue(
        database: self, group: group, parent: parent, own: record.device, coding: coding, keys: keys, caps: caps,
        wall: wall)
      let change = try queue.add(item)
      if change == nil {
        try audit(
          AuditEntry(
            author: record.device, action: "usage.not-queued", target: parent.device.description,
            new: record.recordID.description, at: wall))
      }
      return change
    }
  }
}

extension UsageRecord {
  init(_ row: Row) throws {
    guard let id = RecordID(bytes: row["record_id"] as Data), let app = AppID(row["app_id"]),
      let category = AppCategory(rawValue: row["category"]), let evidence = UsageEvidence(rawValue: row["evidence"])
    else { throw StoreError.unexpected("a usage record") }
    self.init(
      recordID: id, device: try row.deviceID("device_id"), appID: app, displayName: row["display_name"],
      sessionStart: row["session_start"], sessionEnd: row["session_end"], zone: row["zone"],
      activeMilliseconds: row["active"], category: category, milliPointsPerMinute: row["rate"],
      earnedMilliPoints: row["earned"], evidence: evidence, sessions: row["sessions"])
  }
}

extension OpenUsageSession {
  init(_ row: Row) throws {
    guard let id = RecordID(bytes: row["record_id"] as Data), let app = AppID(row["app_id"]),
      let category = AppCategory(rawValue: row["category"]), let evidence = UsageEvidence(rawValue: row["evidence"])
    else { throw StoreError.unexpected("an open session") }
    self.init(
      recordID: id, appID: app, displayName: row["display_name"],
      processID: Int32(clamping: row["process_id"] as Int64),
      processStartTime: row.unsigned("process_start_time"), bootID: row["boot_id"],
      startedAt: BootInstant(milliseconds: row["started_boot"]),
      lastSeenAt: BootInstant(milliseconds: row["last_seen_boot"]), startedAtWall: row["started_at"],
      lastSeenAtWall: row["last_seen_at"], zone: row["zone"], category: category, milliPointsPerMinute: row["rate"],
      evidence: evidence)
  }
}
