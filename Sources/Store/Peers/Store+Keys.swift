import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Stores the discovery key of 32 bytes with which this household began, unless the database
  /// already has its keys.
  public func keepFirst(discoveryKey key: [UInt8]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      guard try database.newestGeneration() == nil else { return }
      try database.run("INSERT INTO discovery_key VALUES (0, ?)", [Data(key)])
    }
  }

  /// Returns the household's discovery keys that a device may still use, newest first; empty on a
  /// device that founded no household.
  public func discoveryKeys() async throws(StoreError) -> [[UInt8]] {
    try await read { database in
      try database.rows("SELECT key FROM discovery_key ORDER BY generation DESC").map { $0.bytes("key") }
    }
  }

  /// Returns whether this device takes new discovery keys from a parent: from the one with which it
  /// was last paired.
  public func takesDiscoveryKey(of parent: DeviceID) async throws(StoreError) -> Bool {
    guard let known = try await setting(Self.discoveryKeySource) else { return true }
    return known == parent.description
  }

  /// Erases the previous key once the peer answers with the present one; returns whether a key was
  /// erased.
  public func peer(_ device: DeviceID, answersWith keyID: [UInt8]) async throws(StoreError) -> Bool {
    let isErased = try await commits.commit(.upkeep) { [keys] database in
      guard let row = try database.row("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)])
      else { return false }
      let held = PairwiseKeys(row)
      var pairwise = held
      pairwise.answers(with: keyID) { keys.keyID(of: $0) }
      guard pairwise != held else { return false }
      try database.save(pairwise, of: OutboxAddress(number: row["number"], device: device))
      return true
    }
    if isErased { await scrub() }
    return isErased
  }

  /// The setting that stores the parent whose discovery key this device has.
  static let discoveryKeySource = "household"

  /// Assigns this database to a device with new keys: removes every peer and its keys, and makes
  /// the old device's data the new one's.
  ///
  /// It may be repeated after an interruption.
  public func renewIdentity(from old: DeviceID, to new: DeviceID, at wall: Int64) async throws(StoreError) {
    try await commits.commit { database in
      let devices = try database.rows("SELECT device_id FROM peer WHERE state <> 4").map {
        try $0.deviceID("device_id")
      }
      try database.run(
        """
        UPDATE command SET status = 'cancelled', status_at = ?, reason = 'This machine got new keys.'
        WHERE status IN ('queued', 'stored')
        """, [wall])
      for device in devices {
        try database.closeStreams(of: device)
        try database.eraseKeys(of: device)
      }
      for table in ["usage_record", "usage_longest", "inventory"] {
        try database.run("UPDATE \(table) SET device_id = ? WHERE device_id = ?", [Data(new.bytes), Data(old.bytes)])
      }
      try database.giveRegisters(of: old, to: new)
      // Open sessions are reported by the other machine.
      try database.run("DELETE FROM open_session_process")
      try database.run("DELETE FROM open_session")
      try database.run("DELETE FROM ended_process")
      try database.run("UPDATE invitation SET outcome = 'cancelled', secret = zeroblob(16) WHERE outcome IS NULL")
      try database.run("UPDATE discovery_key SET key = zeroblob(32)")
      try database.run("DELETE FROM discovery_key")
      try database.run("DELETE FROM setting WHERE key = ?", [Self.discoveryKeySource])
      try database.audit(
        "identity.renewed", of: new.description, old: old.description, new: "\(devices.count) devices dropped", by: new,
        at: wall)
    }
    await scrub()
  }

  /// Truncates the log, so that overwritten keys are gone from the disk, as far as a file can
  /// ensure that.
  ///
  /// If readers are active, this happens at the latest when the store is closed.
  func scrub() async {
    let writer = writer
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "latchkey.store.scrub").async {
        try? writer.writeWithoutTransaction { database in
          try database.execute(sql: "PRAGMA busy_timeout = 0")
          defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
          try database.checkpoint(.truncate)
        }
        continuation.resume()
      }
    }
  }
}

/// The replacement of the household's discovery key and of the pairwise keys. Spec:
/// Protocol/06-messages.md §8.
extension Database {
  /// Creates the household's next discovery key and queues it for every remaining child.
  ///
  /// It does nothing on a device that founded no household.
  func rotateDiscoveryKey(_ store: Store, at wall: Int64) throws -> [OutboxChange] {
    guard let newest = try newestGeneration() else { return [] }
    try run("INSERT INTO discovery_key VALUES (?, ?)", [newest + 1, Data(store.keys.freshKey())])
    let peers = try rows("SELECT number, device_id FROM peer WHERE state = 2 AND role = ?", [DeviceRole.child.rawValue])
    let changes = try peers.compactMap { row in
      try queueRotation(OutboxAddress(number: row["number"], device: try row.deviceID("device_id")), store, at: wall)
    }
    try audit("household.keys-changed", of: "family", new: "generation \(newest + 1)", by: store.own, at: wall)
    try pruneDiscoveryKeys()
    return changes
  }

