import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Makes a pending device active and marks its code as used up; returns `false` if nothing is
  /// pending any more.
  func promote(_ device: DeviceID, _ store: Store, age: Int64, at wall: Int64) throws -> Bool {
    guard let row = try row("SELECT * FROM peer WHERE device_id = ? AND pending_key IS NOT NULL", [Data(device.bytes)])
    else { return false }
    let record = try PeerRecord(row)
    let peer = OutboxAddress(number: row["number"], device: device)
    // The discovery key that the joiner received is at least as new as the code.
    let given: Int64?
    if let invitation = row["pending_invitation"] as String? {
      given = try self.row("SELECT generation FROM invitation WHERE pairing_id = ?", [invitation])?["generation"]
      try close(invitation, .ok)
    } else {
      given = nil
    }
    // The streams of a removed device are closed. Its new pairing begins new ones.
    if record.state == .removed || record.state == .removedUntold { try closeStreams(of: device) }
    try voidRotation(peer.number)
    try explainSetBack(peer.number)
    try run(
      """
      UPDATE peer SET state = 2, pairwise_key = pending_key, pending_key = NULL, pending_invitation = NULL,
        pending_boot_id = NULL, pending_since_boot = NULL, pending_lapsed = 0, paired_at = ?, next_key = NULL, previous_key = NULL,
        left_at = NULL, left_age = NULL, connected_at = NULL, quarantined_at = NULL, introduced = 0, assigned = 0, removal_sessions = 0, removal_silences = 0, sent_generation = NULL,
        known_generation = coalesce(?, (SELECT MAX(generation) FROM discovery_key), 0)
      WHERE number = ?
      """, [wall, given, peer.number])
    try run("DELETE FROM fact_holder WHERE peer = ?", [peer.number])
    switch record.device.role {
    case .child:
      _ = try queueRotation(peer, store, at: wall)
      try pruneDiscoveryKeys()
    case .parent:
      try run(
        "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        [Store.discoveryKeySource, device.description])
    }
    if record.device.role == .parent {
      let inventories = Inventories(database: self, store: store, wall: wall)
      try inventories.setParents(with: peer, age: age)
      for item in try inventories.householdItems() {
        _ = try enqueue(peer, .control, kind: item.kind, itemID: item.id, body: item.body, at: wall)
      }
      // What was used before is the family's, too. A parent that was paired before may hold any of
      // it by itself, and must not get it in a total as well.
      if record.state == .pending { try queueUsage(for: peer, store, age: age, at: wall) }
    }
    try audit("device.paired", of: device.description, new: record.device.name.text, by: store.own, at: wall)
    return true
  }

  /// Queues this machine's own use for a new parent; like new use, what has no room is merged into
  /// totals, and then the oldest is dropped.
  private func queueUsage(for parent: OutboxAddress, _ store: Store, age: Int64, at wall: Int64) throws {
    let group = WriteGroup(age: age)
    let queue = UsageQueue(database: self, group: group, parent: parent, store: store, wall: wall)
    for item in try queue.everything() { _ = try queue.add(item) }
    try group.settle(self)
  }

  /// Rolls back a pending pairing, which restores the previous state; a device that was never
  /// active leaves no trace.
  func discardPending(_ device: DeviceID) throws {
    let isNew = try row(
      "SELECT 1 FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    // A session may have delivered items before the pairing was complete, which go as well.
    if isNew != nil { try closeStreams(of: device) }
    try run("DELETE FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    try run(
      "UPDATE peer SET pending_key = NULL, pending_invitation = NULL, pending_boot_id = NULL, pending_since_boot = NULL, "
        + "pending_lapsed = 0 WHERE device_id = ?", [Data(device.bytes)])
  }

  /// Rolls back, and returns, any other device that a code left pending, so that it pairs one
  /// device; throws `StoreError.unexpected` if the code is closed.
  func makeRoom(_ invitation: String, for device: DeviceID) throws -> DeviceID? {
    guard try row("SELECT 1 FROM invitation WHERE pairing_id = ? AND outcome IS NOT NULL", [invitation]) == nil
    else { throw StoreError.unexpected("a device pairs with a code that is closed") }
    guard
      let other = try row(
        "SELECT device_id FROM peer WHERE pending_invitation = ? AND device_id <> ?", [invitation, Data(device.bytes)])
    else { return nil }
    let id = try other.deviceID("device_id")
    try discardPending(id)
    return id
  }
}
