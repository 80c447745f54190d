import Foundation
import GRDB
import LatchkeyModel

/// Machines that were set back. Spec: Protocol/05-delivery.md §5.
extension Store {
  /// Notes durably that a peer holds streams of this machine that this machine knows nothing of: it was set back.
  ///
  /// - Parameter streams: what the peer states of them. The same streams are noted once.
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

  /// Returns which of the paired machines were set back, or hold what this one has lost, and are not settled.
  ///
  /// What a machine lost because it was forgotten and paired anew is no news: what the first session after a pairing shows is
  /// explained by that pairing. A child's machine is settled once it has answered a request for a report that was given after the set-back became known:
  /// what was sent again is in force by then. Towards a parent it is news for a day of this machine's running.
  public func setBacks() async throws(StoreError) -> [SetBack] {
    let age = age()
    return try await read { database in
      try database.rows(
        """
        SELECT p.device_id, p.name, p.role, s.cause FROM set_back s JOIN peer p ON p.number = s.peer
        WHERE p.state = 2 AND NOT s.is_explained AND CASE p.role
          WHEN ?1 THEN NOT EXISTS (
            SELECT 1 FROM command c WHERE c.peer = s.peer AND c.command_id > coalesce(s.newest_command, x'')
              AND c.kind = ?2 AND c.status = 'executed')
          ELSE s.ends_age > ?3 END
        ORDER BY p.device_id, s.cause
        """, [DeviceRole.child.rawValue, CommandKind.requestReport.rawValue, age]
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

extension Database {
  /// Milliseconds of running for which a child's machine says that one of the two was set back.
  private static var newsMilliseconds: Int64 { 86_400_000 }

  /// Notes that a peer, or this machine, was set back.
  ///
  /// - Parameter evidence: what showed it, in words separated by spaces; the words that are noted already are no news.
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
        (SELECT connected_at IS NULL FROM peer WHERE number = ?1))
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

  /// Notes that one epoch of a peer's command stream follows another.
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

  /// Returns a condition for the commands that a child set back has lost.
  ///
  /// What was given under later epochs than the child's is lost as a whole. What is still of an earlier one is not: each restart
  /// gives what the child of that time lacks a number of the epoch that begins. What a restart left out has none (`NULL`), also if
  /// a machine with the same keys, of which the child is a copy, says later that it was executed there.
  ///
  /// - Parameter epoch: of the command stream before it begins anew.
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

  /// Takes back that commands are executed whose effect a set-back child no longer has, and that are not sent again.
  ///
  /// - Parameters:
  ///   - isLost: a condition for what it has lost.
  ///   - isNewest: a condition for the newest of a desired state.
  func unmakeLost(_ peer: OutboxAddress, isLost: String, isNewest: String, at wall: Int64) throws {
    try run(
      """
      UPDATE command SET status = 'superseded', status_at = ?2, state = NULL, epoch = NULL,
        reason = 'A newer command for the same thing holds.'
      WHERE peer = ?1 AND status = 'executed' AND supersede_key IS NOT NULL AND \(isLost) AND NOT (\(isNewest))
      """, [peer.number, wall])
    try run(
      """
      UPDATE command SET status = 'failed', status_at = ?2, state = NULL,
        reason = (SELECT name FROM peer WHERE number = ?1) || ?3
      WHERE peer = ?1 AND status = 'executed' AND supersede_key IS NULL AND \(isLost)
      """, [peer.number, wall, Self.lostReason])
  }

  /// What is said, after the machine's name, of a message or request that is too old to be sent again.
  private static var lostReason: String {
    " was set back to an earlier state and no longer has this: give it again if it still matters."
  }

  /// What is said, after the machine's name, of what is sent again.
  static var sentAgainReason: String { " was set back to an earlier state, so this is sent again." }
}
