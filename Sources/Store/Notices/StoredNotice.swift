import GRDB
import LatchkeyModel

/// A notice for parents as it is stored: what it is about, without words.
public struct StoredNotice: Hashable, Sendable {
  public var number: Int
  public var kind: ParentNotice.Kind
  /// What it tells, at most 255 bytes: each is told once.
  public var key: String
  public var child: ChildID?
  public var device: DeviceID?
  /// What else belongs to it, as the kind says: the request's ID, or the condition.
  public var detail: String
  /// When it was told of, in Unix milliseconds.
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

  /// Returns the notice of a child's request.
  static func asked(_ request: CommandID, by child: ChildID) -> StoredNotice {
    let id = Hexadecimal.encode(request.bytes)
    return StoredNotice(.asked, key: "asked/\(id)", child: child, detail: id)
  }
}

extension Database {
  /// The most notices that are kept; the oldest are forgotten first.
  private static var mostNotices: Int64 { 4_096 }

  /// Keeps a notice for parents, unless that was told before.
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
    try run(
      "DELETE FROM parent_notice WHERE number <= (SELECT max(number) FROM parent_notice) - ?", [Self.mostNotices])
  }

  /// Returns the notices with a higher number, the oldest first.
  func notices(after number: Int) throws -> [StoredNotice] {
    var notices: [StoredNotice] = []
    try each(
      "SELECT number, kind, key, child, device, detail, at, age FROM parent_notice WHERE number > ? ORDER BY number",
      [number]
    ) { row in
      guard let kind = ParentNotice.Kind(rawValue: row.text(1)) else { return true }
      var notice = StoredNotice(
        kind, key: row.text(2), child: ChildID(bytes: row.bytes(3)), device: DeviceID(bytes: row.bytes(4)),
        detail: row.text(5))
      (notice.number, notice.at, notice.age) = (Int(row.integer(0)), row.integer(6), row.integer(7))
      notices.append(notice)
      return true
    }
    return notices
  }
}
