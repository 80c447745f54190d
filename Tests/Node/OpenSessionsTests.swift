import Foundation
import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// The open sessions as their journal shows them.
@Suite struct OpenSessionsTests {
  @Test("It is known in which session the programs of one go on that has ended")
  func latest() async throws {
    let folder = try TemporaryFolder()
    var random = SeededRandom(seed: 5)
    let own = Samples.deviceID(&random)
    let store = try Store(path: folder.file("db.sqlite"), own: own, coding: MessageBodyCoding(), keys: TestKeys())
    defer { store.close() }
    let ids = try (0..<4).map { _ in try #require(RecordID(bytes: random.bytes(16))) }
    let app = try #require(AppID("kart"))
    let start = BootInstant(milliseconds: 100)
    let process = ProcessIdentity(processID: 7, startTime: 5)
    let session = OpenUsageSession(
      UsageRecord(
        recordID: ids[0], device: own, appID: app, displayName: "Kart", sessionStart: 1_000, sessionEnd: 1_000,
        zone: "Europe/Berlin", activeMilliseconds: 0, category: .neutral, milliPointsPerMinute: 0,
        earnedMilliPoints: 0, evidence: .tracked, account: 1_000),
      processes: [process], bootID: "boot", startedAt: start, lastSeenAt: start)
    _ = try await store.open(session, of: process, asOf: start)
    let sessions = OpenSessions(bootID: "boot")
    try await sessions.read(from: store)
    #expect(sessions.latest(of: ids[0]) == ids[0])
    for id in ids[1...2] {
      _ = try await store.handOver(
        1_000, to: nil, in: "boot", at: 1, make: { session, _ in session.ended(at: start, wall: 1_000) },
        next: { session, _ in
          var next = session
          next.recordID = id
          return next
        })
      try await sessions.read(from: store)
    }
    #expect(ids.map { sessions.latest(of: $0) } == [ids[2], ids[2], ids[2], ids[3]])
    #expect(sessions[sessions.latest(of: ids[0])]?.processes == [process])
    _ = try await store.endSession(ids[2], of: [process], at: 1) { session, _ in session.ended(at: start, wall: 1_000) }
    try await sessions.read(from: store)
    #expect(sessions.latest(of: ids[0]) == ids[2] && sessions.all.isEmpty)
  }

  @Test("A session of unknown programs is quiet while none of them runs, or their clock stands still")
  func quiet() throws {
    var random = SeededRandom(seed: 6)
    let id = try #require(RecordID(bytes: random.bytes(16)))
    func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }
    var session = OpenUsageSession(
      UsageRecord(
        recordID: id, device: Samples.deviceID(&random), appID: .unknownPrograms, displayName: "Unknown programs",
        sessionStart: 1_000, sessionEnd: 1_000, zone: "Europe/Berlin", activeMilliseconds: 0, category: .neutral,
        milliPointsPerMinute: 0, earnedMilliPoints: 0, evidence: .observed, account: 1_000),
      processes: [], bootID: "boot", startedAt: at(100), lastSeenAt: at(100))
    let sessions = OpenSessions(bootID: "boot")
    #expect(sessions.isQuiet(session, at: at(200)), "It is recorded by its programs, of which none runs.")
    session.processes = [ProcessIdentity(processID: 7, startTime: 5)]
    #expect(!sessions.isQuiet(session, at: at(60_000)))
    session.processes = []
    session.activity = SessionActivity(run: 1, clock: 0)
    #expect(sessions.isQuiet(session, at: at(200)), "It is recorded by their clock, and none runs.")
    let use = ProgramUse(
      account: 1_000, app: nil, isWeak: true, process: ProcessIdentity(processID: 7, startTime: 5))
    sessions.begins(use)
    #expect(!sessions.isQuiet(session, at: at(200)) && sessions.isQuiet(session, at: at(10_101)))
    sessions.ends(use)
    #expect(sessions.isQuiet(session, at: at(200)))
    session.appID = .screenTime
    #expect(!sessions.isQuiet(session, at: at(200)) && sessions.isQuiet(session, at: at(10_101)))
  }
}
