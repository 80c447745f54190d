import GRDB
import LatchkeyModel

extension Database {
  /// Continues and stores the clock for how long items have waited.
  ///
  /// A stopped clock changes nothing.
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

  /// Returns the clock if it is that of the present boot already; `nil` if it has to be stored.
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
