import GRDB
import LatchkeyModel

/// The clock by which a store measures how long items have waited.
public struct StoreClock: Sendable {
  public let bootID: String
  public let now: @Sendable () -> BootInstant

  public init(bootID: String, now: @escaping @Sendable () -> BootInstant) { (self.bootID, self.now) = (bootID, now) }

  /// A stopped clock, for opening a store only to read it.
  public static let stopped = StoreClock(bootID: "", now: { BootInstant(milliseconds: 0) })
}

extension Database {
  /// Continues and stores the clock for how long items have waited; a stopped clock changes
  /// nothing.
  func startAgeClock(_ clock: StoreClock) throws -> AgeClock {
    let started = try startedAgeClock(clock)
    guard !clock.bootID.isEmpty else { return started }
    try run(
      """
      INSERT INTO age_clock VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id,
        base = excluded.base, last_boot = max(excluded.last_boot, iif(boot_id = excluded.boot_id, last_boot, 0))
      """, [started.bootID, started.base, clock.now().milliseconds])
    return started
  }

  /// Returns the clock as it continues from its last stored value, without storing it.
  func startedAgeClock(_ clock: StoreClock) throws -> AgeClock {
    AgeClock(after: try notedAgeClock(), bootID: clock.bootID)
  }

  /// Returns the clock if it belongs to the present boot already; `nil` if it has to be stored.
  func goingAgeClock(_ clock: StoreClock) throws -> AgeClock? {
    guard let noted = try notedAgeClock(), noted.bootID == clock.bootID else { return nil }
    return AgeClock(after: noted, bootID: clock.bootID)
  }

  private func notedAgeClock() throws -> (bootID: String, base: Int64, last: BootInstant)? {
    try row("SELECT * FROM age_clock").map {
      (
        bootID: $0["boot_id"] as String, base: $0["base"] as Int64,
        last: BootInstant(milliseconds: $0["last_boot"] as Int64)
      )
    }
  }

  /// Stores the time of the clock, so that the next boot continues from there.
  func noteAge(_ clock: StoreClock) throws {
    try run(
      "UPDATE age_clock SET last_boot = max(last_boot, ?) WHERE boot_id = ?", [clock.now().milliseconds, clock.bootID])
  }
}

extension Store {
  /// Returns the clock by which items age, in milliseconds.
  func age() -> Int64 { ageClock.age(at: clock.now()) }
}

/// Storing the household's clock of a child's machine. Spec: Protocol/11-rules.md §4.
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

  /// Keeps the household's clock and, in the same transaction, an audit entry about a change of the
  /// wall clock; `wall` is in Unix milliseconds.
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

/// The hybrid clock.
extension Database {
  /// Sets this device's hybrid clock no earlier than a reading of another device, which
  /// `HybridTimestamp.mayWitness` allows.
  func witness(_ wall: Int64, _ counter: UInt32) throws {
    try run(
      "INSERT INTO hybrid_clock VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET wall = excluded.wall, counter = excluded.counter "
        + "WHERE (excluded.wall, excluded.counter) > (hybrid_clock.wall, hybrid_clock.counter)", [wall, Int64(counter)])
  }

  /// Returns the next reading of this device's hybrid clock, which becomes durable with the
  /// transaction.
  func tick(wall: Int64, author: DeviceID) throws -> HybridTimestamp {
    let last = try row("SELECT wall, counter FROM hybrid_clock").map {
      HybridTimestamp(wall: $0["wall"], counter: UInt32(clamping: $0["counter"] as Int64), author: author)
    }
    let next = HybridTimestamp.next(after: last, wall: wall, author: author)
    try run(
      "INSERT INTO hybrid_clock VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET wall = excluded.wall, counter = excluded.counter",
      [next.wall, Int64(next.counter)])
    return next
  }
}