  /// Queues the newest keys for an active device that lacks them, unless earlier ones are still on
  /// their way to it.
  func queueRotation(_ peer: OutboxAddress, _ store: Store, at wall: Int64) throws -> OutboxChange? {
    guard
      let row = try row(
        """
        SELECT peer.*, discovery_key.generation, discovery_key.key FROM peer
        JOIN discovery_key ON discovery_key.generation = (SELECT MAX(generation) FROM discovery_key)
        WHERE number = ? AND state = 2 AND sent_generation IS NULL AND known_generation < discovery_key.generation
        """, [peer.number])
    else { return nil }
    var pairwise = PairwiseKeys(row)
    let rotation = KeyRotation(
      generation: row["generation"], discoveryKey: row.bytes("key"), pairwiseKey: store.keys.freshKey(),
      replaces: store.keys.keyID(of: pairwise.present))
    pairwise.offered(rotation.pairwiseKey)
    try save(pairwise, of: peer)
    try run("UPDATE peer SET sent_generation = ? WHERE number = ?", [rotation.generation, peer.number])
    return try enqueue(.keyRotation, store.coding.encode(rotation), for: peer, store.keys, at: wall)
  }

  /// Activates the keys on their way if the peer has stored them, and queues the next ones.
  func takeStoredRotation(
    _ peer: OutboxAddress, _ store: Store, at wall: Int64
  ) throws -> (isInForce: Bool, next: OutboxChange?) {
    guard
      let row = try row(
        """
        SELECT * FROM peer WHERE number = ?1 AND state = 2 AND sent_generation IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM outbox_item
            WHERE \(OutboxPlace.stream("?1", .control)) AND kind = \(ItemNumber.keyRotation))
        """, [peer.number])
    else { return (false, nil) }
    var pairwise = PairwiseKeys(row)
    pairwise.stored()
    try save(pairwise, of: peer)
    try run(
      "UPDATE peer SET known_generation = sent_generation, sent_generation = NULL WHERE number = ?", [peer.number])
    let next = try queueRotation(peer, store, at: wall)
    try pruneDiscoveryKeys()
    return (true, next)
  }

  /// Withdraws keys on their way to a device that was paired again, since the key that they replace
  /// no longer exists.
  func voidRotation(_ number: Int64) throws {
    try run(
      "UPDATE outbox_item SET body = zeroblob(length(body)) WHERE \(OutboxPlace.stream("?1", .control)) AND kind = \(ItemNumber.keyRotation)",
      [number])
    for item in try rows(
      "SELECT seq, item_id FROM outbox_item WHERE \(OutboxPlace.stream("?1", .control)) AND kind = \(ItemNumber.keyRotation)",
      [number])
    {
      try withdraw(number, .control, item["seq"], itemID: item["item_id"], as: nil, at: 0)
    }
  }

  /// Erases discovery keys that no remaining device uses, nor one that has not learned of its
  /// removal.
  func pruneDiscoveryKeys() throws {
    let unneeded = """
      generation NOT IN (SELECT MAX(generation) FROM discovery_key
        UNION SELECT known_generation FROM peer WHERE state IN (2, 3)
        UNION SELECT sent_generation FROM peer WHERE state IN (2, 3) AND sent_generation IS NOT NULL)
      OR generation NOT IN (SELECT generation FROM discovery_key ORDER BY generation DESC LIMIT \(Limits.discoveryKeys))
      """
    try run("UPDATE discovery_key SET key = zeroblob(32) WHERE \(unneeded)")
    try run("DELETE FROM discovery_key WHERE \(unneeded)")
  }

  fileprivate func newestGeneration() throws -> Int64? {
    try row("SELECT MAX(generation) FROM discovery_key").flatMap { $0[0] as Int64? }
  }

  func save(_ keys: PairwiseKeys, of peer: OutboxAddress) throws {
    try run(
      "UPDATE peer SET pairwise_key = ?, next_key = ?, previous_key = ? WHERE number = ?",
      [Data(keys.present), keys.next.map { Data($0) }, keys.previous.map { Data($0) }, peer.number])
  }

  /// Makes one device's registers another's, so that this other device can send them to machines.
  ///
  /// A child's machine serves no child until it is paired again.
  fileprivate func giveRegisters(of old: DeviceID, to new: DeviceID) throws {
    try run("UPDATE register SET modified_author = ? WHERE modified_author = ?", [Data(new.bytes), Data(old.bytes)])
    let zones = try zones()
    guard zones.contains(.machine(old)) else { return }
    for zone in zones where zone != .family { try run("DELETE FROM register WHERE zone = ?", [Data(zone.bytes)]) }
  }
}

extension PairwiseKeys {
  init(_ row: Row) {
    self.init(
      present: row.bytes("pairwise_key"), next: (row["next_key"] as Data?).map { [UInt8]($0) },
      previous: (row["previous_key"] as Data?).map { [UInt8]($0) })
  }
}
