import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Take up the discovery key that this household began with, unless the database knows its keys already.
  ///
  /// - Parameter key: 32 bytes.
  public func foundHousehold(discoveryKey key: [UInt8]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      guard try database.newestGeneration() == nil else { return }
      try database.run("INSERT INTO discovery_key VALUES (0, ?)", [Data(key)])
    }
  }

  /// The household's discovery keys that somebody may still hold, newest first; none on a device that founded no household.
  public func discoveryKeys() async throws(StoreError) -> [[UInt8]] {
    try await read { database in
      try database.rows("SELECT key FROM discovery_key ORDER BY generation DESC").map { $0.bytes("key") }
    }
  }

  /// Whether a parent is the one whose household this device belongs to: the last that it was paired with.
  public func isHousehold(of parent: DeviceID) async throws(StoreError) -> Bool {
    guard let known = try await setting(Self.householdKey) else { return true }
    return known == parent.description
  }

  /// The peer names the key that it answers with: erase the one before, once it is of no more use.
  ///
  /// - Returns: whether one was erased.
  public func peer(_ device: DeviceID, answersWith keyID: [UInt8]) async throws(StoreError) -> Bool {
    let isErased = try await commits.commit(.upkeep) { [keys] database in
      guard let row = try database.row("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)]) else {
        return false
      }
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

  static let householdKey = "household"
}
