import Foundation
import GRDB
import LatchkeyModel

/// Machines that were restored to an earlier state.
///
/// Spec: Protocol/05-delivery.md §5.
extension Store {
  /// Records that a peer holds streams that this machine does not know, since this machine was restored.
  ///
  /// `streams` are the positions that the peer states. The same streams are recorded once.
  public func noteSetBack(_ device: DeviceID, holding streams: [StreamPosition], at wall: Int64)
    async throws(StoreError)
  {
    let age = age()
    let evidence = streams.map { "\($0.streamClass.rawValue):\($0.epoch)" }.sorted().joined(separator: " ")
    try await commits.commit { [clock] database in
      try database.noteAge(clock)
      try database.noteSetBack(database.address(of: device).number, .peerIsAhead, evidence, age: age, at: wall)
    }
  }

  /// Returns the paired machines that were restored, or that hold what this machine has lost, and whose state is not
  /// resolved yet.
  ///
  /// A child's machine is resolved once it has answered a report request that was issued after the restoration became
  /// known, since the repeated items are in force by then. A parent's is shown for a day of this machine's running
  /// time.
  public func setBacks() async throws(StoreError) -> [SetBack] {
    let age = age()
    let settling = coding.commands.settlingSetBack.map { "'\($0)'" }.joined(separator: ", ")
    return try await read { database in
      try database.rows(
        """
        SELECT p.device_id, p.name, p.role, s.cause FROM set_back s JOIN peer p ON p.number = s.peer
        WHERE p.state = 2 AND NOT s.is_explained AND CASE p.role
          WHEN ?1 THEN NOT EXISTS (
            SELECT 1 FROM command c WHERE c.peer = s.peer AND c.command_id > coalesce(s.newest_command, x'')
              AND c.kind IN (\(settling)) AND c.status = 'executed' 
              AND instr(s.asked, lower(hex(c.command_id))) = 0)
          ELSE s.ends_age > ?2 END
        ORDER BY p.device_id, s.cause
        """, [DeviceRole.child.rawValue, age]
      ).map { row in
        guard let role = DeviceRole(rawValue: row["role"]), let cause = SetBack.Cause(rawValue: row["cause"]) else {
          throw StoreError.unexpected("which machine was set back")
        }
        return SetBack(
          device: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]), role: role, cause: cause)
      }
    }
  }
}

/// A parent that lost its own past asks its children's machines what they hold.
extension Store {
  /// Requests that this machine made by itself and that are told from a person's, the latest.
  private static var keptRequests: Int { 8 }

  /// Notes that a command asks a child's machine for a report because this machine was set back.
  ///
  /// - Parameter id: of the command, which is given after this.
  /// - Returns: false if no report is wanted, or if one is on its way or in.
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

  /// Takes over what a child's machine says that it holds, where it is not what is shown here, since a person wants that.
  ///
  /// What claims a time more than a day ahead of this machine's clock is left as it is.
  ///
  /// - Returns: what was taken over.
  public func adopt(_ device: DeviceID, at wall: Int64) async throws(StoreError) -> [Discrepancy] {
    try await commits.commit { [own, coding] database in
      let peer = try database.address(of: device)
      var adopted: [Discrepancy] = []
      var effects = DatabaseEffects(database, coding, own: own, author: own, at: wall)
      for found in try database.discrepancies(of: device, limit: -1, coding) where !found.isFarAhead {
        guard let state = found.state, let thing = state.subject else { continue }
        try thing.show(ShownState(state, state.enforcement), on: device, isNews: true, in: &effects)
        if let reading = state.setAt, HybridTimestamp.mayWitness(reading.wall, at: wall) {
          try database.witness(reading.wall, reading.counter)
        }
        try database.run("DELETE FROM discrepancy WHERE peer = ? AND thing = ?", [peer.number, thing.key])
        adopted.append(found)
      }
      try database.explainSetBack(peer.number)
      return adopted
    }
  }
}

extension Database {
  /// The running time for which a child's machine reports that one of the two was restored, in milliseconds.
  private static var newsMilliseconds: Int64 { 86_400_000 }

