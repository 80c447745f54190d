import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Stores finished records and queues them for every parent, in one transaction.
  public func record(_ records: [UsageRecord], at wall: Int64) async throws(StoreError) -> [OutboxChange] {
    try await commits.commitTogether { database, group in
      try records.flatMap { try database.report($0, self, in: group, at: wall) }
    }
  }

  /// Returns the sessions that overlap a range, newest first, each with its doubt.
  ///
  /// A doubt is the reason why a session cannot be true, as found when it was stored; `nil` if it
  /// can.
  ///
  /// Without a device or an application, all count. `before` is the start and the ID of the last
  /// session on the previous page.
  public func usage(
    device: DeviceID?, app: AppID?, from: Int64, to: Int64, limit: Int, before: (start: Int64, id: RecordID)?
  ) async throws(StoreError) -> [(record: UsageRecord, doubt: UsageDoubt?)] {
    try await read { database in
      let devices =
        try device.map { [$0] }
        ?? database.rows("SELECT device_id FROM usage_longest").map { try $0.deviceID("device_id") }
      var found: [(record: UsageRecord, doubt: UsageDoubt?)] = []
      for device in devices {
        let longest =
          try database.row("SELECT milliseconds FROM usage_longest WHERE device_id = ?", [Data(device.bytes)])
          .map { $0[0] as Int64 } ?? 0
        // A session that overlaps the range cannot begin earlier than this.
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
        ).map { row in
          (try UsageRecord(row), (row["doubt"] as String?).flatMap(UsageDoubt.init))
        }
      }
      if devices.count > 1 {
        found.sort {
          ($0.record.sessionStart, $0.record.recordID.description)
            > ($1.record.sessionStart, $1.record.recordID.description)
        }
      }
      return Array(found.prefix(limit))
    }
  }
}

extension Database {
  /// Inserts a record, with the doubts about it at present; returns `false` if it exists already.
  func insert(_ record: UsageRecord, in group: WriteGroup, at wall: Int64) throws -> Bool {
    let statement = try group.statement(
      .keepRecord,
      """
      INSERT INTO usage_record (record_id, device_id, app_id, display_name, session_start, session_end, zone, active,
        category, rate, earned, evidence, sessions, account, child, household_start, doubt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, self)
    try run(statement) {
      $0.add(record.recordID.bytes)
      $0.add(record.device.bytes)
      $0.add(record.appID.text)
      $0.add(record.displayName)
      $0.add(record.sessionStart)
      $0.add(record.sessionEnd)
      $0.add(record.zone)
      $0.add(record.activeMilliseconds)
      $0.add(record.category.rawValue)
      $0.add(record.milliPointsPerMinute)
      $0.add(record.earnedMilliPoints)
      $0.add(record.evidence.rawValue)
      $0.add(record.sessions)
      $0.add(record.account)
      $0.add(record.child?.bytes)
      $0.add(record.householdStart)
      $0.add(record.doubt(takenUpAt: wall)?.rawValue)
    }
    guard changesCount > 0 else { return false }
    if let child = record.child { try count(record, of: child) }
    try group.witness(
      session: max(record.sessionEnd - record.sessionStart, record.activeMilliseconds), of: record.device, self)
    return true
  }

  /// Inserts a record of this machine and queues it for every parent.
  ///
  /// A parent's queue may have no space, even after some was made. The audit log records this.
  func report(_ record: UsageRecord, _ store: Store, in group: WriteGroup, at wall: Int64) throws -> [OutboxChange] {
    guard try insert(record, in: group, at: wall) else { return [] }
    let item = QueuedItem(kind: .usageRecord, id: record.recordID.bytes, body: store.coding.encode(record), level: 0)
    return try group.parents(self).compactMap { parent in
      let queue = UsageQueue(database: self, group: group, parent: parent, store: store, wall: wall)
      let (isQueued, change) = try queue.add(item)
      if !isQueued {
        try audit(
          "usage.not-queued", of: parent.device.description, new: record.recordID.description, by: record.device,
          at: wall)
      }
      return change
    }
  }
}

extension UsageRecord {
  /// Creates a record from a row of the records or of the open sessions.
  ///
  /// Open sessions are `device`'s and have no sums yet.
  init(_ row: Row, of device: DeviceID? = nil) throws {
    guard let id = RecordID(bytes: row["record_id"] as Data), let app = AppID(row["app_id"]),
      let category = AppCategory(rawValue: row["category"]), let evidence = UsageEvidence(rawValue: row["evidence"])
    else { throw StoreError.unexpected("a usage record") }
    self.init(
      recordID: id, device: try device ?? row.deviceID("device_id"), appID: app, displayName: row["display_name"],
      sessionStart: row["session_start"], sessionEnd: row["session_end"], zone: row["zone"],
      activeMilliseconds: row["active"] ?? 0, category: category, milliPointsPerMinute: row["rate"],
      earnedMilliPoints: row["earned"] ?? 0, evidence: evidence, sessions: row["sessions"] ?? 1,
      account: (row["account"] as Int64?).map { UInt32(clamping: $0) },
      child: (row["child"] as Data?).flatMap { ChildID(bytes: $0) }, householdStart: row["household_start"])
  }
}
