import Foundation
import GRDB
import LatchkeyModel

public enum SessionOpening: Hashable, Sendable {
  /// The session that records the program. It may be one that its application already has open.
  case open(OpenUsageSession)
  case otherApplication(AppID)
  /// The program has ended, and all its use is already recorded.
  case ended
  /// The limit of programs that are being recorded is reached.
  case full
}

public enum SessionEnding: Equatable, Sendable {
  /// Another program of the session is still running.
  case open
  /// The record, and the changes to the streams that carry it.
  case ended(UsageRecord, [OutboxChange])
}

extension Store {
  /// Durably begins a session for a program, or adds the program to its application's open session.
  ///
  /// `new` begins with `process` as its only program. If a session of the application already has
  /// the program, it is returned: sessions of one application and account never overlap. A paused
  /// session of unknown programs continues at `since`. At the limit, a program that the agent has
  /// seen (`isObserved`) replaces a program of a session that has several. So no application is
  /// left out because of the processes of another one. If a caller names the application
  /// (`isObserved` is false), it replaces the application as which the agent has just seen the
  /// program. The agent may see the program before the caller who started it can name it. The new
  /// session begins when the replaced one did. If an earlier session had the program, the new
  /// session begins no earlier than the program ended there. So a repeated report counts once. No
  /// session begins if that end is later than `asOf`, the last instant at which the program is
  /// known to have run. In an account that several children share, a session begins no earlier than
  /// the last change of the child who is there. The agent may report the start of a program that
  /// had no rules before.
  public func open(
    _ new: OpenUsageSession, of process: ProcessIdentity, isObserved: Bool = false, since: BootInstant? = nil,
    asOf: BootInstant
  ) async throws(StoreError) -> SessionOpening {
    try await commits.commit { [own] database in
      let seen = try database.openSession(of: process, bootID: new.bootID, on: own)
      if let seen {
        if seen.appID == new.appID { return .open(seen) }
        guard !isObserved, seen.isJustSeen(by: new.startedAt) else { return .otherApplication(seen.appID) }
      }
      let open = try database.openSession(like: new)
      var session = open ?? new
      if open != nil {
        if session.isPaused { try database.resume(&session, at: since) }
        session.processes.append(process)
      } else {
        if let seen {
          session.startedAt = seen.startedAt
          session.sessionStart = seen.sessionStart
          session.householdStart = seen.householdStart
        }
        if let end = try database.end(of: process, bootID: new.bootID) {
          if end > asOf { return .ended }
          session.begin(noEarlierThan: end)
        }
        if let account = new.account, let change = try database.presenceChange(in: account, bootID: new.bootID) {
          session.begin(noEarlierThan: change)
        }
      }
      let all = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") ?? 0
      let programs = all - (seen == nil ? 0 : 1)
      if programs >= (isObserved ? Limits.recordedPrograms : Limits.trackedPrograms) {
        guard isObserved, open == nil, try database.freePlace() else { return .full }
      }
      // The replaced session is deleted only once the other one is certain to record the use.
      if let seen {
        try database.remove([process], from: seen.recordID)
        try database.run("DELETE FROM open_session WHERE record_id = ?", [seen.recordID.bytes])
      }
      if open == nil { try database.insert(session) }
      try database.add(process, to: session.recordID)
      return .open(session)
    }
  }

  public func openSessions() async throws(StoreError) -> [OpenUsageSession] {
    try await read { [own] database in try database.openSessions("TRUE", [], on: own) }
  }

