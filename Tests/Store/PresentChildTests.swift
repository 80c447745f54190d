import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of who is there in an account that several children share: Protocol/10-household.md §3.
@Suite struct PresentChildTests {
  private let ben = ChildID(milliseconds: 2, random: [UInt8](repeating: 2, count: 10))
  private let emma = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
  private let process = ProcessIdentity(processID: 7, startTime: 5)
  private static let account: UInt32 = 1_000

  private static func instant(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  /// Begins a session that counts for both children.
  private func together(
    _ rig: StoreRig, app: AppID = Fixed.app("org.gnome.Chess"), account: UInt32 = account, boot: String = "boot"
  ) async throws -> RecordID {
    let id = try #require(RecordID(bytes: rig.random.bytes(16)))
    var session = OpenUsageSession(
      UsageRecord(
        recordID: id, device: rig.own, appID: app, displayName: "Chess",
        sessionStart: 1_000, sessionEnd: 1_000, zone: "Europe/Berlin", activeMilliseconds: 0, category: .reward,
        milliPointsPerMinute: 0, earnedMilliPoints: 0, evidence: .observed, account: account),
      processes: [process], bootID: boot, startedAt: Self.instant(100), lastSeenAt: Self.instant(100))
    session.sharers = [SessionSharer(child: emma, category: .learning), SessionSharer(child: ben, category: .reward)]
    _ = try await rig.store.open(session, of: process, isObserved: true, asOf: Self.instant(.max))
    return id
  }

  private func handOver(
    _ rig: StoreRig, to present: PresentChild?, after before: PresentChild? = nil, for child: ChildID
  ) async throws {
    let id = try #require(RecordID(bytes: rig.random.bytes(16)))
    _ = try await rig.store.handOver(
      Self.account, to: present, after: before, in: "boot", at: 7_000,
      make: { session, _ in session.ended(at: Self.instant(5_100), wall: 6_000) },
      next: { session, _ in
        if session.child == child { return nil }
        var next = session
        (next.recordID, next.child, next.sharers) = (id, child, [])
        (next.startedAt, next.lastSeenAt, next.sessionStart) = (Self.instant(5_100), Self.instant(5_100), 6_000)
        return next
      })
  }

  private func named(_ child: ChildID?, since: Int64 = 5_100, changedAt: Int64? = nil) -> PresentChild {
    PresentChild(
      account: Self.account, child: child, bootID: "boot", since: Self.instant(since),
      changedAt: changedAt.map { Self.instant($0) }, sessions: ["2", "c1"])
  }

  @Test("A session of several children becomes a record of each, with IDs that follow from it")
  func records() async throws {
    let rig = try StoreRig()
    let id = try await together(rig)
    #expect(try await rig.store.openSessions().first?.sharers.map(\.category) == [.neutral, .reward])
    let ending = try await rig.store.endSession(id, of: [process], at: 7_000, end: Self.instant(5_100)) { session, _ in
      session.ended(at: Self.instant(5_100), wall: 6_000)
    }
    guard case .ended(let first, _) = ending else { throw StoreError.unexpected("\(String(describing: ending))") }
    #expect(first.recordID == id && first.child == emma)
    let records = try await rig.store.usage(device: rig.own, app: nil, from: 0, to: 10_000, limit: 9, before: nil)
      .map(\.record)
    #expect(Set(records.compactMap(\.child)) == [emma, ben] && records.count == 2)
    #expect(records.allSatisfy { $0.activeMilliseconds == 5_000 && $0.milliPointsPerMinute == 0 })
    let bens = try #require(records.first { $0.child == ben })
    #expect(bens.recordID.bytes == zip(id.bytes, ben.bytes).map { $0 ^ $1 } && bens.category == .reward)
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM open_session_sharer") } == 0)
  }

  @Test("Naming ends the sessions of the account and begins them again for the child, in one transaction")
  func naming() async throws {
    let rig = try StoreRig()
    let id = try await together(rig)
    try await handOver(rig, to: named(ben), for: ben)
    try rig.reopen()
    let open = try #require(try await rig.store.openSessions().first)
    #expect(open.recordID != id && open.child == ben && open.sharers.isEmpty && open.processes == [process])
    #expect(open.startedAt == Self.instant(5_100))
    #expect(try await rig.store.presentChildren() == [named(ben)])
    let records = try await rig.store.usage(device: rig.own, app: nil, from: 0, to: 10_000, limit: 9, before: nil)
    #expect(records.count == 2, "What was used before counts for both.")
    // Nothing ends twice.
    try await handOver(rig, to: nil, for: ben)
    #expect(try await rig.store.openSessions() == [open])
  }

  @Test("Sessions of other accounts and boots stay as they are")
  func others() async throws {
    for (account, boot) in [(UInt32(1_001), "boot"), (Self.account, "earlier")] {
      let rig = try StoreRig()
      let id = try await together(rig, account: account, boot: boot)
      try await handOver(rig, to: named(ben), for: ben)
      #expect(try await rig.store.openSessions().map(\.recordID) == [id])
    }
  }

  @Test("A program that is named with its start after a change of who is there counts from that change on")
  func begun() async throws {
    for (present, account, boot, start) in [
      (named(ben), Self.account, "boot", 5_100), (named(ben), 1_001, "boot", 100),
      (named(ben), Self.account, "earlier", 100), (named(nil), Self.account, "boot", 5_100),
      (named(nil, since: 0, changedAt: 4_000), Self.account, "boot", 4_000),
      (named(ben, since: 50), Self.account, "boot", 100),
    ] as [(PresentChild, UInt32, String, Int64)] {
      let rig = try StoreRig()
      try await handOver(rig, to: present, for: ben)
      try rig.reopen()
      _ = try await together(rig, account: account, boot: boot)
      let session = try #require(try await rig.store.openSessions().first)
      #expect(session.startedAt == Self.instant(start), "\(present)")
      #expect(session.record.sessionStart == 1_000 + start - 100 && session.lastSeenAt == session.startedAt)
    }
  }

  @Test("An end that comes after somebody else was named changes nothing")
  func late() async throws {
    let rig = try StoreRig()
    try await handOver(rig, to: named(ben), for: ben)
    try await handOver(rig, to: named(emma, since: 9_000), for: emma)
    try await handOver(rig, to: named(nil, since: 0), after: named(ben), for: ben)
    #expect(try await rig.store.presentChildren() == [named(emma, since: 9_000)])
    try await handOver(rig, to: named(nil, since: 0), after: named(emma, since: 9_000), for: ben)
    #expect(try await rig.store.presentChildren().map(\.child) == [nil])
  }

  @Test("A program's end that is stored after somebody was named ends the session in which it goes on")
  func endAfterNaming() async throws {
    let rig = try StoreRig()
    let id = try await together(rig)
    try await handOver(rig, to: named(ben), for: ben)
    let end = Self.instant(5_050)
    func finish(in boot: String?) async throws -> SessionEnding? {
      try await rig.store.endSession(id, of: [process], in: boot, at: 7_000, end: end) { session, _ in
        session.ended(at: end, wall: 5_950)
      }
    }
    // An end of the session alone, as after a change of the rules, leaves the next one open.
    guard case .ended(let before, _) = try await finish(in: nil) else { throw StoreError.unexpected("no end") }
    #expect(before.recordID == id)
    #expect(try await rig.store.openSessions().map(\.child) == [ben])
    _ = try await finish(in: "earlier")
    #expect(try await rig.store.openSessions().count == 1)
    guard case .ended(let bens, _) = try await finish(in: "boot") else { throw StoreError.unexpected("no end") }
    #expect(bens.recordID != id && bens.child == ben && bens.activeMilliseconds == 0)
    #expect(bens.sessionEnd >= bens.sessionStart)
    #expect(try await rig.store.openSessions().isEmpty)
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM open_session_process") } == 0)
  }

  @Test("An unknown program's end that is stored after somebody was named empties the session in which it goes on")
  func pauseAfterNaming() async throws {
    let rig = try StoreRig()
    let id = try await together(rig, app: .unknownPrograms)
    try await handOver(rig, to: named(ben), for: ben)
    try await rig.store.pause(id, of: [process], in: "boot", at: Self.instant(5_050), wall: 5_950)
    let open = try #require(try await rig.store.openSessions().first)
    #expect(open.child == ben && open.processes.isEmpty)
    #expect(open.lastSeenAt == open.startedAt && open.sessionEnd >= open.sessionStart)
  }

  @Test("What the programs begin goes by who is there when that is stored")
  func whoIsThere() async throws {
    let rig = try StoreRig()
    _ = try await together(rig)
    try await handOver(rig, to: named(ben), for: ben)
    let seen = Seen()
    for present in [nil, named(emma, since: 9_000)] {
      _ = try await rig.store.handOver(
        Self.account, to: present, in: "boot", at: 7_000, make: { session, _ in session.record },
        next: { _, known in
          seen.note(known?.child?.description ?? "nobody")
          return nil
        })
    }
    #expect(seen.all == [ben.description, emma.description])
  }

  @Test("A PIN counts as wrong until it has proved right, also over a restart of the node")
  func pins() async throws {
    let rig = try StoreRig()
    for attempt in 1...5 {
      #expect(try await rig.store.tryPIN(of: ben, in: "boot", at: Self.instant(Int64(attempt))) == 0)
    }
    #expect(try await rig.store.tryPIN(of: ben, in: "boot", at: Self.instant(1_005)) == 59_000)
    try rig.reopen()
    #expect(try await rig.store.tryPIN(of: ben, in: "boot", at: Self.instant(60_004)) == 1)
    #expect(try await rig.store.tryPIN(of: emma, in: "boot", at: Self.instant(1_005)) == 0, "It is another child's.")
    #expect(try await rig.store.tryPIN(of: ben, in: "boot", at: Self.instant(60_005)) == 0)
    #expect(try await rig.store.tryPIN(of: ben, in: "boot", at: Self.instant(60_006)) == 119_999)
    // A right one is followed by the naming, which forgets them.
    try await handOver(rig, to: named(ben), for: ben)
    #expect(try await rig.store.wrongPINs(of: ben) == nil)
    #expect(try await rig.store.wrongPINs(of: emma)?.count == 1)
  }

  @Test("Who is there ends with the boot, and with the first of the log-in sessions that ends")
  func ends() {
    let present = named(ben)
    #expect(!present.hasEnded(boot: "boot", sessions: ["2", "c1"]))
    #expect(!present.hasEnded(boot: "boot", sessions: ["2", "7", "c1"]))
    // A sibling's spare log-in on a terminal does not keep the child there.
    #expect(present.hasEnded(boot: "boot", sessions: ["c1"]) && present.hasEnded(boot: "boot", sessions: ["2", "7"]))
    #expect(present.hasEnded(boot: "boot", sessions: ["7"]) && present.hasEnded(boot: "boot", sessions: []))
    #expect(present.hasEnded(boot: "next", sessions: ["2"]))
    var without = present
    without.sessions = []
    #expect(!without.hasEnded(boot: "boot", sessions: []))
  }
}
