import GRDB
import LatchkeyModel

/// Storing the household's clock of a child's machine.
///
/// Spec: Protocol/11-rules.md §4.
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

  /// Keeps the household's clock, and in the same transaction says in the audit that the wall clock
  /// was set.
  ///
  /// `change` is what happened, as the audit shows it; `nil` for nothing. `wall` is the time in
  /// Unix milliseconds.
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
      try database.audit(change.action, of: "clock", new: change.text, by: own, at: wall)
    }
  }
}
