import Foundation
import GRDB
import LatchkeyModel

/// An open pairing code in the database, so that a restart neither closes it nor resets the count
/// of guesses.
public struct InvitationRecord: Hashable, Sendable {
  public var pairingID: String
  /// The code's discriminator, 0 to 1023.
  public var discriminator: UInt16
  /// The secret of the pasted code, 16 bytes.
  public var secret: [UInt8]
  /// The six secret symbols of the typed code, values of 0 to 31.
  public var typedSecret: [UInt8]
  public var minutes: Int
  /// The name of the child whose machine is to be paired, if the person entered it.
  public var childName: String?
  /// A Boolean value that indicates whether a joiner is accepted without asking the person.
  public var acceptsWithoutAsking: Bool
  public var bootID: String
  public var openedAt: BootInstant
  /// The number of wrong guesses.
  public var failures: Int
  /// The device that is pending by this code, if any.
  public var pendingDevice: DeviceID?

  public init(
    pairingID: String, discriminator: UInt16, secret: [UInt8], typedSecret: [UInt8], minutes: Int,
    childName: String?, acceptsWithoutAsking: Bool, bootID: String, openedAt: BootInstant, failures: Int = 0,
    pendingDevice: DeviceID? = nil
  ) {
    (self.pairingID, self.discriminator, self.secret) = (pairingID, discriminator, secret)
    (self.typedSecret, self.minutes, self.childName) = (typedSecret, minutes, childName)
    (self.acceptsWithoutAsking, self.bootID, self.openedAt) = (acceptsWithoutAsking, bootID, openedAt)
    (self.failures, self.pendingDevice) = (failures, pendingDevice)
  }

  /// The time at which the code expires, in the boot in which it was opened.
  public var deadline: BootInstant { openedAt + Int64(minutes) * 60_000 }
}

extension Store {
  /// Returns the open pairing codes, each with the device that it left pending.
  public func openInvitations() async throws(StoreError) -> [InvitationRecord] {
    try await read { database in
      try database.rows(
        """
        SELECT *, (SELECT device_id FROM peer WHERE pending_invitation = pairing_id) AS pending_device FROM invitation
        WHERE outcome IS NULL
        """
      ).map { row in
        InvitationRecord(
          pairingID: row["pairing_id"], discriminator: UInt16(clamping: row["discriminator"] as Int64),
          secret: row.bytes("secret"), typedSecret: row.bytes("typed_secret"), minutes: Int(row["minutes"] as Int64),
          childName: row["child_name"],
          acceptsWithoutAsking: row["accepts_without_asking"], bootID: row["boot_id"],
          openedAt: BootInstant(milliseconds: row["opened_boot"]), failures: Int(row["failures"] as Int64),
          pendingDevice: (row["pending_device"] as Data?).flatMap { DeviceID(bytes: $0) })
      }
    }
  }

  public func save(_ invitation: InvitationRecord) async throws(StoreError) {
    try await commits.commit { database in
      try database.run(
        """
        INSERT INTO invitation (pairing_id, discriminator, secret, typed_secret, minutes, child_name,
          accepts_without_asking, boot_id, opened_boot, failures, generation)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT MAX(generation) FROM discovery_key))
        """,
        [
          invitation.pairingID, Int64(invitation.discriminator), Data(invitation.secret), Data(invitation.typedSecret),
          invitation.minutes,
          invitation.childName, invitation.acceptsWithoutAsking, invitation.bootID, invitation.openedAt.milliseconds,
          invitation.failures,
        ])
    }
  }

  /// Counts a wrong guess, durably, and returns the count; the fifth one closes the code.
  public func countFailure(_ pairingID: String) async throws(StoreError) -> Int {
    try await commits.commit(.upkeep) { database in
      let row = try database.row(
        "UPDATE invitation SET failures = failures + 1 WHERE pairing_id = ? AND outcome IS NULL RETURNING failures",
        [pairingID])
      let failures = row.map { Int($0[0] as Int64) } ?? Limits.pairingFailures
      if failures >= Limits.pairingFailures { try database.close(pairingID, .wrongCode) }
      return failures
    }
  }

  /// Closes a code and overwrites its secrets.
  public func close(_ pairingID: String, _ outcome: PairingOutcome) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in try database.close(pairingID, outcome) }
  }

  /// Returns the number of runs of a typed code without an answer from its inviter, within the
  /// longest life time of a code.
  public func runs(discriminator: UInt16, bootID: String, now: BootInstant) async throws(StoreError) -> Int {
    try await read { try $0.runs(discriminator, bootID, now) }
  }

  /// Counts a run of a typed code, durably, before it can reveal anything, and returns the count.
  public func countRun(discriminator: UInt16, bootID: String, now: BootInstant) async throws(StoreError) -> Int {
    try await commits.commit(.upkeep) { database in
      let runs = try database.runs(discriminator, bootID, now)
      guard runs > 0 else {
        try database.run(
          "INSERT OR REPLACE INTO pairing_run VALUES (?, 1, ?, ?)", [Int64(discriminator), bootID, now.milliseconds])
        return 1
      }
      try database.run("UPDATE pairing_run SET runs = runs + 1 WHERE discriminator = ?", [Int64(discriminator)])
      return runs + 1
    }
  }

  /// Subtracts the last run, since the inviter answered it.
  public func creditRun(discriminator: UInt16) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE pairing_run SET runs = runs - 1 WHERE discriminator = ? AND runs > 0", [Int64(discriminator)])
    }
  }
}

