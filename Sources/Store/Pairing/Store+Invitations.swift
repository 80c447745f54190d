import Foundation
import GRDB
import LatchkeyModel

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

  /// Stores a new pairing code.
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

  /// Counts a wrong guess, durably, and returns the count.
  ///
  /// The fifth one closes the code.
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
}
