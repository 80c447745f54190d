import Foundation
import GRDB
import LatchkeyModel
import LatchkeyRules

/// The part of a child's usage queue for one parent that a transaction changes.
///
/// If there is no space, sessions are merged into hourly totals, and these into daily ones. Only
/// then is the oldest usage dropped, with a record of the loss. Items that were ever passed to a
/// session are not merged, since the parent may have them. Spec: Protocol/05-delivery.md §9.
struct UsageQueue {
  let database: Database
  let group: WriteGroup
  let parent: OutboxAddress
  let store: Store
  let wall: Int64

  /// The number of items that one step examines, which limits the transaction.
  private static let step = 4_096

  /// Queues an item, and makes space if there is none.
  ///
  /// An item without space counts as dropped.
  ///
  /// `change` is `nil` if neither the item nor the record of dropped items was queued.
  func add(_ item: QueuedItem) throws -> (isQueued: Bool, change: OutboxChange?) {
    var hasMadeRoom = false
    while true {
      do {
        let change = try database.enqueue(
          parent, .usage, kind: item.kind, itemID: item.id, body: item.body, level: item.level, caps: store.caps,
          in: group,
          at: wall)
        return (true, change)
      } catch StoreError.queueFull {
        try group.settle(database)
        let new = try newBesideRestart()
        if let new, new.items < store.caps.items, new.bytes < store.caps.bytes { return (true, try addOver(item)) }
        guard try makeRoom() else {
          try database.tally(parent.number, .usage, .dropped, items: 1, at: wall)
          return (false, try hasMadeRoom ? stream() : nil)
        }
        hasMadeRoom = true
        if new != nil { return (true, try addOver(item)) }
      }
    }
  }

  /// Returns all usage of this machine that the parent may lack: sessions, or the totals into which
  /// they were merged.
  func everything() throws -> [QueuedItem] {
    let totals = try database.rows("SELECT * FROM usage_total WHERE peer = ?", [parent.number]).map {
      QueuedItem(kind: .usageRecord, id: $0.bytes("record_id"), body: $0.bytes("body"), level: $0["level"])
    }
    let sessions = try database.rows(
      """
      SELECT * FROM usage_record WHERE device_id = ?1
        AND record_id NOT IN (SELECT record_id FROM usage_merged WHERE peer = ?2) ORDER BY session_end, record_id
      """, [Data(store.own.bytes), parent.number]
    ).map { row in
      let record = try UsageRecord(row)
      return QueuedItem(kind: .usageRecord, id: record.recordID.bytes, body: store.coding.encode(record), level: 0)
    }
    return totals + sessions
  }

  private func stream() throws -> OutboxChange? {
    try group.settle(database)
    return try database.first(
      "SELECT epoch, last FROM outbox_stream WHERE peer = ? AND class = ?",
      [parent.number, Int64(StreamClass.usage.rawValue)],
      { OutboxChange(device: parent.device, streamClass: .usage, epoch: $0.unsigned(0), last: $0.unsigned(1)) })
  }

  private func addOver(_ item: QueuedItem) throws -> OutboxChange {
    try database.enqueue(
      parent, .usage, kind: item.kind, itemID: item.id, body: item.body, level: item.level,
      caps: QueueCaps(items: .max, bytes: .max), in: group, at: wall)
  }

  /// Returns the backlog without re-queued items; `nil` if none were re-queued.
  ///
  /// The re-queued part is limited by the stored history. The limits apply to new items separately,
  /// and none are dropped for the sake of the re-queued ones.
  private func newBesideRestart() throws -> (items: Int64, bytes: Int64)? {
    let counts = try database.first(
      """
      SELECT COUNT(*) FILTER (WHERE seq <= s.restart_bound), COUNT(*) FILTER (WHERE seq > s.restart_bound),
        coalesce(SUM(length(body) + length(item_id) + 16) FILTER (WHERE seq > s.restart_bound), 0)
      FROM outbox_item i JOIN outbox_stream s ON s.peer = ?1 AND s.class = \(ItemNumber.usage)
      WHERE \(OutboxPlace.stream("?1", .usage))
      """, [parent.number], { (again: $0.integer(0), items: $0.integer(1), bytes: $0.integer(2)) })
    return counts.flatMap { $0.again > 0 ? ($0.items, $0.bytes) : nil }
  }

  private func makeRoom() throws -> Bool {
    // A step that frees little space would soon have to be repeated, so a stronger one follows. No
    // item is dropped while there is another way.
    let enough = max(1, min(Int64(Self.step), store.caps.items) / 8)
    let hours = try merge(into: 1)
    if hours >= enough { return true }
    if try merge(into: 2) + hours > 0 { return true }
    return try drop() > 0
  }

  private struct Bucket: Hashable {
    var app: AppID
    var zone: String
    var category: AppCategory
    var rate: Int64
    var evidence: UsageEvidence
    var account: UInt32?
    var child: ChildID?
    var day: FamilyDay
    /// The hours since 1970; 0 for a whole day.
    var hour: Int64
  }

  private struct Member {
    var sequence: Int64
    var cost: Int64
    var record: UsageRecord
  }

  /// The first number of the stream to the peer `?1` that was certainly not sent, in SQL.
  static let unsent = "(SELECT sent_bound + 1 FROM outbox_stream WHERE peer = ?1 AND class = \(ItemNumber.usage))"

