import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Removes a device: cancels its outstanding commands, closes its streams, and gives the
  /// remaining devices new keys.
  ///
  /// With `removal`, the device gets the removal when it is next connected. Otherwise, its keys are
  /// erased at once. Spec: Protocol/06-messages.md §7, §8.
  public func remove(
    _ device: DeviceID, removal: [UInt8]?, itemID: [UInt8], at wall: Int64
  ) async throws(StoreError) -> RemovalResult {
    let age = age()
    return try await commits.commit(.upkeep) { [own] database in
      guard let row = try database.row("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)])
      else { throw StoreError.noSuchPeer }
      let record = try PeerRecord(row)
      let number: Int64 = row["number"]
      // Two people may remove it at the same moment. The removal is sent once, in the stream that
      // begins with the first removal.
      if removal != nil, record.pendingKey == nil {
        if record.state == .removedUntold { return RemovalResult() }
        if record.state == .removed { throw StoreError.noSuchPeer }
      }
      var result = try database.giveUp(
        number, removal == nil ? "The device was forgotten." : "The device was unpaired.", wall)
      try database.closeStreams(of: device)
      if let removal {
        result.change = try database.enqueue(
          OutboxAddress(number: number, device: device), .control, kind: .removal, itemID: itemID, body: removal,
          at: wall)
        try database.run(
          """
          UPDATE peer SET state = 3, pending_key = NULL, quarantined_at = NULL, removal_sessions = 0, removal_silences = 0
          WHERE number = ?
          """, [number])
      } else {
        try database.eraseKeys(of: device)
      }
      try database.audit(
        removal == nil ? "device.forgotten" : "device.removed", of: device.description, old: record.device.name.text,
        new: "\(result.cancelled.count) commands cancelled, \(result.droppedItems) items dropped", by: own, at: wall)
      if record.state == .active, record.device.role == .child {
        result.rotations = try database.rotateDiscoveryKey(self, at: wall)
      }
      if record.state == .active, record.device.role == .parent {
        try database.noteLeft(number, age: age, at: wall)
        result.rotations = try Inventories(database: database, store: self, wall: wall).setParents(age: age)
      }
      return result
    }
  }

  /// Erases the last keys of a removed device, which has learned of its removal or never will.
  public func removalTold(_ device: DeviceID) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      // The outcome of a new pairing under way decides about it.
      let isThere = try database.row(
        "SELECT 1 FROM peer WHERE device_id = ? AND state = 3 AND pending_key IS NULL", [Data(device.bytes)])
      guard isThere != nil else { return }
      try database.closeStreams(of: device)
      try database.eraseKeys(of: device)
      try database.pruneDiscoveryKeys()
    }
    await scrub()
  }

  /// Records that a removal was sent in a session, and returns the number of such sessions.
  public func removalSent(_ device: DeviceID) async throws(StoreError) -> Int {
    try await countRemoval(
      """
      UPDATE peer SET removal_sessions = removal_sessions + 1, removal_silences = 0
      WHERE device_id = ? AND state = 3 RETURNING removal_sessions
      """, device)
  }

  /// Records that a removed device that was not told has answered a call with silence, and returns
  /// the number of such calls.
  public func removalMetSilence(_ device: DeviceID) async throws(StoreError) -> Int {
    try await countRemoval(
      "UPDATE peer SET removal_silences = removal_silences + 1 WHERE device_id = ? AND state = 3 RETURNING removal_silences",
      device)
  }

  private func countRemoval(_ sql: String, _ device: DeviceID) async throws(StoreError) -> Int {
    Int(try await commits.commit(.upkeep) { try $0.integer(sql, [device.bytes]) } ?? 0)
  }

  /// Puts a device into quarantine because two live machines use its keys.
  ///
  /// No data is exchanged with it until a person has decided.
  public func quarantine(_ device: DeviceID, at wall: Int64) async throws(StoreError) {
    try await commits.commit(.upkeep) { [own] database in
      let row = try database.row(
        "UPDATE peer SET quarantined_at = ? WHERE device_id = ? AND state = 2 AND quarantined_at IS NULL RETURNING name",
        [wall, Data(device.bytes)])
      guard let row else { return }
      try database.audit("device.quarantined", of: device.description, new: row["name"] as String, by: own, at: wall)
    }
  }

  /// Ends the quarantine of a device, and returns whether it was in quarantine.
  public func release(_ device: DeviceID, at wall: Int64) async throws(StoreError) -> Bool {
    try await commits.commit(.upkeep) { [own] database in
      let row = try database.row(
        "UPDATE peer SET quarantined_at = NULL WHERE device_id = ? AND quarantined_at IS NOT NULL RETURNING name",
        [Data(device.bytes)])
      guard let row else { return false }
      try database.audit("device.released", of: device.description, new: row["name"] as String, by: own, at: wall)
      return true
    }
  }
}

