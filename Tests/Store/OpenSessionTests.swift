import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of sessions in progress.
@Suite struct OpenSessionTests {
  private let app = Fixed.app("org.gnome.Chess")
  private let first = ProcessIdentity(processID: 7, startTime: .max)
  private let second = ProcessIdentity(processID: 8, startTime: 5)

  private func open(
    _ rig: StoreRig, _ process: ProcessIdentity, app: AppID? = nil, boot: String = "boot", account: UInt32? = nil,
    isObserved: Bool = false, asOf: Int64? = nil, at start: Int64 = 100
  ) async throws -> SessionOpening {
    let id = try #require(RecordID(bytes: rig.random.bytes(16)))
    let record = UsageRecord(
      recordID: id, device: rig.own, appID: app ?? self.app, displayName: "Chess", sessionStart: start + 900,
      sessionEnd: start + 900, zone: "Europe/Berlin", activeMilliseconds: 0, category: .reward,
      milliPointsPerMinute: 2_000, earnedMilliPoints: 0, evidence: isObserved ? .observed : .tracked, account: account)
    let instant = BootInstant(milliseconds: start)
    return try await rig.store.open(
      OpenUsageSession(record, processes: [process], bootID: boot, startedAt: instant, lastSeenAt: instant),
      of: process, isObserved: isObserved, asOf: BootInstant(milliseconds: asOf ?? .max))
  }

  private func session(_ opening: SessionOpening) throws -> OpenUsageSession {
    guard case .open(let session) = opening else { throw StoreError.unexpected("\(opening)") }
    return session
  }

  private func end(
    _ rig: StoreRig, _ id: RecordID, _ processes: [ProcessIdentity], at milliseconds: Int64? = nil
  ) async throws -> SessionEnding? {
    let end = milliseconds.map { BootInstant(milliseconds: $0) }
    return try await rig.store.endSession(id, of: processes, at: 7_000, end: end) { session, _ in
      session.ended(at: session.lastSeenAt, wall: session.sessionEnd)
    }
  }

  @Test("The first moment at which a rule closed a session's program is kept until it opens again")
  func closedByARule() async throws {
    let rig = try StoreRig()
    let id = try session(try await open(rig, first)).recordID
    func note(closed: Bool, at milliseconds: Int64) async throws -> BootInstant? {
      try await rig.store.note(
        closed: closed ? [id] : [], reopened: closed ? [] : [id], now: BootInstant(milliseconds: milliseconds))
      return try await rig.store.openSessions().first?.closedAt
    }
    #expect(try await rig.store.openSessions().first?.closedAt == nil)
    #expect(try await note(closed: true, at: 200) == BootInstant(milliseconds: 200))
    #expect(try await note(closed: true, at: 300) == BootInstant(milliseconds: 200))
    #expect(try await note(closed: false, at: 400) == nil)
    #expect(try await note(closed: true, at: 500) == BootInstant(milliseconds: 500))
  }

  @Test("What a caller says that its program is takes the place of what the agent has just seen, and of nothing else")
  func callersWord() async throws {
    let rig = try StoreRig()
    let other = Fixed.app("org.gnome.Mines")
    let late = 100 + OpenUsageSession.justSeenMilliseconds + 1
    _ = try await open(rig, first, isObserved: true)
    #expect(try await open(rig, first, app: other, isObserved: true, at: 101) == .otherApplication(app))
    #expect(try await open(rig, first, app: other, at: late) == .otherApplication(app))
    let taken = try session(try await open(rig, first, app: other, at: late - 1))
    #expect(taken.appID == other && taken.evidence == .tracked && taken.processes == [first])
    #expect(taken.startedAt == BootInstant(milliseconds: 100) && taken.sessionStart == 1_000)
    #expect(try await rig.store.openSessions() == [taken])
    // After that, neither the agent nor another caller changes the application of the program.
    #expect(try await open(rig, first, isObserved: true) == .otherApplication(other))
    #expect(try await open(rig, first, at: 101) == .otherApplication(other))
    // A session that includes other programs does not change its name either.
    let third = ProcessIdentity(processID: 9, startTime: 6)
    for process in [second, third] { _ = try await open(rig, process, isObserved: true, at: 300) }
    #expect(try await open(rig, third, app: other, at: 301) == .otherApplication(app))
  }

