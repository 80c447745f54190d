import GRDB
import LatchkeyModel

extension Store {
  /// Returns the number of runs of a typed code without an answer from its inviter, within the
  /// longest life time of a code.
  public func runs(discriminator: UInt16, bootID: String, now: BootInstant) async throws(StoreError) -> Int {
    try await read { try $0.runs(discriminator, bootID, now) }
  }

  /// Counts a run of a typed code, durably, before it can reveal anything, and returns the count.
  public func countRun(discriminator: UInt16, bootID: String, now: BootInstant) async throws(StoreError) -> Int {
    try await commits.commit(.upkeep) { database in
      let runs = try database.runs(discriminator, bootID, now)
      guard runs > 0 else {
        try database.run(
          "INSERT OR REPLACE INTO pairing_run VALUES (?, 1, ?, ?)", [Int64(discriminator), bootID, now.milliseconds])
        return 1
      }
      try database.run("UPDATE pairing_run SET runs = runs + 1 WHERE discriminator = ?", [Int64(discriminator)])
      return runs + 1
    }
  }

  /// Subtracts the last run, since the inviter answered it.
  public func creditRun(discriminator: UInt16) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "UPDATE pairing_run SET runs = runs - 1 WHERE discriminator = ? AND runs > 0", [Int64(discriminator)])
    }
  }
}

extension Database {
  fileprivate func runs(_ discriminator: UInt16, _ bootID: String, _ now: BootInstant) throws -> Int {
    guard
      let row = try row(
        "SELECT * FROM pairing_run WHERE discriminator = ? AND boot_id = ?", [Int64(discriminator), bootID])
    else { return 0 }
    let age = now - BootInstant(milliseconds: row["first_boot"])
    return age < Int64(Limits.pairingMinutes.most) * 60_000 ? Int(row["runs"] as Int64) : 0
  }
}