extension Database {
  func close(_ pairingID: String, _ outcome: PairingOutcome) throws {
    try run(
      "UPDATE invitation SET outcome = ?, secret = zeroblob(16), typed_secret = x'' WHERE pairing_id = ? AND outcome IS NULL",
      [outcome.rawValue, pairingID])
    // Closed codes are no longer needed. A few are kept for inspection of the database.
    try run(
      "DELETE FROM invitation WHERE outcome IS NOT NULL AND pairing_id NOT IN (SELECT pairing_id FROM invitation "
        + "WHERE outcome IS NOT NULL ORDER BY opened_boot DESC LIMIT 16)")
  }

  fileprivate func runs(_ discriminator: UInt16, _ bootID: String, _ now: BootInstant) throws -> Int {
    guard
      let row = try row(
        "SELECT * FROM pairing_run WHERE discriminator = ? AND boot_id = ?", [Int64(discriminator), bootID])
    else { return 0 }
    let age = now - BootInstant(milliseconds: row["first_boot"])
    return age < Int64(Limits.pairingMinutes.most) * 60_000 ? Int(row["runs"] as Int64) : 0
  }
}

extension Database {
  /// Makes a pending device active and marks its code as used up; returns `false` if nothing is
  /// pending any more.
  func promote(_ device: DeviceID, _ store: Store, age: Int64, at wall: Int64) throws -> Bool {
    guard let row = try row("SELECT * FROM peer WHERE device_id = ? AND pending_key IS NOT NULL", [Data(device.bytes)])
    else { return false }
    let record = try PeerRecord(row)
    let peer = OutboxAddress(number: row["number"], device: device)
    // The discovery key that the joiner received is at least as new as the code.
    var given: Int64?
    if let invitation = row["pending_invitation"] as String? {
      given = try self.row("SELECT generation FROM invitation WHERE pairing_id = ?", [invitation])?["generation"]
      try close(invitation, .ok)
    }
    // The streams of a removed device are closed. Its new pairing begins new ones.
    if record.state == .removed || record.state == .removedUntold { try closeStreams(of: device) }
    try voidRotation(peer.number)
    try explainSetBack(peer.number)
    try run(
      """
      UPDATE peer SET state = 2, pairwise_key = pending_key, pending_key = NULL, pending_invitation = NULL,
        pending_boot_id = NULL, pending_since_boot = NULL, pending_lapsed = 0, paired_at = ?, next_key = NULL, previous_key = NULL,
        left_at = NULL, left_age = NULL, connected_at = NULL, quarantined_at = NULL, introduced = 0, assigned = 0, removal_sessions = 0, removal_silences = 0, sent_generation = NULL,
        known_generation = coalesce(?, (SELECT MAX(generation) FROM discovery_key), 0)
      WHERE number = ?
      """, [wall, given, peer.number])
    try run("DELETE FROM fact_holder WHERE peer = ?", [peer.number])
    switch record.device.role {
    case .child:
      _ = try queueRotation(peer, store, at: wall)
      try pruneDiscoveryKeys()
    case .parent:
      try run(
        "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        [Store.discoveryKeySource, device.description])
      let inventories = Inventories(database: self, store: store, wall: wall)
      try inventories.setParents(with: peer, age: age)
      for item in try inventories.householdItems() {
        _ = try enqueue(peer, .control, kind: item.kind, itemID: item.id, body: item.body, at: wall)
      }
      // Earlier use belongs to the family, too. A parent that was paired before may hold any of it
      // by itself, and must not get it in a total as well.
      if record.state == .pending { try queueUsage(for: peer, store, age: age, at: wall) }
    }
    try audit("device.paired", of: device.description, new: record.device.name.text, by: store.own, at: wall)
    return true
  }

  /// Queues this machine's own use for a new parent.
  ///
  /// Like new use, use without room is merged into totals, and then the oldest is dropped.
  private func queueUsage(for parent: OutboxAddress, _ store: Store, age: Int64, at wall: Int64) throws {
    let group = WriteGroup(age: age)
    let queue = UsageQueue(database: self, group: group, parent: parent, store: store, wall: wall)
    for item in try queue.everything() { _ = try queue.add(item) }
    try group.settle(self)
  }

  /// Rolls back a pending pairing, which restores the previous state; a device that was never
  /// active leaves no trace.
  func discardPending(_ device: DeviceID) throws {
    let isNew = try row(
      "SELECT 1 FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    // A session may have delivered items before the pairing was complete, which go as well.
    if isNew != nil { try closeStreams(of: device) }
    try run("DELETE FROM peer WHERE device_id = ? AND state = 1 AND pending_key IS NOT NULL", [Data(device.bytes)])
    try run(
      "UPDATE peer SET pending_key = NULL, pending_invitation = NULL, pending_boot_id = NULL, pending_since_boot = NULL, "
        + "pending_lapsed = 0 WHERE device_id = ?", [Data(device.bytes)])
  }

  /// Rolls back and returns any other device that a code left pending, so that the code pairs one
  /// device.
  ///
  /// Throws `StoreError.unexpected` if the code is closed.
  func makeRoom(_ invitation: String, for device: DeviceID) throws -> DeviceID? {
    guard try row("SELECT 1 FROM invitation WHERE pairing_id = ? AND outcome IS NOT NULL", [invitation]) == nil
    else { throw StoreError.unexpected("a device pairs with a code that is closed") }
    guard
      let other = try row(
        "SELECT device_id FROM peer WHERE pending_invitation = ? AND device_id <> ?", [invitation, Data(device.bytes)])
    else { return nil }
    let id = try other.deviceID("device_id")
    try discardPending(id)
    return id
  }
}
