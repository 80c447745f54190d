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

  /// Erases the previous key once the peer answers with the present one.
  ///
  /// Returns whether a key was erased.
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

  /// The setting that stores the parent whose discovery key this device has.
  static let discoveryKeySource = "household"
}
