import Foundation
import GRDB
import LatchkeyModel
import LatchkeyRules

/// The use of a child on one machine, which a parent passes on to the child's other machines. Spec:
/// Protocol/10-household.md §4.
extension Store {
  /// Sends each child's machine the use of the children that it serves; returns the changed
  /// streams.
  ///
  /// A machine that has begun to serve a child gets the use since `start`, and from then on the new
  /// use. Times are in Unix milliseconds.
  public func shareUse(
    since start: @escaping @Sendable (ChildID) -> Int64, at wall: Int64
  ) async throws(StoreError) -> [OutboxChange] {
    guard try await read({ try !$0.sharesToChange().isEmpty }) else { return [] }
    return try await commits.commitTogether { database, group in
      var changes: [OutboxChange] = []
      for share in try database.sharesToChange() {
        guard share.isNew else {
          try database.run(
            "DELETE FROM use_shared WHERE peer = ? AND child = ?", [share.peer.number, share.child.bytes])
          continue
        }
        try database.run("INSERT INTO use_shared VALUES (?, ?)", [share.peer.number, share.child.bytes])
        let records = try database.rows(
          """
          SELECT * FROM usage_record WHERE child = ? AND household_start >= ? AND device_id <> ? ORDER BY household_start
          """, [Data(share.child.bytes), start(share.child), Data(share.peer.device.bytes)])
        for row in records {
          changes.append(try database.pass(try UsageRecord(row), to: share.peer, self, in: group, at: wall))
        }
      }
      return changes
    }
  }

  /// Forgets use on other machines, on a child's machine, that began before a time in Unix
  /// milliseconds.
  public func forgetSharedUse(before start: Int64) async throws(StoreError) {
    let first = try await read { [own] database in
      try database.integer(
        """
        SELECT household_start FROM usage_record WHERE device_id <> ? AND household_start < ?
        ORDER BY household_start LIMIT 1
        """, [own.bytes, start])
    }
    guard let first else { return }
    try await commits.commit(.upkeep) { [own] database in
      try database.run("DELETE FROM usage_record WHERE device_id <> ? AND household_start < ?", [own.bytes, start])
      for child in try database.usedChildren() {
        try database.countAgain(child, from: first, to: start + SpanSet.longestMilliseconds)
      }
    }
  }
}

extension Database {
  /// A machine that begins or ceases to get a child's use.
  fileprivate struct Share {
    var peer: OutboxAddress
    var child: ChildID
    var isNew: Bool
  }

  /// Returns the machines and children for which sharing begins or ends.
  fileprivate func sharesToChange() throws -> [Share] {
    var shares: [Share] = []
    for peer in try addresses(role: .child) {
      let served = Set(try givenChildren(of: peer.device))
      let shared = Set(
        try rows("SELECT child FROM use_shared WHERE peer = ?", [peer.number]).compactMap {
          ChildID(bytes: $0.bytes("child"))
        })
      shares += served.subtracting(shared).sorted().map { Share(peer: peer, child: $0, isNew: true) }
      shares += shared.subtracting(served).sorted().map { Share(peer: peer, child: $0, isNew: false) }
    }
    return shares
  }

  /// Returns the machines other than a sender that get the use of a child.
  func sharers(of child: ChildID, except sender: DeviceID) throws -> [OutboxAddress] {
    try all(
      """
      SELECT p.number, p.device_id FROM use_shared s JOIN peer p ON p.number = s.peer
      WHERE s.child = ? AND p.state = 2 AND p.device_id <> ? ORDER BY p.number
      """, [child.bytes, sender.bytes], { OutboxAddress(number: $0.integer(0), device: try $0.deviceID(1)) }
    )
    // What is sent to a machine depends on the children that it serves now, whatever was shared
    // before.
    .filter { try serves($0.device, child) }
  }

  /// Queues a record for another machine of its child.
  ///
  /// If there is no space, it replaces the oldest pending records.
  func pass(
    _ record: UsageRecord, to peer: OutboxAddress, _ store: Store, in group: WriteGroup,
    at wall: Int64
  ) throws -> OutboxChange {
    let body = store.coding.encode(record)
    func queue(_ caps: QueueCaps) throws -> OutboxChange {
      try enqueue(
        peer, .usage, kind: .usageRecord, itemID: record.recordID.bytes, body: body, caps: caps, in: group, at: wall)
    }
    do { return try queue(store.caps) } catch StoreError.queueFull {
      try group.settle(self)
      let oldest = try rows(
        "SELECT seq, item_id FROM outbox_item WHERE \(OutboxPlace.stream("?1", .usage)) ORDER BY place LIMIT ?",
        [peer.number, max(1, min(store.caps.items / 8, 4_096))])
      for row in oldest {
        try withdraw(peer.number, .usage, row["seq"], itemID: row["item_id"], as: .dropped, at: wall)
      }
      return try queue(QueueCaps(items: .max, bytes: .max))
    }
  }

  /// Deletes the use of a child on other machines, once this machine no longer serves the child.
  func forgetSharedUse(of child: ChildID, own: DeviceID) throws {
    try run("DELETE FROM usage_record WHERE device_id <> ? AND child = ?", [own.bytes, child.bytes])
    try run("DELETE FROM inventory WHERE device_id <> ?", [own.bytes])
    try countAgain(child, from: 0, to: HybridTimestamp.wallLimit)
  }
}

/// The use of a child on other machines, as parents forward it. Spec: Protocol/10-household.md §4.
extension InboxTransaction {
  /// Takes from a parent the record of a session on another machine, of a child that this machine
  /// serves.
  mutating func takeShared(_ record: UsageRecord) throws {
    // It may have stopped to serve the child while the record was on its way.
    guard let child = record.child, record.device != own, try served().contains(child),
      record.householdStart > wall - Limits.sharedUseMilliseconds
    else { return }
    let known =
      try sharedRecords[record.device] ?? database.integer(
        "SELECT COUNT(*) FROM usage_record WHERE device_id = ?", [record.device.bytes]) ?? 0
    sharedRecords[record.device] = known + 1
    guard known < Limits.sharedRecords else { return }
    if try database.insert(record, in: group, at: wall) {
      result.usageRecords += 1
      result.hasNewUse = true
    }
  }

  /// Sends a record to the other machines of its child.
  mutating func passOn(_ record: UsageRecord) throws {
    guard let child = record.child, try database.serves(record.device, child) else { return }
    for other in try database.sharers(of: child, except: record.device) {
      result.changes.append(try database.pass(record, to: other, store, in: group, at: wall))
    }
  }

  /// Returns the children that the sender serves or, if the sender is a parent's machine, that this
  /// machine serves.
  mutating func served() throws -> Set<ChildID> {
    if let known = servedChildren { return known }
    let found = Set(try database.servedChildren(of: peerRole == .child ? peer.device : own))
    servedChildren = found
    return found
  }
}
