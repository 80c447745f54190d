import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Puts a device into quarantine because two live machines use its keys.
  ///
  /// Nothing is exchanged with it until a person has decided.
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
