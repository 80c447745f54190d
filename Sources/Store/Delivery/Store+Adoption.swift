import Foundation
import GRDB
import LatchkeyModel

/// The requests for reports by a parent that was restored.
extension Store {
  /// The number of latest requests that are distinguished from a person's as this machine's own.
  private static var keptRequests: Int { 8 }

  /// Records that a command asks a child's machine for a report because this machine was set back.
  ///
  /// - Parameters:
  ///   - device: The child's machine.
  ///   - id: The ID of the command, which is issued afterwards.
  /// - Returns: `false` if no report is needed, or if one is in flight or was received.
  /// - Throws: `StoreError` if the note cannot be stored.
  public func askAfterSetBack(_ device: DeviceID, with id: CommandID) async throws(StoreError) -> Bool {
    let wanted = """
      peer = (SELECT number FROM peer WHERE device_id = ? AND state = 2 AND role = ?) AND cause = ?
        AND NOT EXISTS (SELECT 1 FROM command c WHERE c.peer = set_back.peer
          AND c.command_id > coalesce(set_back.newest_command, x'')
          AND instr(set_back.asked, lower(hex(c.command_id))) > 0 AND c.status IN ('queued', 'stored', 'executed'))
      """
    let (child, cause) = (DeviceRole.child.rawValue, SetBack.Cause.peerIsAhead.rawValue)
    let isWanted = try await read { database in
      try database.first("SELECT 1 FROM set_back WHERE \(wanted)", [device.bytes, child, cause], { _ in true }) ?? false
    }
    guard isWanted else { return false }
    return try await commits.commit { database in
      try database.run(
        "UPDATE set_back SET asked = substr(asked || ' ' || ?, -\(33 * Self.keptRequests)) WHERE \(wanted)",
        [Hexadecimal.encode(id.bytes), device.bytes, child, cause])
      return database.changesCount > 0
    }
  }

  /// Records that what this machine lost when it was restored, and a child's machine holds, is
  /// being taken over.
  ///
  /// That one of the two machines was restored is resolved once the child has reported since then.
  ///
  /// - Parameters:
  ///   - device: The child's machine.
  ///   - hasLost: Whether there is something to take over.
  /// - Throws: `StoreError.refused` if there is nothing because the child has not reported yet.
  public func settleSetBack(_ device: DeviceID, hasLost: Bool) async throws(StoreError) {
    let settling = settlingKinds
    try await commits.commit { database in
      let peer = try database.address(of: device)
      let settled = """
        EXISTS (SELECT 1 FROM command c WHERE c.peer = set_back.peer AND c.command_id > coalesce(set_back.newest_command, x'')
          AND c.kind IN (\(settling)) AND c.status = 'executed')
        """
      try database.run("UPDATE set_back SET is_explained = 1 WHERE peer = ? AND \(settled)", [peer.number])
      let isUnheard = try database.first(
        "SELECT 1 FROM set_back WHERE peer = ? AND NOT is_explained", [peer.number], { _ in true })
      if !hasLost, isUnheard == true {
        let name: String = try database.row("SELECT name FROM peer WHERE number = ?", [peer.number])?["name"] ?? ""
        throw StoreError.refused(
          "“\(name)” has not said yet what it holds: keep the two machines in touch until it has. `latchkey commands list` "
            + "shows what it was asked.")
      }
    }
  }
}
