import Foundation
import GRDB
import LatchkeyModel

/// A paired device in the database, with the data that only sessions need.
public struct PeerRecord: Hashable, Sendable {
  public typealias State = PeerStanding.State

  public var device: RegisteredDevice
  /// The name of the device, with the time at which it was given.
  public var label: DeviceLabel
  public var state: State
  /// The pairwise keys; zeros if there are none.
  public var keys: PairwiseKeys
  /// The key of a pairing that only one side has completed so far, 32 bytes.
  public var pendingKey: [UInt8]?
  /// The addresses at which it says that it can be called, as `host:port`; at most
  /// `Limits.reachAddresses` and one.
  public var told: [String]
  /// The time at which a pending pairing began, and the boot in which it did.
  public var pendingSince: BootInstant?
  public var pendingBootID: String?
  /// A Boolean value that indicates whether a pending pairing has failed for the person, so that
  /// only a session of the other side can complete it.
  public var hasLapsed: Bool
  /// The time of the first session since the pairing, in Unix milliseconds; `nil` if there was
  /// none.
  public var connectedAt: Int64?
  /// The time at which two live machines were found to use its keys, in Unix milliseconds; `nil`
  /// while it is trusted.
  public var quarantinedAt: Int64?
  /// The number of sessions in which its removal was sent.
  public var removalSessions: Int
  /// The number of calls since then that were answered with silence.
  public var removalSilences: Int
  /// The generation of the household's discovery key that it has, as far as is known.
  public var knownGeneration: Int64
  /// A Boolean value that indicates whether the peer, a child's machine, has reported its registers
  /// since it was paired, but is not yet assigned to the child for whom it was paired.
  public var isToBeAssigned: Bool
  /// A Boolean value that indicates whether it has become the machine of the child that it was
  /// paired for, if any.
  public var hasOwners: Bool
  /// A Boolean value that indicates whether new keys are on their way to it.
  public var isRotating: Bool

  /// The key in force, 32 bytes; zeros if there is none.
  public var pairwiseKey: [UInt8] { keys.present }

  /// The state that decides about sessions with it.
  public var standing: PeerStanding {
    PeerStanding(
      state: state, keys: keys, pendingKey: pendingKey, isQuarantined: quarantinedAt != nil,
      removalSessions: removalSessions, removalSilences: removalSilences)
  }

  /// The key with which calls are answered now; `nil` if no session may be opened.
  public var sessionKey: [UInt8]? { standing.sessionKey }

  /// The keys with which the peer may answer a call, most likely first; empty if no session may be
  /// opened.
  public var callingKeys: [[UInt8]] { standing.callingKeys }

  /// The facts that a person should know about it, in the order of `PeerMark`.
  public var marks: [PeerMark] {
    var marks: [PeerMark] = []
    if state == .active, connectedAt == nil { marks.append(.neverConnected) }
    if quarantinedAt != nil { marks.append(.quarantined) }
    if state == .removedUntold { marks.append(.removalUntold) }
    if state == .active, isRotating { marks.append(.rotationOutstanding) }
    return marks
  }
}

extension Store {
  /// Returns all paired devices, including removed ones.
  public func peers() async throws(StoreError) -> [PeerRecord] { try await read { database in try database.peers() } }

