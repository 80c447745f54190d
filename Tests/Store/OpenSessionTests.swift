import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Sessions that are running.
@Suite struct OpenSessionTests {
  private func open(_ rig: StoreRig) async throws -> OpenUsageSession {
    let id = try #require(RecordID(bytes: rig.random.bytes(16)))
    let app = try #require(AppID("org.gnome.Chess"))
    return try await rig.store.openSession(bootID: "boot") { _, _, _, _ in
      OpenUsageSession(
        recordID: id, appID: app, displayName: "Chess", processID: 7, processStartTime: UInt64.max, bootID: "boot",
        startedAt: BootInstant(milliseconds: 100), lastSeenAt: BootInstant(milliseconds: 100), startedAtWall: 1_000,
        lastSeenAtWall: 1_000, zone: "Europe/Berlin", category: .reward, milliPointsPerMinute: 2_000, evidence: .tracked
      )
    }
  }

  private func record(_ session: OpenUsageSession, _ own: DeviceID) -> UsageRecord {
    UsageRecord(
      recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
      sessionStart: session.startedAtWall, sessionEnd: session.lastSeenAtWall, zone: session.zone,
      activeMilliseconds: session.lastSeenAt - session.startedAt, category: session.category,
      milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0, evidence: session.evidence)
  }

  @Test("A session outlives the node, keeps its last sign of life, and ends in one record")
  func survives() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let session = try await open(rig)
    try await rig.store.heartbeat([session.recordID], now: BootInstant(milliseconds: 5_100), at: 6_000)
    try rig.reopen()
    let found = try #require(try await rig.store.openSessions().first)
    #expect((found.lastSeenAt.milliseconds, found.lastSeenAtWall) == (5_100, 6_000))
    #expect(found.processStartTime == UInt64.max)
    let own = rig.own
    let ended = try #require(
      try await rig.store.endSession(session.recordID, at: 7_000) { session, _, _ in
        UsageRecord(
          recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
          sessionStart: session.startedAtWall, sessionEnd: session.lastSeenAtWall, zone: session.zone,
          activeMilliseconds: session.lastSeenAt - session.startedAt, category: session.category,
          milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0, evidence: session.evidence)
      })
    #expect(ended.record.activeMilliseconds == 5_000)
    #expect(ended.changes.map(\.device) == [parent])
    #expect(try await rig.store.openSessions().isEmpty)
    // Said again, it is the same record and nothing new to send.
    let again = try #require(
      try await rig.store.endSession(session.recordID, at: 8_000) { _, _, _ in
        throw StoreError.unexpected("called twice")
      })
    #expect(again.record == ended.record)
    #expect(again.changes.isEmpty)
    #expect(record(found, rig.own) == ended.record)
  }

  @Test(
    "Numbers of a boot are given once, also over restarts, and each boot has its own; a session that never was ends in nothing"
  )
  func sequence() async throws {
    let rig = try StoreRig()
    let seen = Seen()
    for (boot, restart) in [("one", false), ("one", true), ("one", false), ("two", false)] {
      if restart { try rig.reopen() }
      _ = try? await rig.store.openSession(bootID: boot) { sequence, salt, _, _ in
        seen.note("\(boot) \(sequence) \(salt)")
        guard let id = RecordID(bytes: salt + salt), let app = AppID("a.b") else {
          throw StoreError.unexpected("an ID")
        }
        // One salt a boot: the second session of a boot cannot be kept here, and its number is still never given again.
        return OpenUsageSession(
          recordID: sequence == 1 ? id : RecordID(bytes: salt + Array(repeating: UInt8(sequence), count: 8)) ?? id,
          appID: app,
          displayName: "x", processID: 1, processStartTime: 1, bootID: boot, startedAt: BootInstant(milliseconds: 1),
          lastSeenAt: BootInstant(milliseconds: 1), startedAtWall: 1, lastSeenAtWall: 1, zone: "UTC",
          category: .neutral,
          milliPointsPerMinute: 0, evidence: .tracked)
      }
    }
    #expect(seen.all.count == 4)
    #expect(Set(seen.all).count == 4)
    #expect(try await rig.store.openSessions().count == 4)
    let nothing = try #require(RecordID(bytes: [UInt8](repeating: 0, count: 16)))
    let ended = try await rig.store.endSession(nothing, at: 1) { _, _, _ in throw StoreError.unexpected("there is none")
    }
    #expect(ended == nil)
  }
}