  /// Records that sessions continue; sessions of unknown or other programs count only if a program
  /// runs in them.
  public func heartbeat(_ records: [RecordID], now: BootInstant, at wall: Int64) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in records {
        try database.run(
          """
          UPDATE open_session SET last_seen_boot = ?, session_end = ? WHERE record_id = ?
            AND (app_id NOT IN (?, ?) OR EXISTS (SELECT 1 FROM open_session_process p WHERE p.record_id = open_session.record_id))
          """, [now.milliseconds, wall, record.bytes, AppID.unknownPrograms.text, AppID.otherPrograms.text])
      }
    }
  }

  /// Records the sessions whose programs rules close now, and those that are open again.
  public func note(closed: [RecordID], reopened: [RecordID], now: BootInstant) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for record in closed {
        try database.run(
          "UPDATE open_session SET closed_boot = coalesce(closed_boot, ?) WHERE record_id = ?",
          [now.milliseconds, record.bytes])
      }
      for record in reopened {
        try database.run("UPDATE open_session SET closed_boot = NULL WHERE record_id = ?", [record.bytes])
      }
    }
  }

  /// Records a reading of the activity clock of a program's application; the session continues.
  ///
  /// The session's time before `since`, when the agent began to see the program, counts in full.
  public func note(
    _ reading: SessionActivity.Reading, of process: ProcessIdentity, bootID: String, since: BootInstant?
  ) async throws(StoreError) {
    try await commits.commit(.upkeep) { [own] database in
      guard let session = try database.openSession(of: process, bootID: bootID, on: own) else { return }
      var activity: SessionActivity
      if let known = session.activity {
        activity = known
        activity.add(reading)
      } else {
        let before = since.map { max(0, $0 - session.startedAt) } ?? 0
        activity = SessionActivity(run: reading.run, clock: reading.milliseconds, milliseconds: before)
      }
      try database.set(activity, of: session.recordID)
    }
  }

  /// Removes programs from a session, and ends it if none is left.
  ///
  /// The same transaction stores the record that `make` returns, and queues it for every parent,
  /// with the facts that follow from it. `make` is not called if the session has ended already.
  /// Returns `nil` if there is neither a session nor a record with that ID. `end` is when the
  /// programs ended, on the boot clock. With a `boot`, programs that have gone on in another
  /// session of that boot are removed from that one: `handOver` may have ended theirs since the
  /// caller looked.
  public func endSession(
    _ id: RecordID, of ended: [ProcessIdentity], in boot: String? = nil, at wall: Int64, end: BootInstant? = nil,
    make: @escaping @Sendable (OpenUsageSession, inout DatabaseEffects) throws -> UsageRecord
  ) async throws(StoreError) -> SessionEnding? {
    try await commits.commitTogether { [own, coding, factCache] database, group in
      guard var session = try database.openSession(id, orOf: ended, in: boot, on: own) else {
        // The request was repeated, which is rare: it may read the index of all history.
        return try database.row(
          "SELECT * FROM usage_record WHERE device_id = ? AND record_id = ?", [Data(own.bytes), Data(id.bytes)]
        ).map { SessionEnding.ended(try UsageRecord($0), []) }
      }
      try database.remove(ended, from: session.recordID)
      if let end { for process in ended { try database.note(end, of: process, bootID: session.bootID) } }
      session.processes.removeAll { ended.contains($0) }
      guard session.processes.isEmpty else { return .open }
      session.processes = ended
      var effects = DatabaseEffects(database, coding, own: own, author: own, cache: factCache, at: wall)
      let record = try make(session, &effects)
      try database.run("DELETE FROM open_session WHERE record_id = ?", [session.recordID.bytes])
      let records = session.records(from: record)
      var changes = try records.flatMap { try database.report($0, self, in: group, at: wall) }
      if !effects.newFacts.isEmpty {
        // Control streams change in the database itself, so the group's changes are written first.
        try group.settle(database)
        changes += try database.relay(effects.newFacts, from: nil, self, at: wall)
      }
      return .ended(records.first ?? record, changes)
    }
  }
}

/// Sessions of unknown programs: one at a time in an account, however many run. Spec:
/// Protocol/06-messages.md §5.
extension Store {
  /// Removes programs from a session of unknown programs, which waits for the next one if none is
  /// left.
  ///
  /// `end` is when the last of them ended. With a `boot`, programs that have continued in another
  /// session of that boot are removed from that session, as by `endSession`.
  public func pause(
    _ id: RecordID, of ended: [ProcessIdentity], in boot: String? = nil, at end: BootInstant, wall: Int64
  ) async throws(StoreError) {
    try await commits.commit { [own] database in
      guard var session = try database.openSession(id, orOf: ended, in: boot, on: own) else { return }
      let id = session.recordID
      // A session in which they continue may have begun after that.
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
  /// merely count, or begins `new`.
  ///
  /// `new` has no process. Returns whether it begins.
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
  /// Continues a session of unknown programs after a pause, which does not count.
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