extension Database {
  /// Cancels the commands that a device has not executed, and counts the records and receipts that
  /// wait for it.
  func giveUp(_ number: Int64, _ reason: String, _ wall: Int64) throws -> RemovalResult {
    var result = RemovalResult()
    for table in [
      "refusal_count", "refused_item", "unusable_item", "told_register", "set_back", "told_parent", "use_shared",
    ] { try run("DELETE FROM \(table) WHERE peer = ?", [number]) }
    try run("DELETE FROM inventory WHERE device_id = (SELECT device_id FROM peer WHERE number = ?)", [number])
    result.cancelled = try rows(
      "SELECT command_id FROM command WHERE peer = ? AND status IN ('queued', 'stored') ORDER BY command_id", [number]
    ).compactMap { CommandID(bytes: $0["command_id"] as Data) }
    try run(
      "UPDATE command SET status = 'cancelled', status_at = ?, reason = ? WHERE peer = ? AND status IN ('queued', 'stored')",
      [wall, reason, number])
    if !result.cancelled.isEmpty {
      try tally(number, .command, .cancelled, items: Int64(result.cancelled.count), at: wall)
    }
    for (streamClass, kind) in [(StreamClass.receipt, ItemKind.receipt), (.usage, .usageRecord)] {
      let count =
        try integer(
          "SELECT COUNT(*) FROM outbox_item WHERE \(OutboxPlace.peer("?1")) AND kind = ?", [number, kind.rawValue]) ?? 0
      if count > 0 { try tally(number, streamClass, .dropped, items: count, at: wall) }
      result.droppedItems += Int(count)
    }
    return result
  }

  /// Closes every stream to and from a device, and deletes the items in them.
  func closeStreams(of device: DeviceID) throws {
    guard let peer = try integer("SELECT number FROM peer WHERE device_id = ?", [device.bytes]) else { return }
    // Keys that were sent are overwritten before their rows are deleted.
    try run(
      """
      UPDATE outbox_item SET body = zeroblob(length(body))
      WHERE \(OutboxPlace.stream("?1", .control)) AND kind = \(ItemNumber.keyRotation)
      """, [peer])
    try run("DELETE FROM outbox_item WHERE \(OutboxPlace.peer("?1"))", [peer])
    // A command whose effect was given up has no outcome. In a new pairing, it is executed anew.
    try run(
      "DELETE FROM applied_command WHERE command_id IN (SELECT command_id FROM pending_effect WHERE peer = ?)", [peer])
    for table in ["outbox_stream", "inbox_stream", "pending_effect"] {
      try run("DELETE FROM \(table) WHERE peer = ?", [peer])
    }
  }

  /// Marks a device as removed and erases its keys.
  ///
  /// The key of a pending pairing is kept if that pairing continues. A device that was never active
  /// leaves no trace.
  func eraseKeys(of device: DeviceID, keepsPending: Bool = false) throws {
    try run(
      """
      UPDATE peer SET state = CASE state WHEN 1 THEN 1 ELSE 4 END, pairwise_key = zeroblob(32),
        next_key = zeroblob(length(next_key)), previous_key = zeroblob(length(previous_key)), quarantined_at = NULL
      WHERE device_id = ?
      """, [Data(device.bytes)])
    try run(
      "UPDATE peer SET next_key = NULL, previous_key = NULL, sent_generation = NULL WHERE device_id = ?",
      [Data(device.bytes)])
    if keepsPending { return }
    try run("UPDATE peer SET pending_key = zeroblob(length(pending_key)) WHERE device_id = ?", [Data(device.bytes)])
    try run("DELETE FROM peer WHERE device_id = ? AND state = 1", [Data(device.bytes)])
    try run("DELETE FROM address WHERE peer = (SELECT number FROM peer WHERE device_id = ?)", [Data(device.bytes)])
    try run(
      """
      UPDATE peer SET pending_key = NULL, pending_invitation = NULL, pending_boot_id = NULL, pending_since_boot = NULL
      WHERE device_id = ?
      """, [Data(device.bytes)])
  }
}

/// The effects of removing a device, to be made visible once they are durable.
public struct RemovalResult: Equatable, Sendable {
  /// The commands that it had not executed, oldest first.
  public var cancelled: [CommandID] = []
  /// The number of records and receipts that waited for it.
  public var droppedItems = 0
  /// The stream that carries the removal, if the device is to be told.
  public var change: OutboxChange?
  /// The streams of the remaining devices, which got new keys, or word that a parent has left.
  public var rotations: [OutboxChange] = []
}
