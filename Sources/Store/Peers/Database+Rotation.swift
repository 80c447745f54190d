import Foundation
import GRDB
import LatchkeyModel

/// The replacement of the household's discovery key and of the pairwise keys.
///
/// Spec: Protocol/06-messages.md §8.
extension Database {
  /// Creates the household's next discovery key and queues it for every remaining child.
  ///
  /// Does nothing on a device that founded no household.
  func rotateDiscoveryKey(
    _ keys: any KeySource, _ coding: any BodyCoding, by own: DeviceID, at wall: Int64
  ) throws -> [OutboxChange] {
    guard let newest = try newestGeneration() else { return [] }
    try run("INSERT INTO discovery_key VALUES (?, ?)", [newest + 1, Data(keys.freshKey())])
    let peers = try rows("SELECT number, device_id FROM peer WHERE state = 2 AND role = ?", [DeviceRole.child.rawValue])
    let changes = try peers.compactMap { row in
      try queueRotation(
        OutboxAddress(number: row["number"], device: try row.deviceID("device_id")), keys, coding, at: wall)
    }
    try audit("household.keys-changed", of: "family", new: "generation \(newest + 1)", by: own, at: wall)
    try pruneDiscoveryKeys()
    return changes
  }

  /// Queues the newest keys for an active device that lacks them, unless earlier ones are still on
  /// their way to it.
  func queueRotation(
    _ peer: OutboxAddress, _ keys: any KeySource, _ coding: any BodyCoding, at wall: Int64
  ) throws -> OutboxChange? {
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
      generation: row["generation"], discoveryKey: row.bytes("key"), pairwiseKey: keys.freshKey(),
      replaces: keys.keyID(of: pairwise.present))
    pairwise.offered(rotation.pairwiseKey)
    try save(pairwise, of: peer)
    try run("UPDATE peer SET sent_generation = ? WHERE number = ?", [rotation.generation, peer.number])
    return try enqueue(.keyRotation, coding.encode(rotation), for: peer, keys, at: wall)
  }

  /// Activates the keys on their way if the peer has stored them, and queues the next ones.
  func takeStoredRotation(
    _ peer: OutboxAddress, _ keys: any KeySource, _ coding: any BodyCoding, at wall: Int64
  ) throws -> (isInForce: Bool, next: OutboxChange?) {
    guard
      let row = try row(
        """
        SELECT * FROM peer WHERE number = ?1 AND state = 2 AND sent_generation IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM outbox_item WHERE peer = ?1 AND class = \(ItemNumber.control) AND kind = \(ItemNumber.keyRotation))
        """, [peer.number])
    else { return (false, nil) }
    var pairwise = PairwiseKeys(row)
    pairwise.stored()
    try save(pairwise, of: peer)
    try run(
      "UPDATE peer SET known_generation = sent_generation, sent_generation = NULL WHERE number = ?", [peer.number])
    let next = try queueRotation(peer, keys, coding, at: wall)
    try pruneDiscoveryKeys()
    return (true, next)
  }

  /// Withdraws keys on their way to a device that was paired again, since the key that they replace
  /// no longer exists.
  func voidRotation(_ number: Int64) throws {
    try run(
      "UPDATE outbox_item SET body = zeroblob(length(body)) WHERE peer = ? AND class = \(ItemNumber.control) AND kind = \(ItemNumber.keyRotation)",
      [number])
    for item in try rows(
      "SELECT seq, item_id FROM outbox_item WHERE peer = ? AND class = \(ItemNumber.control) AND kind = \(ItemNumber.keyRotation)",
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

  func newestGeneration() throws -> Int64? {
    try row("SELECT MAX(generation) FROM discovery_key").flatMap { $0[0] as Int64? }
  }

  func save(_ keys: PairwiseKeys, of peer: OutboxAddress) throws {
    try run(
      "UPDATE peer SET pairwise_key = ?, next_key = ?, previous_key = ? WHERE number = ?",
      [Data(keys.present), keys.next.map { Data($0) }, keys.previous.map { Data($0) }, peer.number])
  }
}

extension PairwiseKeys {
  init(_ row: Row) {
    self.init(
      present: row.bytes("pairwise_key"), next: (row["next_key"] as Data?).map { [UInt8]($0) },
      previous: (row["previous_key"] as Data?).map { [UInt8]($0) })
  }
}
