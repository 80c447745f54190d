import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Assigns this database to a device with new keys: removes every peer and its keys, and makes
  /// the old device's data the new one's.
  ///
  /// May be repeated after an interruption.
  ///
  /// - `old`: The ID in the database's own rows.
  /// - `new`: The ID that replaces it.
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

  /// Truncates the log, so that overwritten keys are gone from the disk as far as a file can ensure
  /// that.
  ///
  /// Active readers are not waited for. The log is truncated at the latest when the store is
  /// closed.
  func scrub() async {
    let pool = pool
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "latchkey.store.scrub").async {
        try? pool.writeWithoutTransaction { database in
          try database.execute(sql: "PRAGMA busy_timeout = 0")
          defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
          try database.checkpoint(.truncate)
        }
        continuation.resume()
      }
    }
  }
}

extension Database {
  /// Makes the registers that a device has set those of another one, so that it can give them to
  /// machines.
  ///
  /// A child's machine serves no child until it is paired again.
  fileprivate func giveRegisters(of old: DeviceID, to new: DeviceID) throws {
    try run("UPDATE register SET modified_author = ? WHERE modified_author = ?", [Data(new.bytes), Data(old.bytes)])
    let zones = try zones()
    guard zones.contains(.machine(old)) else { return }
    for zone in zones where zone != .family { try run("DELETE FROM register WHERE zone = ?", [Data(zone.bytes)]) }
  }
}
