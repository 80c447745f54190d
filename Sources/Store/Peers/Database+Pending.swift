import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Rolls back a pending pairing, which restores the previous state.
  ///
  /// A device that was never active leaves no trace.
  func discardPending(_ device: DeviceID) throws {
    let isNew = try row(
      "SELECT 1 FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    // A session may have delivered items before the pairing was complete. They are deleted with the
    // device.
    if isNew != nil { try closeStreams(of: device) }
    try run(
      "DELETE FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    try run(
      "UPDATE peer SET pending_key = NULL, pending_invitation = NULL, pending_boot_id = NULL, pending_since_boot = NULL, "
        + "pending_lapsed = 0 WHERE device_id = ?", [Data(device.bytes)])
  }

  /// Rolls back any other device that a code left pending, so that the code pairs one device.
  ///
  /// Returns that device.
  ///
  /// Throws `StoreError.unexpected` if the code is closed.
  func makeRoom(_ invitation: String, for device: DeviceID) throws -> DeviceID? {
    guard try row("SELECT 1 FROM invitation WHERE pairing_id = ? AND outcome IS NOT NULL", [invitation]) == nil else {
      throw StoreError.unexpected("a device pairs with a code that is closed")
    }
    guard
      let other = try row(
        "SELECT device_id FROM peer WHERE pending_invitation = ? AND device_id <> ?", [invitation, Data(device.bytes)])
    else { return nil }
    let id = try other.deviceID("device_id")
    try discardPending(id)
    return id
  }
}
