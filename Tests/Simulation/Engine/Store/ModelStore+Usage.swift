import LatchkeyModel

/// Usage on a child's machine, and full queues.
///
/// Spec: Protocol/05-delivery.md §9.
extension ModelStore {
  private struct Bucket: Hashable {
    var app: AppID
    var zone: String
    var category: AppCategory
    var rate: Int64
    var evidence: UsageEvidence
    var account: UInt32?
    var child: ChildID?
    var day: Int64
    var hour: Int64
  }

  private struct Member {
    var item: ModelItem
    var record: UsageRecord
  }

  /// Stores a finished record and queues it for every parent.
  package mutating func report(_ record: UsageRecord) throws(ModelStoreFault) -> [ModelChange] {
    guard usage[record.recordID] == nil else { return [] }
    usage[record.recordID] = record
    var changes: [ModelChange] = []
    for place in peers.indices where peers[place].state == .active && peers[place].role == .parent {
      reported[record.recordID, default: [:]][peers[place].device] = peers[place].pairing
      let item = (kind: ItemKind.usageRecord, id: record.recordID.bytes, body: coding.encode(record), level: Int64(0))
      if let change = try addUsage(place, item) { changes.append(change) }
    }
    return changes
  }

  /// Queues this machine's own use for a parent that has been paired.
  mutating func queueUsage(_ place: Int) throws(ModelStoreFault) {
    for record in usage.values where record.device == own {
      reported[record.recordID, default: [:]][peers[place].device] = peers[place].pairing
    }
    for item in everyUsage(place) { _ = try addUsage(place, item) }
  }

  /// Queues an item, and makes space if there is none; returns `nil` if there is still none.
  mutating func addUsage(
    _ place: Int, _ item: (kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)
  ) throws(ModelStoreFault) -> ModelChange? {
    var hasMadeRoom = false
    while true {
      do {
        return try enqueue(
          place, .usage, kind: item.kind, itemID: item.id, body: item.body, level: item.level, caps: caps)
      } catch .queueFull {
        let new = newBesideRestart(place)
        if let new, new.items < caps.items, new.bytes < caps.bytes { return try addOver(place, item) }
        guard try makeRoom(place) else {
          tally(place, .usage, .dropped, 1)
          if let name = RecordID(bytes: item.id) { peers[place].refused.formUnion(sources.members[name] ?? [name]) }
          // Making room may have queued the report of a loss.
          guard hasMadeRoom else { return nil }
          return peers[place].outgoing[.usage].map {
            ModelChange(device: peers[place].device, streamClass: .usage, epoch: $0.epoch, last: $0.last)
          }
        }
        hasMadeRoom = true
        if new != nil { return try addOver(place, item) }
      }
    }
  }

  private mutating func addOver(
    _ place: Int, _ item: (kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)
  ) throws(ModelStoreFault) -> ModelChange {
    try enqueue(
      place, .usage, kind: item.kind, itemID: item.id, body: item.body, level: item.level,
      caps: QueueCaps(items: .max, bytes: .max))
  }

  /// Returns the backlog without re-queued items; `nil` if none were re-queued.
  private func newBesideRestart(_ place: Int) -> (items: Int64, bytes: Int64)? {
    guard let stream = peers[place].outgoing[.usage], let first = stream.items.first,
      first.sequence <= stream.restartBound
    else { return nil }
    let new = stream.items.filter { $0.sequence > stream.restartBound }
    return (Int64(new.count), new.reduce(0) { $0 + $1.cost })
  }

