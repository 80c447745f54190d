import Foundation
import GRDB
import LatchkeyModel

/// Machines that were restored to an earlier state. Spec: Protocol/05-delivery.md §5.
extension Store {
  /// Records once that a peer holds streams that this machine, which was restored, does not know.
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

  /// The kinds of command with a plain answer, for SQL.
  var plainKinds: String { coding.commands.withPlainAnswer.map { "'\($0)'" }.joined(separator: ", ") }

  /// The kinds of command whose answer lists what a child's machine holds, for SQL.
  var settlingKinds: String { coding.commands.settlingSetBack.map { "'\($0)'" }.joined(separator: ", ") }
}

extension Database {
  /// Returns the paired machines whose restoration, or this machine's, is not resolved yet.
  ///
  /// A child's machine is resolved once it has answered a report request that was issued after the
  /// restoration became known. The repeated items are in force by then. A parent's is shown for a
  /// day of this machine's running time.
  func setBacks(settledBy settling: String, age: Int64) throws -> [SetBack] {
    try rows(
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
      guard let role = DeviceRole(rawValue: row["role"]), let cause = SetBack.Cause(rawValue: row["cause"])
      else { throw StoreError.unexpected("which machine was set back") }
      return SetBack(
        device: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]), role: role, cause: cause)
    }
  }

  /// The running time for which a child's machine reports that one of the two was restored, in
  /// milliseconds.
  private static var newsMilliseconds: Int64 { 86_400_000 }

  /// Records that a peer or this machine was restored; the same `evidence` is recorded once.
  func noteSetBack(_ peer: Int64, _ cause: SetBack.Cause, _ evidence: String, age: Int64, at wall: Int64) throws {
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

  func explainSetBack(_ peer: Int64) throws { try run("UPDATE set_back SET is_explained = 1 WHERE peer = ?", [peer]) }

  /// The number of pieces of evidence that are stored, latest first.
  private static var keptEvidence: Int { 16 }
}

/// The fact that one of two paired machines was restored to an earlier state, until the
/// consequences are resolved.
public struct SetBack: Hashable, Sendable {
  /// Which of the two machines was restored.
  public enum Cause: String, Sendable {
    /// The peer has lost items that it had reported as stored.
    case peerLost = "lost"
    /// The peer holds items that this machine has lost.
    case peerIsAhead = "ahead"
  }

  public var device: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  public var cause: Cause
}

extension SetBack.Cause {
  public init(_ cause: RestartCause) {
    switch cause {
    case .peerLost: self = .peerLost
    case .peerIsAhead: self = .peerIsAhead
    }
  }
}

/// The requests for reports by a parent that was restored.
extension Store {
  /// The number of latest requests that are distinguished from a person's as this machine's own.
  private static var keptRequests: Int { 8 }

  /// Records that a command, which is issued afterwards, asks a child's machine for a report
  /// because this machine was restored.
  ///
  /// Returns `false` if no report is needed, or if one is in flight or was received.
  public func askAfterSetBack(_ device: DeviceID, with id: CommandID) async throws(StoreError) -> Bool {
    let wanted = """
      peer = (SELECT number FROM peer WHERE device_id = ? AND state = 2 AND role = ?) AND cause = ?
        AND NOT EXISTS (SELECT 1 FROM command c WHERE c.peer = set_back.peer
          AND c.command_id > coalesce(set_back.newest_command, x'')
          AND instr(set_back.asked, lower(hex(c.command_id))) > 0 AND c.status IN ('queued', 'stored', 'executed'))
      """
    let (child, cause) = (DeviceRole.child.rawValue, SetBack.Cause.peerIsAhead.rawValue)
    let isWanted = try await read { database in
      try database.exists("SELECT 1 FROM set_back WHERE \(wanted)", [device.bytes, child, cause])
    }
    guard isWanted else { return false }
    return try await commits.commit { database in
      try database.run(
        "UPDATE set_back SET asked = substr(asked || ' ' || ?, -\(33 * Self.keptRequests)) WHERE \(wanted)",
        [Hexadecimal.encode(id.bytes), device.bytes, child, cause])
      return database.changesCount > 0
    }
  }

  /// Records that a person takes over the settings that this machine lost when it was restored, and
  /// that a child's machine holds.
  ///
  /// The restoration is resolved once the child has reported since then. If there is nothing to
  /// take over because the child has not reported yet, throws `StoreError.refused`.
  public func settleSetBack(_ device: DeviceID, hasLost: Bool) async throws(StoreError) {
    let settling = settlingKinds
    try await commits.commit { database in
      let peer = try database.address(of: device)
      let settled = """
        EXISTS (SELECT 1 FROM command c WHERE c.peer = set_back.peer AND c.command_id > coalesce(set_back.newest_command, x'')
          AND c.kind IN (\(settling)) AND c.status = 'executed')
        """
      try database.run("UPDATE set_back SET is_explained = 1 WHERE peer = ? AND \(settled)", [peer.number])
      let isUnheard = try database.exists("SELECT 1 FROM set_back WHERE peer = ? AND NOT is_explained", [peer.number])
      if !hasLost, isUnheard {
        let name: String = try database.row("SELECT name FROM peer WHERE number = ?", [peer.number])?["name"] ?? ""
        throw StoreError.refused(
          "“\(name)” has not said yet what it holds: keep the two machines in touch until it has. `latchkey commands list` "
            + "shows what it was asked.")
      }
    }
  }
}