  @Test("What the agent has just seen stays recorded if there is no place for what a caller says")
  func callersWordWithoutAPlace() async throws {
    let rig = try StoreRig()
    let other = Fixed.app("org.gnome.Mines")
    for number in 0..<Limits.trackedPrograms {
      let process = ProcessIdentity(processID: 9, startTime: UInt64(number))
      _ = try await open(rig, process, app: Fixed.app("tool"), isObserved: true)
    }
    let seen = try session(try await open(rig, first, isObserved: true))
    #expect(try await open(rig, first, app: other, at: 101) == .full)
    #expect(try await rig.store.openSessions().contains(seen))
  }

  @Test("Readings of the agent's clock are kept with the session of the program, across a restart")
  func activity() async throws {
    let rig = try StoreRig()
    _ = try session(try await open(rig, first, account: 1_000))
    func note(_ process: ProcessIdentity, _ run: UInt64, _ milliseconds: Int64, since: Int64? = nil) async throws {
      try await rig.store.note(
        .init(run: run, milliseconds: milliseconds), of: process, bootID: "boot",
        since: since.map { BootInstant(milliseconds: $0) })
    }
    #expect(try await rig.store.openSessions().first?.activity == nil)
    // The agent saw the program later than the session began.
    try await note(first, .max, 10_000, since: 400)
    try await note(second, .max, 90_000, since: 400)
    try await note(first, .max, 12_000)
    try rig.reopen()
    try await note(first, .max, 12_500)
    #expect(
      try await rig.store.openSessions().first?.activity
        == SessionActivity(run: .max, clock: 12_500, milliseconds: 2_800))
    // A reward in the same account is not counted where the agent leaves it out of the activity.
    var learning = Fixed.usage(1, device: rig.own, from: 3_000, to: 4_000)
    (learning.account, learning.child) = (1_000, nil)
    for (account, beside) in [(1_000, 0), (1_001, 1_000)] as [(UInt32, Int64)] {
      learning.account = account
      let record = learning
      let found = try await rig.store.look {
        try $0.rewardMilliseconds(beside: record, elapsed: 1_000, inOtherAccounts: true)
      }
      #expect(found == beside)
    }
  }

  @Test("The time of a reward beside a session is found, whether the reward still runs or has ended")
  func rewardBeside() async throws {
    let rig = try StoreRig()
    _ = try session(try await open(rig, first))
    func beside(_ start: Int64, _ end: Int64) async throws -> Int64 {
      let learning = Fixed.usage(1, device: rig.own, from: start, to: end)
      return try await rig.store.look { try $0.rewardMilliseconds(beside: learning, elapsed: end - start) }
    }
    #expect(try await beside(3_000, 4_000) == 1_000, "It still runs.")
    #expect(try await beside(500, 1_000) == 0, "It began later.")
    let id = try #require(try await rig.store.openSessions().first).recordID
    try await rig.store.heartbeat([id], now: BootInstant(milliseconds: 5_100), at: 6_000)
    _ = try await end(rig, id, [first])
    #expect(try await beside(6_000, 16_000) == 0, "It had ended.")
    #expect(try await beside(2_000, 16_000) == 4_000)
    // The use of another child on this machine does not count.
    var toms = Fixed.usage(2, device: rig.own, from: 2_000, to: 16_000)
    toms.child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    let sibling = toms
    #expect(try await rig.store.look { try $0.rewardMilliseconds(beside: sibling, elapsed: 14_000) } == 0)
  }

  @Test("A session survives the node, keeps its last heartbeat, and ends in one record")
  func survives() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let session = try session(try await open(rig, first))
    try await rig.store.heartbeat([session.recordID], now: BootInstant(milliseconds: 5_100), at: 6_000)
    try rig.reopen()
    let found = try #require(try await rig.store.openSessions().first)
    #expect((found.lastSeenAt.milliseconds, found.sessionEnd) == (5_100, 6_000))
    #expect(found.processes == [first])
    guard case .ended(let record, let changes) = try await end(rig, session.recordID, [first]) else {
      Issue.record("it has not ended")
      return
    }
    #expect(record.activeMilliseconds == 5_000 && record.sessionEnd == 6_000)
    #expect(changes.map(\.device) == [parent])
    #expect(try await rig.store.openSessions().isEmpty)
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM open_session_process") } == 0)
    // The same end again returns the same record, and sends nothing.
    #expect(try await end(rig, session.recordID, [first]) == .ended(record, []))
    let nothing = try #require(RecordID(bytes: [UInt8](repeating: 0, count: 16)))
    #expect(try await end(rig, nothing, []) == nil)
  }

  @Test("What an agent tells again of a program that has ended counts once, across a restart of the node")
  func toldAgain() async throws {
    let rig = try StoreRig()
    let id = try session(try await open(rig, first, account: 1_000, isObserved: true)).recordID
    _ = try await open(rig, second, account: 1_000, isObserved: true)
    #expect(try await end(rig, id, [second], at: 300) == .open)
    guard case .ended = try await end(rig, id, [first], at: 500) else {
      Issue.record("it has not ended")
      return
    }
    try rig.reopen()
    // The record has all use of both processes, also of the process that was not the last.
    for process in [first, second] {
      #expect(try await open(rig, process, account: 1_000, isObserved: true, asOf: 100) == .ended)
    }
    #expect(try await rig.store.openSessions().isEmpty)
    // A process that continues after a pause begins a new session.
    let next = try session(try await open(rig, first, account: 1_000, isObserved: true))
    #expect((next.startedAt.milliseconds, next.sessionStart, next.householdStart) == (500, 1_400, 1_400))
    #expect((next.lastSeenAt.milliseconds, next.sessionEnd) == (500, 1_400))
    #expect(try await rig.store.openSessions() == [next])
    // Another boot, and another program with the same number, are unrelated.
    let other = ProcessIdentity(processID: second.processID, startTime: 6)
    let rest = [
      try await open(rig, second, boot: "next", asOf: 100), try await open(rig, other, asOf: 100),
    ]
    for opening in rest { #expect(try session(opening).startedAt.milliseconds == 100) }
  }

  @Test("What is known of a program from before its end begins nothing, whatever it is and whenever it began")
  func toldAfterItsEnd() async throws {
    let rig = try StoreRig()
    let id = try session(try await open(rig, first, account: 1_000)).recordID
    _ = try await end(rig, id, [first], at: 500)
    for (start, app) in [(100, nil), (500, nil), (900, nil), (900, Fixed.app("org.gnome.Mines"))] as [(Int64, AppID?)] {
      let told = try await open(rig, first, app: app, account: 1_000, isObserved: true, asOf: 499, at: start)
      #expect(told == .ended)
    }
    #expect(try await rig.store.openSessions().isEmpty)
    // Use that was paused at 500 continues at 900.
    let next = try session(try await open(rig, first, account: 1_000, isObserved: true, asOf: 900, at: 900))
    #expect(next.startedAt.milliseconds == 900)
  }

  @Test("Programs of one application share a session, which ends with the last of them")
  func shared() async throws {
    let rig = try StoreRig()
    let session = try session(try await open(rig, first))
    let joined = try self.session(try await open(rig, second))
    #expect(joined.recordID == session.recordID && Set(joined.processes) == [first, second])
    // The same question again, after a lost answer, returns the same session.
    #expect(try self.session(try await open(rig, second)).recordID == session.recordID)
    #expect(try await rig.store.openSessions().map(\.processes.count) == [2])
    #expect(try await end(rig, session.recordID, [first]) == .open)
    #expect(try await rig.store.openSessions().map(\.processes) == [[second]])
    // A program that does not belong to the session does not end it.
    #expect(try await end(rig, session.recordID, [first]) == .open)
    guard case .ended = try await end(rig, session.recordID, [second]) else {
      Issue.record("it has not ended")
      return
    }
    // The next program has its own session.
    #expect(try self.session(try await open(rig, second)).recordID != session.recordID)
  }

  @Test("A program is recorded for one application, and sessions of another boot are not continued")
  func bounds() async throws {
    let rig = try StoreRig()
    let earlier = try session(try await open(rig, first, boot: "earlier"))
    let session = try session(try await open(rig, first))
    #expect(session.recordID != earlier.recordID)
    #expect(try await open(rig, first, app: Fixed.app("a.b")) == .otherApplication(app))
    for number in 0..<(Limits.trackedPrograms - 2) {
      _ = try self.session(
        try await open(rig, ProcessIdentity(processID: 100, startTime: UInt64(number)), app: Fixed.app("a.\(number)")))
    }
    #expect(try await open(rig, second) == .full)
    // A program that is already known takes no further place.
    #expect(try self.session(try await open(rig, first)).recordID == session.recordID)
    #expect(try await end(rig, earlier.recordID, [first]) != nil)
    #expect(try self.session(try await open(rig, second)).recordID == session.recordID)
  }

  @Test(
    "What an agent sees is recorded although another application has all the places; none is left out for one more of its own"
  )
  func places() async throws {
    let rig = try StoreRig()
    func process(_ number: Int) -> ProcessIdentity { ProcessIdentity(processID: 9, startTime: UInt64(number)) }
    let crowd = Fixed.app("neutral.crowd")
    for number in 0..<Limits.recordedPrograms {
      _ = try session(try await open(rig, process(number), app: crowd, isObserved: true))
    }
    #expect(try await open(rig, process(1_000), app: crowd, isObserved: true) == .full)
    #expect(try await open(rig, process(1_000), app: Fixed.app("tracked")) == .full)
    let game = try session(try await open(rig, first, isObserved: true))
    #expect(game.processes == [first])
    let open = try await rig.store.openSessions()
    #expect(open.map(\.processes.count).sorted() == [1, Limits.recordedPrograms - 1])
    #expect(!open.contains { $0.processes.contains(process(Limits.recordedPrograms - 1)) }, "The newest gives way.")
    #expect(try await self.open(rig, second, isObserved: true) == .full, "Its application has a place.")
  }

  @Test("Unknown programs are one session, which waits for the next one; the time between them does not count")
  func unknownPrograms() async throws {
    let rig = try StoreRig()
    let own = rig.own
    func seen() async throws -> OpenUsageSession { try #require(try await rig.store.openSessions().first) }
    func open(_ process: ProcessIdentity, since: Int64) async throws -> OpenUsageSession {
      let id = try #require(RecordID(bytes: rig.random.bytes(16)))
      let start = BootInstant(milliseconds: since)
      let record = UsageRecord(
        recordID: id, device: own, appID: .unknownPrograms, displayName: "Unknown programs", sessionStart: 1_000,
        sessionEnd: 1_000, zone: "UTC", activeMilliseconds: 0, category: .reward, milliPointsPerMinute: 2_000,
        earnedMilliPoints: 0, evidence: .observed, account: 1_000)
      return try session(
        await rig.store.open(
          OpenUsageSession(record, processes: [process], bootID: "boot", startedAt: start, lastSeenAt: start),
          of: process, isObserved: true, since: start, asOf: start))
    }
    func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }
    let id = try await open(first, since: 1_000).recordID
    #expect(try await open(second, since: 2_000).recordID == id)
    try await rig.store.pause(id, of: [first], at: at(3_000), wall: 4_000)
    #expect(try await !seen().isPaused, "The other one runs.")
    #expect(try await seen().activeMilliseconds(until: at(5_000)) == 4_000)
    try await rig.store.pause(id, of: [second], at: at(6_000), wall: 7_000)
    // Nothing runs until the next session begins, whatever the heartbeat says of running programs.
    try await rig.store.heartbeat([id], now: at(8_000), at: 9_000)
    #expect(try await seen().isPaused)
    #expect(try await seen().lastSeenAt == at(6_000))
    #expect(try await seen().activeMilliseconds(until: at(9_000)) == 5_000)
    try rig.reopen()
    let third = ProcessIdentity(processID: 9, startTime: 1)
    #expect(try await open(third, since: 10_000).recordID == id)
    #expect(try await seen().activeMilliseconds(until: at(12_000)) == 7_000)
    try await rig.store.heartbeat([id], now: at(12_000), at: 13_000)
    #expect(try await seen().lastSeenAt == at(12_000))
    try await rig.store.pause(id, of: [third], at: at(12_500), wall: 13_500)
    guard
      case .ended(let record, _) = try await rig.store.endSession(
        id, of: [], at: 80_000,
        make: { session, _ in
          var record = Fixed.usage(1, device: own, from: session.sessionStart, to: session.sessionEnd)
          record.activeMilliseconds = session.activeMilliseconds(until: BootInstant(milliseconds: 80_000))
          return record
        })
    else {
      Issue.record("it has not ended")
      return
    }
    #expect(record.activeMilliseconds == 7_500 && record.sessionEnd == 13_500)
  }

  @Test("Unknown programs that merely count are recorded by the agent's clock, one session of an account at a time")
  func unknownProgramsThatCount() async throws {
    let rig = try StoreRig()
    func note(_ clock: Int64, _ advanced: Int64, account: UInt32 = 1_000, until end: Int64) async throws -> Bool {
      let id = try #require(RecordID(bytes: rig.random.bytes(16)))
      let record = UsageRecord(
        recordID: id, device: rig.own, appID: .unknownPrograms, displayName: "Unknown programs", sessionStart: 10_000,
        sessionEnd: 10_000 + end, zone: "UTC", activeMilliseconds: 0, category: .neutral, milliPointsPerMinute: 0,
        earnedMilliPoints: 0, evidence: .observed, account: account)
      return try await rig.store.noteUnknown(
        .init(run: 7, milliseconds: clock), advanced: advanced,
        in: OpenUsageSession(
          record, processes: [], bootID: "boot", startedAt: BootInstant(milliseconds: end - advanced),
          lastSeenAt: BootInstant(milliseconds: end)))
    }
    #expect(try await note(5_000, 1_000, until: 20_000))
    #expect(try await !note(8_000, 3_000, until: 50_000))
    #expect(try await note(9_000, 9_000, account: 1_001, until: 50_000))
    let session = try #require(try await rig.store.openSessions().first { $0.account == 1_000 })
    #expect(session.isPaused && session.lastSeenAt.milliseconds == 50_000 && session.startedAt.milliseconds == 19_000)
    #expect(session.activity == SessionActivity(run: 7, clock: 8_000, milliseconds: 4_000))
    #expect(session.activeMilliseconds(until: BootInstant(milliseconds: 90_000)) == 4_000)
  }

  @Test("A doubt about a record is found by the clock of the machine that stores it, and remains")
  func doubt() async throws {
    let rig = try StoreRig()
    let now = UsageDoubtTimes.now
    let records = [now, now + 86_400_001, 1_000].enumerated().map {
      Fixed.usage($0.offset + 1, device: rig.own, from: $0.element - 1, to: $0.element)
    }
    _ = try await rig.store.record(records, at: now)
    _ = try await rig.store.record(records, at: now + 9 * 86_400_000)
    let kept = try await rig.store.usage(
      device: rig.own, app: nil, from: 0, to: .max, limit: 9, before: nil)
    #expect(kept.map(\.record) == [records[1], records[0], records[2]])
    #expect(kept.map(\.doubt) == [.future, .overpaid, .past])
  }
}

private enum UsageDoubtTimes {
  /// Unix milliseconds of 2026-11-21 13:00 UTC.
  static let now: Int64 = 1_795_266_000_000
}
