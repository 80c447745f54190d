import GRDB
import LatchkeyModel

/// Sessions of unknown programs: one at a time in an account, however many run. Spec:
/// Protocol/06-messages.md §5.
extension Store {
  /// Removes programs from a session of unknown programs, which waits for the next one if none is
  /// left.
  ///
  /// `end` is when the last of them ended. With a `boot`, programs that have gone on in another
  /// session of that boot are removed from that one, as by `endSession`.
  public func pause(
    _ id: RecordID, of ended: [ProcessIdentity], in boot: String? = nil, at end: BootInstant, wall: Int64
  ) async throws(StoreError) {
    try await commits.commit { [own] database in
      guard var session = try database.openSession(id, orOf: ended, in: boot, on: own) else { return }
      let id = session.recordID
      // A session in which they go on may have begun after that.
      let end = max(end, session.startedAt)
      let wall = max(wall, session.sessionStart)
      let used = session.activeMilliseconds(until: end)
      try database.remove(ended, from: id)
      session.processes.removeAll { ended.contains($0) }
      guard session.isPaused else { return }
      try database.set(lastSeen: end, wall, of: id)
      guard session.category == .reward else { return }
      try database.set(SessionActivity(run: 0, clock: end.milliseconds, milliseconds: used), of: id)
    }
  }

  /// Adds a reading of the agent's clock to an account's session of unknown or other programs that
  /// merely count, or begins `new`, which has no process; returns whether it begins.
  ///
  /// The clock advanced by `advanced` milliseconds until `new` was last used.
  public func noteUnknown(
    _ reading: SessionActivity.Reading, advanced: Int64, in new: OpenUsageSession
  ) async throws(StoreError) -> Bool {
    try await commits.commit { database in
      let open = try database.openSession(like: new)
      let session = open ?? new
      if open == nil { try database.insert(session) }
      let before = session.activity?.milliseconds ?? 0
      try database.set(
        SessionActivity(
          run: reading.run, clock: reading.milliseconds,
          milliseconds: min(before, HybridTimestamp.wallLimit) + max(0, advanced)), of: session.recordID)
      try database.set(lastSeen: new.lastSeenAt, new.sessionEnd, of: session.recordID)
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

  func set(_ activity: SessionActivity, of id: RecordID) throws {
    try run(
      "UPDATE open_session SET activity_run = ?, activity_clock = ?, activity = ? WHERE record_id = ?",
      [Int64(bitPattern: activity.run), activity.clock, activity.milliseconds, id.bytes])
  }
}
