import GRDB
import LatchkeyModel

/// An entry of the audit: who did what.
public struct AuditRow: Hashable, Sendable {
  public var number: Int64
  public var author: DeviceID
  /// A word, such as `register.set`.
  public var action: String
  /// Its object: a device's ID, or the zone and the key of a register.
  public var target: String
  public var old: String?
  public var new: String?
  /// Unix milliseconds.
  public var at: Int64
  /// The name of the browser through which it was done; `nil` for the device itself.
  public var through: String?
}

public struct AuditQuery: Hashable, Sendable {
  /// Those about a child; `nil` for all.
  public var child: ChildID?
  /// Those by a device or about it; `nil` for all.
  public var device: DeviceID?
  /// Those before one of that number; `nil` for the newest.
  public var before: Int64?
  public var limit: Int

  public init(child: ChildID? = nil, device: DeviceID? = nil, before: Int64? = nil, limit: Int) {
    (self.child, self.device, self.before, self.limit) = (child, device, before, limit)
  }
}

extension Store {
  /// Returns entries of the audit, the newest first.
  public func audit(_ query: AuditQuery) async throws(StoreError) -> [AuditRow] {
    let (child, device) = (query.child?.description ?? "", query.device?.description ?? "")
    return try await read { database in
      // An ID is within a text, or no other filter is set: every text contains the empty one.
      try database.all(
        """
        SELECT number, author, action, target, old, new, at, through FROM audit
        WHERE number < ? AND (instr(target, ?) > 0 OR instr(coalesce(new, ''), ?) > 0)
          AND (author = ? OR instr(target, ?) > 0)
        ORDER BY number DESC LIMIT ?
        """,
        [
          query.before ?? Int64.max, child, child, query.device?.bytes ?? [UInt8](), device,
          Int64(max(0, min(query.limit, 10_000))),
        ]
      ) { row in
        AuditRow(
          number: row.integer(0), author: try row.deviceID(1), action: row.text(2), target: row.text(3),
          old: row.textIfAny(4), new: row.textIfAny(5), at: row.integer(6), through: row.textIfAny(7))
      }
    }
  }
}