  /// Merges the oldest records of the same hour (level 1) or family day (2) into totals, and
  /// returns the number of items by which the queue shrinks.
  private func merge(into level: Int64) throws -> Int64 {
    var buckets: [Bucket: [Member]] = [:]
    var order: [Bucket] = []
    let boundaries = try FamilyDays(database)
    let cursor = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT seq, body, length(body) + length(item_id) + 16 FROM outbox_item
          WHERE \(OutboxPlace.stream("?1", .usage, from: Self.unsent)) AND kind = \(ItemNumber.usageRecord) AND level < ?
          ORDER BY place LIMIT ?
          """), arguments: [parent.number, level, Self.step])
    while let row = try cursor.next() {
      guard let record = try? store.coding.usageRecord([UInt8](row[1] as Data)),
        let bucket = Self.bucket(record, level, boundaries)
      else { continue }
      if buckets[bucket] == nil { order.append(bucket) }
      buckets[bucket, default: []].append(Member(sequence: row[0], cost: row[2], record: record))
    }
    var freed: Int64 = 0
    for bucket in order {
      guard let members = buckets[bucket], members.count > 1 else { continue }
      try replace(members, level)
      freed += Int64(members.count - 1)
      try database.tally(parent.number, .usage, .merged, items: Int64(members.count), at: wall)
    }
    return freed
  }

  private static func bucket(_ record: UsageRecord, _ level: Int64, _ days: FamilyDays) -> Bucket? {
    let (first, last) = (record.sessionStart / 3_600_000, max(record.sessionStart, record.sessionEnd - 1) / 3_600_000)
    guard level == 2 || first == last, let day = days.day(of: record) else { return nil }
    return Bucket(
      app: record.appID, zone: record.zone, category: record.category, rate: record.milliPointsPerMinute,
      evidence: record.evidence, account: record.account, child: record.child, day: day, hour: level == 1 ? first : 0)
  }

  /// Replaces records by their total, which takes the place of the last one; the other numbers
  /// become skips.
  private func replace(_ members: [Member], _ level: Int64) throws {
    guard var total = members.last?.record, let last = members.last?.sequence,
      let id = RecordID(bytes: store.keys.freshID())
    else { return }
    total.recordID = id
    total.sessionStart = members.map(\.record.sessionStart).min() ?? total.sessionStart
    total.sessionEnd = members.map(\.record.sessionEnd).max() ?? total.sessionEnd
    total.householdStart = members.map(\.record.householdStart).min() ?? total.householdStart
    total.activeMilliseconds = Self.sum(members.map(\.record.activeMilliseconds), below: HybridTimestamp.wallLimit)
    total.earnedMilliPoints = Self.sum(members.map(\.record.earnedMilliPoints), below: .max)
    total.sessions = Self.sum(members.map(\.record.sessions), below: UsageRecord.mostSessions)
    let body = store.coding.encode(total)
    for member in members {
      let recordID = Data(member.record.recordID.bytes)
      if member.record.sessions == 1 {
        try database.run("INSERT INTO usage_merged VALUES (?, ?) ON CONFLICT DO NOTHING", [parent.number, recordID])
      } else {
        try database.run("DELETE FROM usage_total WHERE peer = ? AND record_id = ?", [parent.number, recordID])
      }
      if member.sequence != last {
        try database.run(
          "DELETE FROM outbox_item WHERE place = ?", [OutboxPlace.of(parent.number, .usage, UInt64(member.sequence))])
      }
    }
    try database.run(
      "UPDATE outbox_item SET item_id = ?, body = ?, level = ? WHERE place = ?",
      [Data(id.bytes), Data(body), level, OutboxPlace.of(parent.number, .usage, UInt64(last))])
    try database.run("INSERT INTO usage_total VALUES (?, ?, ?, ?)", [parent.number, Data(id.bytes), level, Data(body)])
    let cost = Int64(body.count + 32)
    try database.release(
      parent.number, .usage, items: Int64(members.count - 1), bytes: members.reduce(0) { $0 + $1.cost } - cost)
  }

  private static func sum(_ values: [Int64], below limit: Int64) -> Int64 {
    values.reduce(0) { sum, value in
      let (next, overflow) = sum.addingReportingOverflow(value)
      return overflow ? limit - 1 : min(next, limit - 1)
    }
  }
}

/// Assigns usage records to family days.
private struct FamilyDays {
  /// The family's day; `nil` if the family has set no zone, or one that is unknown here.
  private let family: DayBoundary?

  init(_ database: Database) throws {
    let zone = try database.register("family/zone", in: .family)?.value
    let start = try database.register("family/dayStart", in: .family)?.value.flatMap { Int($0) } ?? 0
    family = zone.flatMap { try? DayBoundary(zone: $0, dayStartHour: min(max(start, 0), 23)) }
  }

  /// Returns the day of a record; `nil` if the record extends beyond the end of a day or its zone
  /// is unknown.
  ///
  /// Without the family's day, it is the day from midnight to midnight in the record's own zone.
  func day(of record: UsageRecord) -> FamilyDay? {
    guard let boundary = family ?? (try? DayBoundary(zone: record.zone, dayStartHour: 0)) else { return nil }
    let day = boundary.day(containing: record.sessionStart)
    return day == boundary.day(containing: max(record.sessionStart, record.sessionEnd - 1)) ? day : nil
  }
}