  /// Records that a peer or this machine was restored.
  ///
  /// The same `evidence` is recorded once.
  func noteSetBack(
    _ peer: Int64, _ cause: SetBack.Cause, _ evidence: String, age: Int64, at wall: Int64
  ) throws {
    let words = evidence.split(separator: " ").map(String.init)
    let known = try row("SELECT evidence FROM set_back WHERE peer = ? AND cause = ?", [peer, cause.rawValue])
    let before = known.map { ($0["evidence"] as String).split(separator: " ").map(String.init) } ?? []
    let news = words.filter { !before.contains($0) }
    guard !news.isEmpty else { return }
    try run(
      """
      INSERT INTO set_back VALUES (?1, ?2, ?3, ?4, (SELECT MAX(command_id) FROM command WHERE peer = ?1), ?5,
        (SELECT connected_at IS NULL FROM peer WHERE number = ?1), '')
      ON CONFLICT DO UPDATE SET evidence = excluded.evidence, at = excluded.at, newest_command = excluded.newest_command,
        ends_age = excluded.ends_age, is_explained = excluded.is_explained
      """,
      [
        peer, cause.rawValue, (before + news).suffix(Self.keptEvidence).joined(separator: " "), wall,
        age + Self.newsMilliseconds,
      ])
  }

  /// The pairing that is complete now explains what was noted before it.
  func explainSetBack(_ peer: Int64) throws {
    try run("UPDATE set_back SET is_explained = 1 WHERE peer = ?", [peer])
  }

  /// Words of evidence that are kept, the latest.
  private static var keptEvidence: Int { 16 }

  /// Epochs of a peer's command stream whose order is kept.
  private static var keptEpochs: Int { 256 }

  /// Records that one epoch of a peer's command stream follows another.
  func note(epoch: UInt64, after before: UInt64?, of peer: Int64) throws {
    for epoch in [before, epoch].compactMap({ $0 }) {
      try run(
        "INSERT INTO command_epoch (peer, epoch) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [peer, Int64(bitPattern: epoch)])
    }
    try run(
      """
      DELETE FROM command_epoch WHERE peer = ?1 AND number <=
        (SELECT number FROM command_epoch WHERE peer = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
      """, [peer, Self.keptEpochs])
  }

  /// Returns an SQL condition for the commands that a restored child has lost.
  ///
  /// Everything from epochs after the child's is lost. Commands of earlier epochs are not lost: each restart gives
  /// those that the child lacked at that time a number of the new epoch. Commands that a restart left out have no epoch
  /// (`NULL`), even if a machine with the same keys, of which the child is a copy, later reports that it executed them.
  /// `epoch` is that of the command stream before the restart.
  func isLost(
    from peer: Int64, after held: UInt64, earlier: StreamPosition?, epoch: UInt64?
  ) throws -> String {
    func number(_ value: UInt64) -> String { "\(Int64(bitPattern: value))" }
    if let earlier {
      let place = try first(
        "SELECT number FROM command_epoch WHERE peer = ? AND epoch = ?", [peer, Int64(bitPattern: earlier.epoch)],
        { $0.integer(0) })
      guard let place else { return "TRUE" }
      return """
        (epoch IS NULL OR epoch IS \(number(earlier.epoch)) AND seq > \(number(earlier.through)) OR EXISTS (SELECT 1 FROM command_epoch later
          WHERE later.peer = command.peer AND later.epoch = command.epoch AND later.number > \(place)))
        """
    }
    guard held > 0, let epoch else { return "TRUE" }
    return "(epoch IS NULL OR epoch IS \(number(epoch)) AND seq > \(number(held)))"
  }

  /// Marks lost commands as no longer executed if they are not sent again.
  ///
  /// - `isLost`: An SQL condition for lost commands.
  /// - `isNewest`: An SQL condition for the newest command of a desired state.
  func unmakeLost(_ peer: OutboxAddress, isLost: String, isNewest: String, at wall: Int64) throws {
    try run(
      """
      UPDATE command SET status = 'superseded', status_at = ?2, state = NULL, epoch = NULL,
        replaced_by = \(Self.newest), reason = 'A newer command for the same thing holds.'
      WHERE peer = ?1 AND status = 'executed' AND supersede_key IS NOT NULL AND \(isLost) AND NOT (\(isNewest))
      """, [peer.number, wall])
    try run(
      """
      UPDATE command SET status = 'failed', status_at = ?2, state = NULL,
        reason = (SELECT name FROM peer WHERE number = ?1) || ?3
      WHERE peer = ?1 AND status = 'executed' AND supersede_key IS NULL AND \(isLost)
      """, [peer.number, wall, Self.lostReason])
  }

  /// An SQL expression for the newest later command that takes the place of a command.
  static var newest: String {
    """
    (SELECT MAX(later.command_id) FROM command later WHERE later.peer = command.peer
      AND later.supersede_key = command.supersede_key AND later.command_id > command.command_id
      AND later.status IN ('queued', 'stored', 'executed'))
    """
  }

  /// The reason, after the machine's name, for a message or request that is too old to be sent again.
  private static var lostReason: String {
    " has lost data and no longer has this: give it again if it still matters."
  }

  /// The reason, after the machine's name, for commands that are sent again.
  static var sentAgainReason: String { " has lost data, so this is sent again." }
}