  /// Returns a paired or removed device; `nil` if it is neither.
  public func peer(_ device: DeviceID) async throws(StoreError) -> PeerRecord? {
    try await read { database in
      try database.rows("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)]) { try PeerRecord($0) }.first
    }
  }

  /// Stores a device as pending, whether it is new, known or was removed before.
  ///
  /// Its previous state applies until `promote`. `invitation` is the code that the device used;
  /// `nil` on the joiner. `address` is the address at which it was authenticated, if this side
  /// dialled. `isRenamed` says whether its name was given here. A code pairs one device. Another
  /// device that it left pending is rolled back and returned. If the code is closed, for example by
  /// a session of another device, the function throws `StoreError.unexpected`.
  @discardableResult
  public func savePending(
    _ device: RegisteredDevice, pairwiseKey: [UInt8], invitation: String?, address: ReachedAddress? = nil,
    isRenamed: Bool = false, bootID: String, now: BootInstant
  ) async throws(StoreError) -> DeviceID? {
    try await commits.commit { [own] database in
      let time = isRenamed ? try database.tick(wall: device.pairedAt, author: own) : nil
      let other = try invitation.flatMap { try database.makeRoom($0, for: device.deviceID) }
      let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM peer WHERE state < 3") ?? 0
      let isKnown = try database.row("SELECT 1 FROM peer WHERE device_id = ?", [Data(device.deviceID.bytes)]) != nil
      guard count < Limits.peers || isKnown else { throw StoreError.tooManyPeers }
      try database.run(
        """
        INSERT INTO peer (device_id, name, name_wall, name_counter, name_author, role, child_name, identity_key, link_key,
          pairwise_key, state, pending_key, pending_invitation, pending_boot_id, pending_since_boot, paired_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, zeroblob(32), 1, ?, ?, ?, ?, ?)
        ON CONFLICT (device_id) DO UPDATE SET role = excluded.role,
          child_name = coalesce(excluded.child_name, child_name), pending_key = excluded.pending_key,
          pending_invitation = excluded.pending_invitation, pending_boot_id = excluded.pending_boot_id,
          pending_since_boot = excluded.pending_since_boot, pending_lapsed = 0
        """,
        [
          Data(device.deviceID.bytes), device.name.text, time?.wall, time.map { Int64($0.counter) },
          time.map { Data($0.author.bytes) }, device.role.rawValue, device.childName,
          Hexadecimal.decode(device.identityKey).map { Data($0) }, Hexadecimal.decode(device.linkKey).map { Data($0) },
          Data(pairwiseKey), invitation, bootID, now.milliseconds, device.pairedAt,
        ])
      // A name that was given here holds unless a later one was given. The device may not know it
      // yet.
      try database.run(
        """
        UPDATE peer SET name = ?2, name_wall = ?3, name_counter = ?4, name_author = ?5
        WHERE device_id = ?1 AND (?3 IS NOT NULL OR name_wall IS NULL OR state > 2)
        """,
        [
          Data(device.deviceID.bytes), device.name.text, time?.wall, time.map { Int64($0.counter) },
          time.map { Data($0.author.bytes) },
        ])
      if let address { try database.reached(address, device.deviceID, at: device.pairedAt) }
      return other
    }
  }

  /// Makes a pending device active and marks its code as used up.
  ///
  /// Returns `false`, and changes nothing, if the pairing was rolled back.
  public func promote(
    _ device: DeviceID, address: ReachedAddress? = nil, at wall: Int64
  ) async throws(StoreError) -> Bool {
    let age = age()
    return try await commits.commit(.upkeep) { database in
      let isPromoted = try database.promote(device, self, age: age, at: wall)
      if isPromoted, let address {
        try database.run("UPDATE peer SET last_seen_at = ? WHERE device_id = ?", [wall, Data(device.bytes)])
        try database.reached(address, device, at: wall)
      }
      return isPromoted
    }
  }

  /// Rolls back a pending pairing, which restores the previous state; a device that was never
  /// active leaves no trace.
  public func discardPending(_ device: DeviceID) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in try database.discardPending(device) }
  }

  /// Marks a pending pairing as failed for the person because it was not confirmed in time.
  ///
  /// Its key is kept only for a session.
  public func lapse(_ device: DeviceID, bootID: String, now: BootInstant) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE peer SET pending_lapsed = 1, pending_boot_id = ?, pending_since_boot = ? "
          + "WHERE device_id = ? AND pending_key IS NOT NULL", [bootID, now.milliseconds, Data(device.bytes)])
    }
  }

  /// Records a sign of life, and the device's address if this side dialled; a pairing's connection
  /// is no session.
  public func seen(
    _ device: DeviceID, address: ReachedAddress?, synced: Bool, isSession: Bool = false, at wall: Int64
  ) async throws(StoreError) {
    let age = age()
    try await commits.commit(.upkeep) { database in
      try database.run(
        """
        UPDATE peer SET last_seen_at = ?1, heard_age = CASE WHEN ?4 THEN ?5 ELSE heard_age END, last_synced_at = CASE WHEN ?2 THEN ?1 ELSE last_synced_at END,
          connected_at = CASE WHEN ?4 THEN coalesce(connected_at, ?1) ELSE connected_at END WHERE device_id = ?3
        """, [wall, synced, Data(device.bytes), isSession, age])
      if let address { try database.reached(address, device, at: wall) }
    }
  }

  /// Stores the addresses at which a device says that it can be called, each as `host:port` without
  /// spaces.
  public func told(_ device: DeviceID, _ addresses: [String]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE peer SET told = ? WHERE device_id = ?", [addresses.joined(separator: " "), Data(device.bytes)])
    }
  }
}

extension PeerRecord {
  init(_ row: Row) throws {
    guard let state = State(rawValue: row["state"]), let role = DeviceRole(rawValue: row["role"])
    else { throw StoreError.unexpected("a peer's state or role") }
    device = RegisteredDevice(
      deviceID: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]), role: role,
      childName: row["child_name"], identityKey: Hexadecimal.encode(row.bytes("identity_key")),
      linkKey: Hexadecimal.encode(row.bytes("link_key")), pairedAt: row["paired_at"], lastSeenAt: row["last_seen_at"],
      lastSyncedAt: row["last_synced_at"], state: state == .active || state == .pending ? .active : .removed)
    label = try DeviceLabel(row)
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
    let assigned: Int64 = row["assigned"]
    (isToBeAssigned, hasOwners) = (assigned == 1, assigned == 2)
  }
}

extension Database {
  func peers() throws -> [PeerRecord] { try rows("SELECT * FROM peer ORDER BY number", []) { try PeerRecord($0) } }
}
