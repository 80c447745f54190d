import LatchkeyModel
import Testing

/// Tests of a session's time of activity.
@Suite struct SessionActivityTests {
  private func reading(_ run: UInt64, _ milliseconds: Int64) -> SessionActivity.Reading {
    SessionActivity.Reading(run: run, milliseconds: milliseconds)
  }

  @Test("What passes on the agent's clock is added once, whatever is told again, and across runs of the agent")
  func added() {
    var activity = SessionActivity(run: 1, clock: 10_000)
    activity.add(reading(1, 15_000))
    activity.add(reading(1, 15_000))
    activity.add(reading(1, 12_000))
    #expect(activity.milliseconds == 5_000)
    activity.add(reading(1, 16_000))
    #expect(activity.milliseconds == 6_000)
    activity.add(reading(2, 400))
    activity.add(reading(2, 1_400))
    #expect(activity.milliseconds == 7_000)
  }

  @Test("Learning counts while it is active, what else runs all the time, and no more than all the time")
  func counted() throws {
    let start = BootInstant(milliseconds: 1_000)
    let record = UsageRecord(
      recordID: try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16))),
      device: try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 20))), appID: try #require(AppID("math")),
      displayName: "Math", sessionStart: 0, sessionEnd: 0, zone: "UTC", activeMilliseconds: 0, category: .learning,
      milliPointsPerMinute: 1, earnedMilliPoints: 0, evidence: .observed)
    var session = OpenUsageSession(record, processes: [], bootID: "boot", startedAt: start, lastSeenAt: start)
    let end = BootInstant(milliseconds: 61_000)
    #expect(session.activeMilliseconds(until: end) == 60_000, "Nobody saw whether it was active.")
    session.activity = SessionActivity(run: 1, clock: 0, milliseconds: 20_000)
    #expect(session.activeMilliseconds(until: end) == 20_000)
    #expect(session.activeMilliseconds(until: BootInstant(milliseconds: 2_000)) == 1_000)
    session.category = .reward
    #expect(session.activeMilliseconds(until: end) == 60_000)
  }
}
