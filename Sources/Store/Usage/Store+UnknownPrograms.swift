import Foundation
import GRDB
import LatchkeyModel

/// Sessions of unknown programs, of which an account has one at a time however many of them run.
///
/// Spec: Protocol/06-messages.md §5.
extension Store {
  /// Removes programs from a session of unknown programs, which waits for the next one if none is
  /// left.
  ///
  /// `end` is when the last of them ended.
  public func pause(
    _ id: RecordID, of ended: [ProcessIdentity], at end: BootInstant, wall: Int64
  ) async throws(StoreError) {
    try await commits.commit { database in
      guard let row = try database.row("SELECT * FROM open_session WHERE record_id = ?", [Data(id.bytes)]) else {
        return
      }
      var session = try OpenUsageSession(row, processes: database.processes(of: Data(id.bytes)))
      let used = session.activeMilliseconds(until: end)
      for process in ended {
        try database.run(
          "DELETE FROM open_session_process WHERE record_id = ? AND process_id = ? AND process_start_time = ?",
          [id.bytes, Int64(process.processID), Int64(bitPattern: process.startTime)])
      }
      session.processes.removeAll { ended.contains($0) }
      guard session.isPaused else { return }
      try database.run(
        "UPDATE open_session SET last_seen_boot = ?, last_seen_at = ? WHERE record_id = ?",
        [end.milliseconds, wall, Data(id.bytes)])
      guard session.category == .reward else { return }
      try database.set(SessionActivity(run: 0, clock: end.milliseconds, milliseconds: used), of: id)
    }
  }

  /// Adds a reading of the agent's clock to the session of unknown or other programs in an account
  /// that merely count, or begins one.
  ///
  /// The clock advanced by `advanced` milliseconds until an instant. `make` returns the new
  /// session, of no process.
  ///
  /// Returns whether it begins.
  public func noteUnknown(
    _ reading: SessionActivity.Reading, of app: AppID, advanced: Int64, account: UInt32, bootID: String,
    until end: BootInstant,
    wall: Int64, make: @escaping @Sendable () throws -> OpenUsageSession
  ) async throws(StoreError) -> Bool {
    try await commits.commit { database in
      let open = try database.row(
        "SELECT * FROM open_session WHERE boot_id = ? AND app_id = ? AND account IS ?",
        [bootID, app.text, account])
      let session = try open.map { try OpenUsageSession($0, processes: []) } ?? make()
      if open == nil { try database.insert(session) }
      let before = session.activity?.milliseconds ?? 0
      try database.set(
        SessionActivity(
          run: reading.run, clock: reading.milliseconds,
          milliseconds: min(before, HybridTimestamp.wallLimit) + max(0, advanced)), of: session.recordID)
      try database.run(
        "UPDATE open_session SET last_seen_boot = ?, last_seen_at = ? WHERE record_id = ?",
        [end.milliseconds, wall, Data(session.recordID.bytes)])
      return open == nil
    }
  }
}

extension Database {
  /// Lets a session of unknown programs go on after a pause, which does not count.
  func resume(_ session: inout OpenUsageSession, at since: BootInstant?) throws {
    guard session.category == .reward, var activity = session.activity, let since else { return }
    activity.clock = max(activity.clock, since.milliseconds)
    session.activity = activity
    try set(activity, of: session.recordID)
  }

  fileprivate func set(_ activity: SessionActivity, of id: RecordID) throws {
    try run(
      "UPDATE open_session SET activity_run = ?, activity_clock = ?, activity = ? WHERE record_id = ?",
      [Int64(bitPattern: activity.run), activity.clock, activity.milliseconds, Data(id.bytes)])
  }
}
