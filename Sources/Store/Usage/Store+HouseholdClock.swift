import GRDB
import LatchkeyModel

/// What is stored of a child's household clock.
///
/// Spec: Protocol/11-rules.md §4.
public struct StoredClock: Hashable, Sendable {
  /// The boot of the anchor.
  public var bootID: String
  /// The boot clock at the anchor.
  public var anchor: BootInstant
  /// The time at the anchor in Unix milliseconds.
  public var time: Int64
  /// The day time at the anchor in Unix milliseconds.
  public var dayTime: Int64
  /// The latest time at which the clock was read.
  public var last: Int64
  /// The latest family day that was reached.
  public var reached: FamilyDay?

  /// Creates the stored parts of a clock.
  public init(
    bootID: String, anchor: BootInstant, time: Int64, dayTime: Int64, last: Int64, reached: FamilyDay?
  ) {
    self.bootID = bootID
    self.anchor = anchor
    self.time = time
    self.dayTime = dayTime
    self.last = last
    self.reached = reached
  }
}

extension Store {
  /// Returns the household's clock; `nil` before it was first stored.
  public func householdClock() async throws(StoreError) -> StoredClock? {
    try await read { database in
      try database.row("SELECT * FROM household_clock").map { row in
        StoredClock(
          bootID: row["boot_id"], anchor: BootInstant(milliseconds: row["anchor_boot"] as Int64), time: row["time"],
          dayTime: row["day_time"], last: row["last"], reached: (row["reached"] as String?).flatMap { FamilyDay($0) })
      }
    }
  }

  /// Keeps the household's clock, and in the same transaction says in the audit that the wall clock was set.
  ///
  /// `change` is what happened, as the audit shows it; `nil` for nothing. `wall` is the time in Unix milliseconds.
  public func keep(
    _ stored: StoredClock, change: (action: String, text: String)? = nil, at wall: Int64
  ) async throws(StoreError) {
    try await commits.commit(.upkeep) { [own] database in
      try database.run(
        "INSERT OR REPLACE INTO household_clock VALUES (1, ?, ?, ?, ?, ?, ?)",
        [
          stored.bootID, stored.anchor.milliseconds, stored.time, stored.dayTime, stored.last,
          stored.reached?.description,
        ])
      guard let change else { return }
      try database.audit(
        AuditEntry(author: own, action: change.action, target: "clock", new: change.text, at: wall))
    }
  }
}
