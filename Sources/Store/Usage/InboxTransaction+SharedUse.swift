import GRDB
import LatchkeyModel

/// The use of a child on other machines, as parents forward it.
///
/// Spec: Protocol/10-household.md §4.
extension InboxTransaction {
  /// Takes from a parent the record of a session on another machine, of a child that this machine
  /// serves.
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

  /// Returns the children that the sender serves or, if the sender is a parent's machine, that this
  /// machine serves.
  mutating func served() throws -> Set<ChildID> {
    if let known = servedChildren { return known }
    let found = Set(try database.servedChildren(of: peerRole == .child ? peer.device : own))
    servedChildren = found
    return found
  }
}

extension Database {
  /// Deletes what other machines have told of a child whom this machine, a child's, no longer
  /// serves.
  func forgetSharedUse(of child: ChildID, own: DeviceID) throws {
    try run("DELETE FROM usage_record WHERE device_id <> ? AND child = ?", [own.bytes, child.bytes])
    try run("DELETE FROM inventory WHERE device_id <> ?", [own.bytes])
    try countAgain(child, from: 0, to: HybridTimestamp.wallLimit)
  }
}
