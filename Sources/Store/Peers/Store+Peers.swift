import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Every paired device, removed ones too.
  public func peers() async throws(StoreError) -> [PeerRecord] {
    try await read { database in try database.rows("SELECT * FROM peer ORDER BY number").map(PeerRecord.init) }
  }

  /// A paired device, or one that was removed; nil when it is neither.
  public func peer(_ device: DeviceID) async throws(StoreError) -> PeerRecord? {
    try await read { database in
      try database.row("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)]).map(PeerRecord.init)
    }
  }

  /// Keeps a device as half paired: new, known or removed before. What was in force stays so until `promote`.
  ///
  /// A code pairs one device: another one that the same code left half paired is rolled back.
  ///
  /// - Parameters:
  ///   - invitation: the code that the device used; `nil` on the joiner.
  ///   - address: where it proved its key, if we dialled.
  /// - Returns: the device that was rolled back, if there was one.
  /// - Throws: `StoreError.unexpected` when the code is closed, which a session of another device may have done just now.
  @discardableResult
  public func savePending(
    _ device: RegisteredDevice, pairwiseKey: [UInt8], invitation: String?, address: ReachedAddress? = nil,
    bootID: String,
    now: BootInstant
  ) async throws(StoreError) -> DeviceID? {
    try await commits.commit { database in
      let other = try invitation.flatMap { try database.makeRoom($0, for: device.deviceID) }
      let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM peer WHERE state < 3") ?? 0
      let isKnown = try database.row("SELECT 1 FROM peer WHERE device_id = ?", [Data(device.deviceID.bytes)]) != nil
      guard count < Limits.peers || isKnown else { throw StoreError.tooManyPeers }
      try database.run(
        """
        INSERT INTO peer (device_id, name, role, child_name, identity_key, link_key, pairwise_key, state, pending_key,
          pending_invitation, pending_boot_id, pending_since_boot, paired_at)
        VALUES (?, ?, ?, ?, ?, ?, zeroblob(32), 1, ?, ?, ?, ?, ?)
        ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, role = excluded.role,
          child_name = coalesce(excluded.child_name, child_name), pending_key = excluded.pending_key,
          pending_invitation = excluded.pending_invitation, pending_boot_id = excluded.pending_boot_id,
          pending_since_boot = excluded.pending_since_boot, pending_lapsed = 0
        """,
        [
          Data(device.deviceID.bytes), device.name.text, device.role.rawValue, device.childName,
          Hexadecimal.decode(device.identityKey).map { Data($0) }, Hexadecimal.decode(device.linkKey).map { Data($0) },
          Data(pairwiseKey), invitation, bootID, now.milliseconds, device.pairedAt,
        ])
      if let address { try database.reached(address, device.deviceID, at: device.pairedAt) }
      return other
    }
  }

  /// Make a half-paired device active and spend the code it came with.
  ///
  /// - Parameter address: where it was, if we dialled.
  /// - Returns: false when nothing is pending any more: the pairing was rolled back, and nothing is changed.
  public func promote(
    _ device: DeviceID, address: ReachedAddress? = nil, at wall: Int64
  ) async throws(StoreError) -> Bool {
    try await commits.commit(.upkeep) { [own, coding, keys] database in
      let isPromoted = try database.promote(device, keys, coding, by: own, at: wall)
      if isPromoted, let address {
        try database.run("UPDATE peer SET last_seen_at = ? WHERE device_id = ?", [wall, Data(device.bytes)])
        try database.reached(address, device, at: wall)
      }
      return isPromoted
    }
  }

  /// Roll a half-made pairing back: what was before is in force again; a device that was never active leaves no trace.
  public func discardPending(_ device: DeviceID) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in try database.discardPending(device) }
  }

  /// A half-made pairing had no last word in time: it is over for the person, and its key waits for a session alone.
  public func lapse(_ device: DeviceID, bootID: String, now: BootInstant) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE peer SET pending_lapsed = 1, pending_boot_id = ?, pending_since_boot = ? "
          + "WHERE device_id = ? AND pending_key IS NOT NULL", [bootID, now.milliseconds, Data(device.bytes)])
    }
  }

  /// Note a sign of life, and where it was, if we dialled.
  ///
  /// - Parameter isSession: whether it was a session; a pairing's own connection is none.
  public func seen(
    _ device: DeviceID, address: ReachedAddress?, synced: Bool, isSession: Bool = false, at wall: Int64
  ) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        """
        UPDATE peer SET last_seen_at = ?1, last_synced_at = CASE WHEN ?2 THEN ?1 ELSE last_synced_at END,
          connected_at = CASE WHEN ?4 THEN coalesce(connected_at, ?1) ELSE connected_at END WHERE device_id = ?3
        """, [wall, synced, Data(device.bytes), isSession])
      if let address { try database.reached(address, device, at: wall) }
    }
  }

  /// Keep where a device says that it can be called.
  ///
  /// - Parameter addresses: `host:port` each, without spaces.
  public func told(_ device: DeviceID, _ addresses: [String]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE peer SET told = ? WHERE device_id = ?", [addresses.joined(separator: " "), Data(device.bytes)])
    }
  }
}

extension PeerRecord {
  init(_ row: Row) throws {
    guard let state = State(rawValue: row["state"]), let role = DeviceRole(rawValue: row["role"]) else {
      throw StoreError.unexpected("a peer's state or role")
    }
    device = RegisteredDevice(
      deviceID: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]), role: role,
      childName: row["child_name"], identityKey: Hexadecimal.encode(row.bytes("identity_key")),
      linkKey: Hexadecimal.encode(row.bytes("link_key")), pairedAt: row["paired_at"], lastSeenAt: row["last_seen_at"],
      lastSyncedAt: row["last_synced_at"], state: state == .active || state == .pending ? .active : .removed)
    self.state = state
    keys = PairwiseKeys(row)
    pendingKey = (row["pending_key"] as Data?).map { [UInt8]($0) }
    told = (row["told"] as String).split(separator: " ").map(String.init)
    pendingSince = (row["pending_since_boot"] as Int64?).map(BootInstant.init(milliseconds:))
    pendingBootID = row["pending_boot_id"]
    hasLapsed = row["pending_lapsed"]
    connectedAt = row["connected_at"]
    quarantinedAt = row["quarantined_at"]
    removalSessions = Int(row["removal_sessions"] as Int64)
    removalSilences = Int(row["removal_silences"] as Int64)
    knownGeneration = row["known_generation"]
    isRotating = (row["sent_generation"] as Int64?) != nil
  }
}
