import GRDB
import LatchkeyModel

/// A notice for parents as it is stored: its subject, without words.
public struct StoredNotice: Hashable, Sendable {
  public var number: Int
  public var kind: ParentNotice.Kind
  /// The subject, at most 255 bytes; each key is noted once.
  public var key: String
  public var child: ChildID?
  public var device: DeviceID?
  /// The rest of its content by kind: the request's ID, or the condition.
  public var detail: String
  /// When it was stored, in Unix milliseconds.
  public var at: Int64
  /// The reading of the age clock at that moment, in milliseconds.
  public var age: Int64

  /// Creates one that has no number and no time yet.
  public init(
    _ kind: ParentNotice.Kind, key: String, child: ChildID? = nil, device: DeviceID? = nil, detail: String = ""
  ) {
    (self.kind, self.key, self.child, self.device, self.detail) = (kind, key, child, device, detail)
    (number, at, age) = (0, 0, 0)
  }

  static func asked(_ request: CommandID, by child: ChildID) -> StoredNotice {
    let id = Hexadecimal.encode(request.bytes)
    return StoredNotice(.asked, key: "asked/\(id)", child: child, detail: id)
  }
}

extension Database {
  /// The most notices that are kept; the oldest are forgotten first.
  private static var mostNotices: Int64 { 4_096 }

  /// Keeps a notice for parents unless its key is known.
  func tell(_ notice: StoredNotice, age: Int64, at wall: Int64) throws {
    guard notice.key.utf8.count <= 255 else { throw StoreError.unexpected("a notice's key") }
    try run(
      """
      INSERT INTO parent_notice (kind, key, child, device, detail, at, age) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO NOTHING
      """,
      [
        notice.kind.rawValue, notice.key, notice.child?.bytes ?? [], notice.device?.bytes ?? [], notice.detail, wall,
        age,
      ])
    try run("DELETE FROM parent_notice WHERE number <= (SELECT max(number) FROM parent_notice) - ?", [Self.mostNotices])
  }

  /// Returns the notices with a higher number, the oldest first.
  func notices(after number: Int) throws -> [StoredNotice] {
    try all(
      "SELECT number, kind, key, child, device, detail, at, age FROM parent_notice WHERE number > ? ORDER BY number",
      [number]
    ) { row in
      guard let kind = ParentNotice.Kind(rawValue: row.text(1)) else { return nil }
      var notice = StoredNotice(
        kind, key: row.text(2), child: ChildID(bytes: row.bytes(3)), device: DeviceID(bytes: row.bytes(4)),
        detail: row.text(5))
      (notice.number, notice.at, notice.age) = (Int(row.integer(0)), row.integer(6), row.integer(7))
      return notice
    }
  }
}

/// The notices for parents, and the place of each receiver. Spec: Protocol/07-local-api.md §4.
extension Store {
  /// Keeps notices for parents, without those whose key is known.
  public func tell(_ notices: [StoredNotice], at wall: Int64) async throws(StoreError) {
    if notices.isEmpty { return }
    let keys = notices.map(\.key)
    let known = try await read { database in
      Set(try keys.filter { try database.exists("SELECT 1 FROM parent_notice WHERE key = ?", [$0]) })
    }
    let new = notices.filter { !known.contains($0.key) }
    if new.isEmpty { return }
    let age = age()
    try await commits.commit { database in for notice in new { try database.tell(notice, age: age, at: wall) } }
  }

  /// Returns the notices after one of that number, the oldest first, and the reading of the age
  /// clock, in milliseconds.
  public func notices(after number: Int) async throws(StoreError) -> (notices: [StoredNotice], age: Int64) {
    (try await read { try $0.notices(after: number) }, age())
  }

  /// Returns the number up to which a receiver has passed notices on; `nil` for a new receiver.
  public func position(of receiver: String) async throws(StoreError) -> Int? {
    try await read {
      try $0.integer("SELECT position FROM notice_receiver WHERE name = ?", [receiver]).map { Int($0) }
    }
  }

  /// Returns the number of notices that wait, at all receivers together.
  public func noticesWaiting() async throws(StoreError) -> Int {
    try await read {
      try $0.integer(
        """
        SELECT count(*) FROM receiver r LEFT JOIN notice_receiver p ON p.name = r.name
        JOIN parent_notice n ON n.number > coalesce(p.position, 0)
        """
      ).map { Int($0) } ?? 0
    }
  }

  public static let mostReceivers = 64

  /// Keeps the number up to which a receiver has passed notices on, and returns whether there is
  /// room for the receiver.
  ///
  /// The number never decreases.
  public func setPosition(of receiver: String, to position: Int) async throws(StoreError) -> Bool {
    try await commits.commit { database in
      let others = try database.integer("SELECT count(*) FROM notice_receiver WHERE name <> ?", [receiver]) ?? 0
      guard others < Self.mostReceivers else { return false }
      try database.run(
        """
        INSERT INTO notice_receiver VALUES (?, ?)
        ON CONFLICT DO UPDATE SET position = max(position, excluded.position)
        """, [receiver, position])
      return true
    }
  }

  // MARK: What has been quiet for too long

  /// Notes that devices are connected now.
  public func hear(_ devices: [DeviceID]) async throws(StoreError) {
    if devices.isEmpty { return }
    let age = age()
    try await commits.commit(.upkeep) { database in
      for device in devices {
        try database.run("UPDATE peer SET heard_age = ? WHERE device_id = ?", [age, device.bytes])
      }
    }
  }

  /// Returns for how many milliseconds each paired child's machine has been silent, and when it was
  /// last heard by the age clock.
  ///
  /// Machines that were never connected are left out.
  public func silences() async throws(StoreError) -> [DeviceID: (milliseconds: Int64, since: Int64)] {
    let age = age()
    return try await read { database in
      let heard = try database.all(
        "SELECT device_id, heard_age FROM peer WHERE state = 2 AND role = 'child' AND heard_age IS NOT NULL"
      ) { (try $0.deviceID(0), $0.integer(1)) }
      return Dictionary(uniqueKeysWithValues: heard.map { ($0, (milliseconds: age - $1, since: $1)) })
    }
  }

  /// Returns each device's oldest edit that is older than some milliseconds and not yet in force.
  public func overdueEdits(
    of kind: CommandKind, after milliseconds: Int64
  ) async throws(StoreError) -> [DeviceID: CommandID] {
    let age = age()
    return try await read { database in
      // With the kind and the states as they stand in the index of edits, only these are read: the
      // history of a family may have a hundred thousand commands.
      let edits = try database.all(
        """
        SELECT p.device_id, min(c.command_id) FROM command c JOIN peer p ON p.number = c.peer
        WHERE c.kind = '\(kind.rawValue)' AND c.status IN ('queued', 'stored') AND c.created_age <= ? AND p.state = 2
        GROUP BY c.peer
        """, [age - milliseconds]
      ) { row in try CommandID(bytes: row.bytes(1)).map { (try row.deviceID(0), $0) } }
      return Dictionary(uniqueKeysWithValues: edits)
    }
  }
}
