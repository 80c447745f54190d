import Foundation
import GRDB
import LatchkeyModel

/// A list of what runs on a machine, as this machine was told.
public struct ToldRunning: Hashable, Sendable {
  /// The list.
  public var list: RunningList
  /// The boot of this machine in which it was told.
  public var bootID: String
  /// The instant of that boot.
  public var toldAt: BootInstant
}

/// What runs on children's machines.
///
/// Spec: Protocol/10-household.md §4.
extension Store {
  /// Has the parents of this machine, a child's, hear of what runs on it, in place of a list that still waits.
  ///
  /// Nothing is told if nothing runs, and that was told last. Returns the changed streams.
  public func tellRunning(_ entries: [RunningUse], at wall: Int64) async throws(StoreError) -> [OutboxChange] {
    try await commits.commit(.upkeep) { [own, coding, keys, clock] database in
      let last = try database.runningList(of: own, coding)
      if entries.isEmpty, last?.list.entries.isEmpty ?? true { return [] }
      let list = RunningList(device: own, number: (last?.list.number ?? 0) &+ 1, entries: entries)
      try database.save(list, toldBy: own, coding, clock)
      return try database.addresses(role: .parent).map {
        try database.queue(list, for: $0, keys, coding, at: wall)
      }
    }
  }
}

extension InboxTransaction {
  /// Takes a list of what runs on the sender, a child's machine, or on another machine of a child by a parent's word.
  mutating func applyRunning(_ item: DeliveryItem, _ body: Result<RunningList, BodyFault>) throws {
    do {
      let list = try body.get()
      if peerRole == .parent { return try takeShared(list) }
      guard list.device == peer.device else {
        throw BodyFault("The list of what runs is of another device than the one that sent it.", .foreign)
      }
      let served = Set(try database.servedChildren(of: peer.device))
      let known = list.naming(served)
      try database.save(known, toldBy: peer.device, coding, clock)
      result.hasNewUse = true
      // A machine's own word that it is a child's tells the child's other machines nothing.
      let given = Set(try database.givenChildren(of: peer.device))
      var others: [OutboxAddress] = []
      for child in given.sorted() {
        for other in try database.sharers(of: child, except: peer.device) where !others.contains(other) {
          others.append(other)
        }
      }
      for other in others {
        let shared = Set(try database.givenChildren(of: other.device)).intersection(given)
        result.changes.append(try database.queue(known.of(shared), for: other, keys, coding, at: wall))
      }
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }

  /// Takes what runs on another machine, of the children that this machine serves, unless a later list is known.
  private mutating func takeShared(_ list: RunningList) throws {
    guard list.device != own else { return }
    if let known = try database.runningList(of: list.device, coding) {
      // Two parents may pass on the lists of one machine; the one that has been out of touch knows an older one.
      let isRecent = known.bootID == clock.bootID && clock.now() - known.toldAt < Self.recentMilliseconds
      let isOfAnother = try database.first(
        "SELECT told_by <> ? FROM running_list WHERE device_id = ?", [peer.device.bytes, list.device.bytes],
        { $0.integer(0) != 0 })
      if isRecent, isOfAnother == true, list.number < known.list.number { return }
    }
    try database.save(
      list.of(Set(try database.servedChildren(of: own))), toldBy: peer.device, coding, clock)
    result.hasNewUse = true
  }

  /// The time for which a list of one parent is kept in spite of an older one of another, in milliseconds.
  private static var recentMilliseconds: Int64 { 300_000 }

  /// Takes the record of a session on another machine, of a child that this machine serves, from a parent.
  mutating func takeShared(_ record: UsageRecord) throws {
    // It may have stopped to serve the child while the record was on its way.
    guard let child = record.child, record.device != own, try served().contains(child),
      record.householdStart > wall - Limits.sharedUseMilliseconds
    else { return }
    let known =
      try sharedRecords[record.device] ?? database.first(
        "SELECT COUNT(*) FROM usage_record WHERE device_id = ?", [record.device.bytes], { $0.integer(0) }) ?? 0
    sharedRecords[record.device] = known + 1
    guard known < Limits.sharedRecords else { return }
    if try database.insert(record, in: group, at: wall) {
      result.usageRecords += 1
      result.hasNewUse = true
    }
  }

  /// Has the other machines of a record's child get it.
  mutating func passOn(_ record: UsageRecord) throws {
    guard let child = record.child, try database.serves(record.device, child) else { return }
    for other in try database.sharers(of: child, except: record.device) {
      result.changes.append(try database.pass(record, to: other, coding, caps, in: group, at: wall))
    }
  }

  /// Returns the children whose machine the sender is or, if that is a parent's, whose this machine is.
  mutating func served() throws -> Set<ChildID> {
    if let known = servedChildren { return known }
    let found = Set(try database.servedChildren(of: peerRole == .child ? peer.device : own))
    servedChildren = found
    return found
  }
}

extension Database {
  func runningList(of device: DeviceID, _ coding: any BodyCoding) throws -> ToldRunning? {
    try row("SELECT * FROM running_list WHERE device_id = ?", [Data(device.bytes)]).flatMap {
      try ToldRunning($0, coding)
    }
  }

  fileprivate func save(
    _ list: RunningList, toldBy teller: DeviceID, _ coding: any BodyCoding, _ clock: StoreClock
  ) throws {
    try run(
      "INSERT OR REPLACE INTO running_list VALUES (?, ?, ?, ?, ?, ?)",
      [
        list.device.bytes, Int64(bitPattern: list.number), teller.bytes, clock.bootID, clock.now().milliseconds,
        coding.encode(list),
      ])
  }

  /// Queues a list for a peer in its control stream, in place of one of the same machine that still waits.
  ///
  /// The group of the transaction has to be settled before.
  fileprivate func queue(
    _ list: RunningList, for peer: OutboxAddress, _ keys: any KeySource, _ coding: any BodyCoding, at wall: Int64
  ) throws -> OutboxChange {
    let waiting = try rows(
      "SELECT seq, item_id, body FROM outbox_item WHERE peer = ? AND class = \(ItemNumber.control) AND kind = ?",
      [peer.number, ItemKind.running.rawValue])
    for item in waiting where (try? coding.running(item.bytes("body")))?.device == list.device {
      try withdraw(peer.number, .control, item["seq"], itemID: item["item_id"], as: nil, at: wall)
    }
    return try enqueue(
      peer, .control, kind: .running, itemID: Array(keys.freshKey().prefix(16)), body: coding.encode(list), at: wall)
  }

  /// Forgets what another machine has told of a child whom this machine, a child's, no longer serves.
  func forgetSharedUse(of child: ChildID, own: DeviceID) throws {
    try run("DELETE FROM usage_record WHERE device_id <> ? AND child = ?", [own.bytes, child.bytes])
    try run("DELETE FROM running_list WHERE device_id <> ?", [own.bytes])
    try countAgain(child, from: 0, to: HybridTimestamp.wallLimit)
  }
}

extension ToldRunning {
  init?(_ row: Row, _ coding: any BodyCoding) throws {
    guard let list = try? coding.running(row.bytes("body")) else { return nil }
    self.init(
      list: list, bootID: row["boot_id"], toldAt: BootInstant(milliseconds: row["told_boot"] as Int64))
  }
}
