import Foundation
import GRDB
import LatchkeyModel

/// The child who is there, for each account of this machine that several children share. Spec:
/// Protocol/10-household.md §3.
extension Store {
  /// Returns for how many milliseconds no PIN of a child is taken; 0 if a PIN is taken now.
  ///
  /// A PIN that is taken counts as wrong until it has proved right.
  ///
  /// So neither a node that is killed in between nor PINs that are given at the same time allow
  /// more tries.
  public func tryPIN(of child: ChildID, in boot: String, at now: BootInstant) async throws(StoreError) -> Int64 {
    try await commits.commit { database in
      let known = try database.wrongPINs(of: child)
      if let wait = known?.wait(in: boot, at: now), wait > 0 { return wait }
      let next = WrongPINs.after(known, in: boot, at: now)
      try database.run(
        "INSERT OR REPLACE INTO wrong_pin VALUES (?, ?, ?, ?)",
        [child.bytes, next.count, next.bootID, next.last.milliseconds])
      return 0
    }
  }

  /// Returns the wrong PINs that were given for a child since the last right one; `nil` for none.
  public func wrongPINs(of child: ChildID) async throws(StoreError) -> WrongPINs? {
    try await read { try $0.wrongPINs(of: child) }
  }

  /// Ends the open sessions of an account in the present boot, and begins the ones with running
  /// programs anew.
  ///
  /// The same transaction keeps the child who is there from now on (`nil` for no change), and
  /// deletes the wrong PINs of that child. Nothing changes unless `before` was there until then, if
  /// it is given. `next` returns the session that the programs of a session begin, for the child
  /// who is there from now on. `nil` leaves the session open. Returns the streams with items for
  /// parents.
  public func handOver(
    _ account: UInt32, to present: PresentChild?, after before: PresentChild? = nil, in boot: String,
    at wall: Int64,
    make: @escaping @Sendable (OpenUsageSession, inout DatabaseEffects) throws -> UsageRecord,
    next: @escaping @Sendable (OpenUsageSession, PresentChild?) throws -> OpenUsageSession?
  ) async throws(StoreError) -> [OutboxChange] {
    try await commits.commitTogether { [own, coding, factCache] database, group in
      let known = try database.presentChildren().first { $0.account == account }
      if let before, known != before { return [] }
      if let present { try database.set(present) }
      var effects = DatabaseEffects(database, coding, own: own, author: own, cache: factCache, at: wall)
      var changes: [OutboxChange] = []
      for session in try database.openSessions("account = ? AND boot_id = ?", [account, boot], on: own) {
        guard let following = try next(session, present ?? known) else { continue }
        let record = try make(session, &effects)
        try database.run("DELETE FROM open_session_process WHERE record_id = ?", [session.recordID.bytes])
        try database.run("DELETE FROM open_session WHERE record_id = ?", [session.recordID.bytes])
        for each in session.records(from: record) { changes += try database.report(each, self, in: group, at: wall) }
        guard !session.processes.isEmpty else { continue }
        try database.insert(following)
        for process in session.processes { try database.add(process, to: following.recordID) }
        if let activity = following.activity { try database.set(activity, of: following.recordID) }
      }
      guard !effects.newFacts.isEmpty else { return changes }
      try group.settle(database)
      return try changes + database.relay(effects.newFacts, from: nil, self, at: wall)
    }
  }

  /// Returns the child who is there for each account of this machine, in whichever boot that was
  /// stored.
  public func presentChildren() async throws(StoreError) -> [PresentChild] {
    try await read { try $0.presentChildren() }
  }
}

extension Database {
  func presentChildren() throws -> [PresentChild] {
    try all("SELECT account, child, boot_id, since_boot, changed_boot, sessions FROM present_child ORDER BY account") {
      PresentChild(
        account: UInt32(clamping: $0.integer(0)), child: ChildID(bytes: $0.bytes(1)), bootID: $0.text(2),
        since: BootInstant(milliseconds: max(0, $0.integer(3))),
        changedAt: BootInstant(milliseconds: min(max(0, $0.integer(4)), HybridTimestamp.wallLimit)),
        sessions: $0.text(5).split(separator: " ").map(String.init))
    }
  }

  /// Returns when presence in an account last changed in a boot; `nil` if it did not.
  func presenceChange(in account: UInt32, bootID: String) throws -> BootInstant? {
    try presentChildren().first { $0.account == account && $0.bootID == bootID }?.changedAt
  }

  fileprivate func set(_ present: PresentChild) throws {
    try run(
      "INSERT OR REPLACE INTO present_child VALUES (?, ?, ?, ?, ?, ?)",
      [
        present.account, present.child?.bytes, present.bootID, present.since.milliseconds,
        present.changedAt.milliseconds, present.sessions.joined(separator: " "),
      ])
    if let child = present.child { try run("DELETE FROM wrong_pin WHERE child = ?", [child.bytes]) }
  }

  /// Deletes the presence and the wrong PINs of a child whom this machine no longer serves.
  func forgetPresence(of child: ChildID) throws {
    try run("DELETE FROM present_child WHERE child = ?", [child.bytes])
    try run("DELETE FROM wrong_pin WHERE child = ?", [child.bytes])
  }

  fileprivate func wrongPINs(of child: ChildID) throws -> WrongPINs? {
    try row("SELECT * FROM wrong_pin WHERE child = ?", [Data(child.bytes)]).map { row in
      WrongPINs(
        count: Int(clamping: row["count"] as Int64), bootID: row["boot_id"],
        last: BootInstant(milliseconds: max(0, row["last_boot"])))
    }
  }
}