  /// Returns all of this machine's usage that a parent may lack.
  func everyUsage(_ place: Int) -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    let totals = peers[place].totals.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.map {
      (kind: ItemKind.usageRecord, id: $0.key.bytes, body: $0.value.body, level: $0.value.level)
    }
    let sessions = usage.values.filter { $0.device == own && !peers[place].merged.contains($0.recordID) }.sorted {
      $0.sessionEnd != $1.sessionEnd
        ? $0.sessionEnd < $1.sessionEnd : $0.recordID.bytes.lexicographicallyPrecedes($1.recordID.bytes)
    }
    return totals
      + sessions.map { (kind: .usageRecord, id: $0.recordID.bytes, body: coding.encode($0), level: Int64(0)) }
  }

  private mutating func makeRoom(_ place: Int) throws(ModelStoreFault) -> Bool {
    let enough = max(1, min(4_096, caps.items) / 8)
    let hours = try merge(place, into: 1)
    if hours >= enough { return true }
    if try merge(place, into: 2) + hours > 0 { return true }
    return try drop(place) > 0
  }

  private mutating func merge(_ place: Int, into level: Int64) throws(ModelStoreFault) -> Int64 {
    guard let stream = peers[place].outgoing[.usage] else { return 0 }
    var members: [Bucket: [Member]] = [:]
    var order: [Bucket] = []
    let bound = sources.fault == .mergeWhatWasSent ? stream.storedThrough : stream.sentBound
    let rows = stream.items.filter { $0.sequence > bound && $0.kind == .usageRecord && $0.level < level }.prefix(4_096)
    for item in rows {
      guard let record = try? coding.usageRecord(item.body), let bucket = Self.bucket(record, level) else { continue }
      if members[bucket] == nil { order.append(bucket) }
      members[bucket, default: []].append(Member(item: item, record: record))
    }
    var freed: Int64 = 0
    for bucket in order {
      guard let found = members[bucket], found.count > 1 else { continue }
      replace(place, found, level)
      freed += Int64(found.count - 1)
      tally(place, .usage, .merged, Int64(found.count))
    }
    return freed
  }

  /// Returns the hour or day of a record that lies within one; the model knows only the zone UTC.
  private static func bucket(_ record: UsageRecord, _ level: Int64) -> Bucket? {
    let last = max(record.sessionStart, record.sessionEnd - 1)
    let hours = (record.sessionStart / 3_600_000, last / 3_600_000)
    let days = (record.sessionStart / 86_400_000, last / 86_400_000)
    guard level == 2 || hours.0 == hours.1, days.0 == days.1 else { return nil }
    return Bucket(
      app: record.appID, zone: record.zone, category: record.category, rate: record.milliPointsPerMinute,
      evidence: record.evidence, account: record.account, child: record.child, day: days.0,
      hour: level == 1 ? hours.0 : 0)
  }

  private mutating func replace(_ place: Int, _ members: [Member], _ level: Int64) {
    guard var total = members.last?.record, let last = members.last?.item,
      let id = RecordID(bytes: sources.keys.freshKey().prefix(16))
    else { return }
    total.recordID = id
    total.sessionStart = members.map(\.record.sessionStart).min() ?? total.sessionStart
    total.sessionEnd = members.map(\.record.sessionEnd).max() ?? total.sessionEnd
    total.householdStart = members.map(\.record.householdStart).min() ?? total.householdStart
    total.activeMilliseconds = members.reduce(0) { $0 + $1.record.activeMilliseconds }
    total.earnedMilliPoints = members.reduce(0) { $0 + $1.record.earnedMilliPoints }
    total.sessions = members.reduce(0) { $0 + $1.record.sessions }
    let item = ModelItem(
      sequence: last.sequence, kind: .usageRecord, itemID: id.bytes, body: coding.encode(total), level: level)
    for member in members {
      let record = member.record.recordID
      sources.members[id, default: []].formUnion(sources.members[record] ?? [record])
      if member.record.sessions == 1 {
        peers[place].merged.insert(record)
      } else {
        peers[place].totals[record] = nil
      }
    }
    let gone = Set(members.map(\.item.sequence))
    var stream = peers[place].outgoing[.usage] ?? ModelPeer.Outgoing(epoch: 0)
    stream.items = stream.items.compactMap { row in
      row.sequence == last.sequence ? item : gone.contains(row.sequence) ? nil : row
    }
    stream.waitingItems -= Int64(members.count - 1)
    stream.waitingBytes -= members.reduce(0) { $0 + $1.item.cost } - item.cost
    peers[place].outgoing[.usage] = stream
    peers[place].totals[id] = ModelTotal(level: level, body: item.body)
  }

  /// Drops the oldest items, and queues a report of the loss at the end.
  private mutating func drop(_ place: Int) throws(ModelStoreFault) -> Int64 {
    guard let stream = peers[place].outgoing[.usage] else { return 0 }
    let rows = stream.items.filter { $0.kind == .usageRecord }.prefix(Int(max(2, min(1_024, caps.items / 16))))
    let words = stream.items.filter { $0.kind == .usageLoss && $0.sequence > stream.sentBound }
    guard rows.count > 1, let id = RecordID(bytes: sources.keys.freshKey().prefix(16)) else { return 0 }
    var loss = UsageLoss(
      lossID: id, device: own, records: 0, sessions: 0, activeMilliseconds: 0, earnedMilliPoints: 0,
      firstStart: HybridTimestamp.wallLimit - 1, lastEnd: 0)
    for item in rows + words {
      guard let name = RecordID(bytes: item.itemID) else { continue }
      sources.members[id, default: []].formUnion(sources.members[name] ?? [name])
      if item.kind == .usageLoss, let earlier = try? coding.usageLoss(item.body) {
        loss.add(earlier)
        losses[name] = nil
      } else if let record = try? coding.usageRecord(item.body) {
        loss.add(record)
      }
      withdraw(place, .usage, item.sequence, itemID: item.itemID, as: nil)
    }
    tally(place, .usage, .dropped, Int64(rows.count))
    losses[id] = loss
    if sources.fault == .dropWithoutLoss { return Int64(rows.count + words.count) }
    try enqueue(
      place, .usage, kind: .usageLoss, itemID: id.bytes, body: coding.encode(loss), level: 3,
      caps: QueueCaps(items: .max, bytes: .max))
    return Int64(rows.count + words.count - 1)
  }
}

extension UsageLoss {
  fileprivate mutating func add(_ other: UsageLoss) {
    records += other.records
    sessions += other.sessions
    activeMilliseconds += other.activeMilliseconds
    earnedMilliPoints += other.earnedMilliPoints
    firstStart = min(firstStart, other.firstStart)
    lastEnd = max(lastEnd, other.lastEnd)
  }

  fileprivate mutating func add(_ record: UsageRecord) {
    records += 1
    sessions += record.sessions
    activeMilliseconds += record.activeMilliseconds
    earnedMilliPoints += record.earnedMilliPoints
    firstStart = min(firstStart, record.sessionStart)
    lastEnd = max(lastEnd, record.sessionEnd)
  }
}
