import GRDB
import LatchkeyModel

extension Store {
  /// Give the runs of a typed code in which nobody proved to be the inviter, within the longest life of a code.
  public func runs(discriminator: UInt16, bootID: String, now: BootInstant) async throws(StoreError) -> Int {
    try await read { try $0.runs(discriminator, bootID, now) }
  }

  /// Count a run of a typed code, durably, before it can tell anybody anything. Gives the runs so far.
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

  /// The last run was answered by the inviter: it does not count.
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
