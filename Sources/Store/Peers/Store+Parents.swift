import Foundation
import GRDB
import LatchkeyModel

/// The parents of a child's machine.
///
/// The machine reports the list to each of them. Spec: Protocol/06-messages.md §10.
extension Store {
  /// Returns all paired devices, including removed ones, the other parents of each child's machine,
  /// and the machines that await a command of a kind, with one access.
  public func peersAndOtherParents(awaiting kind: CommandKind? = nil) async throws(StoreError)
    -> (peers: [PeerRecord], otherParents: [DeviceID: [OtherParent]], awaiting: Set<DeviceID>)
  {
    let age = age()
    return try await read { database in
      let awaiting = try kind.map { try database.machinesAwaiting($0) } ?? []
      return (try database.peers(), try database.otherParents(age: age), awaiting)
    }
  }

  /// Returns the control streams to this machine's parents, for their links.
  public func controlToParents() async throws(StoreError) -> [OutboxChange] {
    try await read { database in
      try database.addresses(role: .parent).compactMap { parent in
        try database.outboxPositions(parent.number)[.control].map {
          OutboxChange(device: parent.device, streamClass: .control, epoch: $0.epoch, last: $0.last)
        }
      }
    }
  }
}

extension Database {
  /// Milliseconds of running for which another parent counts as news.
  fileprivate static var parentNewsMilliseconds: Int64 { 86_400_000 }

  /// Notes the end of the pairing with a parent, for the other parents.
  func noteLeft(_ number: Int64, age: Int64, at wall: Int64) throws {
    try run(
      "UPDATE peer SET left_at = coalesce(left_at, ?), left_age = coalesce(left_age, ?) WHERE number = ? AND role = ?",
      [wall, age, number, DeviceRole.parent.rawValue])
  }

  /// Takes over the list of a child's parents, and returns those that were never in it, without
  /// this machine.
  ///
  /// A parent that is missing from the list has left.
  func take(
    _ parents: [PairedParent], of child: OutboxAddress, own: DeviceID, age: Int64, at wall: Int64
  ) throws -> [PairedParent] {
    let others = parents.filter { $0.deviceID != own }
    let ends = age + Self.parentNewsMilliseconds
    let known = try rows("SELECT device_id FROM told_parent WHERE peer = ?", [child.number])
      .map { try $0.deviceID("device_id") }
    for gone in known where !others.contains(where: { $0.deviceID == gone }) {
      try run(
        "DELETE FROM told_parent WHERE peer = ? AND device_id = ? AND left_at IS NOT NULL AND ends_age <= ?",
        [child.number, Data(gone.bytes), age])
      try run(
        """
        UPDATE told_parent SET left_at = ?3, told_at = ?3, ends_age = ?4
        WHERE peer = ?1 AND device_id = ?2 AND left_at IS NULL
        """, [child.number, Data(gone.bytes), wall, ends])
    }
    for parent in others {
      // That it has left, or is back, is news again.
      try run(
        """
        INSERT INTO told_parent (peer, device_id, name, paired_at, left_at, told_at, ends_age) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET name = excluded.name, paired_at = excluded.paired_at, left_at = excluded.left_at,
          told_at = iif((left_at IS NULL) = (excluded.left_at IS NULL), told_at, excluded.told_at),
          ends_age = iif((left_at IS NULL) = (excluded.left_at IS NULL), ends_age, excluded.ends_age)
        """,
        [
          child.number, Data(parent.deviceID.bytes), parent.name.text, parent.pairedAt, parent.leftAt, wall, ends,
        ])
    }
    let news = others.filter { !known.contains($0.deviceID) }
    for parent in news {
      try audit("parent.told", of: parent.deviceID.description, new: parent.name.text, by: child.device, at: wall)
    }
    return news
  }

  /// Returns the other parents that each child's machine lists, the latest first; those that left
  /// only while that is news.
  func otherParents(age: Int64) throws -> [DeviceID: [OtherParent]] {
    let rows = try self.rows(
      """
      SELECT p.device_id AS child, t.* FROM told_parent t JOIN peer p ON p.number = t.peer
      WHERE p.state = 2 AND (t.left_at IS NULL OR t.ends_age > ?) ORDER BY t.paired_at DESC, t.device_id
      """, [age])
    var parents: [DeviceID: [OtherParent]] = [:]
    for row in rows {
      parents[try row.deviceID("child"), default: []].append(
        OtherParent(
          parent: try PairedParent(row: row), toldAt: row["told_at"], isNews: row["ends_age"] as Int64 > age))
    }
    return parents
  }
}

/// The list of this machine's parents, which it gives each of them.
extension Inventories {
  /// Milliseconds of running for which a child's machine lists a parent that left.
  private static var leftMilliseconds: Int64 { 7 * 86_400_000 }

  /// Keeps the list and, if it has changed, queues it for some parents; without `receivers`, for
  /// all of them.
  @discardableResult
  func setParents(for receivers: [OutboxAddress]? = nil, age: Int64) throws -> [OutboxChange] {
    let parents = try database.rows(
      """
      SELECT device_id, name, paired_at, left_at FROM peer
      WHERE role = ?1 AND (state = 2 OR state > 2 AND left_age > ?2)
      ORDER BY state = 2 DESC, paired_at DESC, number DESC
      """, [DeviceRole.parent.rawValue, age - Self.leftMilliseconds])
    return try set(EntryList(parents.map(PairedParent.init(row:))), for: receivers).changes
  }

  /// Keeps the list with a parent that has been paired, and queues it for the others.
  func setParents(with parent: OutboxAddress, age: Int64) throws {
    let others = try database.addresses(role: .parent).filter { $0 != parent }
    // A machine with one parent has no other parent to report.
    if others.isEmpty { try forget(PairedParent.self) } else { try setParents(for: others, age: age) }
  }
}

extension PairedParent {
  fileprivate init(row: Row) throws {
    self.init(
      deviceID: try row.deviceID("device_id"), name: DeviceName(sanitising: row["name"]), pairedAt: row["paired_at"],
      leftAt: row["left_at"])
  }
}
