import LatchkeyModel
import Testing

/// Tests of records that cannot be true.
@Suite struct UsageDoubtTests {
  /// Unix milliseconds of 2026-11-21 13:00 UTC, and of 2026-01-01 00:00 UTC.
  private let now: Int64 = 1_795_266_000_000
  private let earliest: Int64 = 1_767_225_600_000
  private let day: Int64 = 86_400_000

  private func record(
    from start: Int64, to end: Int64, active: Int64, rate: Int64 = 60_000, earned: Int64 = 0,
    category: AppCategory = .learning, sessions: Int64 = 1
  ) throws -> UsageRecord {
    UsageRecord(
      recordID: try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16))),
      device: try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 20))), appID: try #require(AppID("a.b")),
      displayName: "a", sessionStart: start, sessionEnd: end, zone: "UTC", activeMilliseconds: active,
      category: category, milliPointsPerMinute: rate, earnedMilliPoints: earned, evidence: .tracked, sessions: sessions)
  }

  @Test func aRecordThatCanBeTrueHasNone() throws {
    #expect(try record(from: now - 60_000, to: now, active: 60_000, earned: 60_000).doubt(takenUpAt: now) == nil)
    // Asleep, or behind by a slow clock, or by a zone.
    #expect(try record(from: now - day, to: now, active: 0).doubt(takenUpAt: now) == nil)
    #expect(try record(from: now - 60_000, to: now, active: 120_000).doubt(takenUpAt: now) == nil)
    #expect(try record(from: now, to: now + day, active: 1).doubt(takenUpAt: now) == nil)
    #expect(try record(from: earliest, to: earliest, active: 0).doubt(takenUpAt: now) == nil)
  }

  @Test func aSessionOfAnotherTimeIsDoubtful() throws {
    #expect(try record(from: now, to: now + day + 1, active: 1).doubt(takenUpAt: now) == .future)
    #expect(try record(from: now + 366 * day, to: now + 366 * day, active: 1).doubt(takenUpAt: now) == .future)
    #expect(try record(from: 0, to: 5, active: 5).doubt(takenUpAt: now) == .past)
    #expect(try record(from: earliest - 1, to: now, active: 5).doubt(takenUpAt: now) == .past)
    // A machine whose own clock stands in 1970 finds everything ahead of it, and keeps it all the
    // same.
    #expect(try record(from: now, to: now, active: 0).doubt(takenUpAt: 0) == .future)
  }

  @Test func moreUseThanTimeIsDoubtful() throws {
    #expect(try record(from: now - 60_000, to: now, active: 120_001).doubt(takenUpAt: now) == .overlong)
    #expect(try record(from: now, to: now, active: (1 << 48) - 1).doubt(takenUpAt: now) == .overlong)
  }

  @Test func morePointsThanUseIsDoubtful() throws {
    // A minute at 60 points, and what a carry may bring: less than a milli-point for each session
    // and day.
    #expect(try record(from: now - 60_000, to: now, active: 60_000, earned: 60_003).doubt(takenUpAt: now) == nil)
    #expect(try record(from: now - 60_000, to: now, active: 60_000, earned: 60_004).doubt(takenUpAt: now) == .overpaid)
    let total = try record(from: now - 60_000, to: now, active: 60_000, earned: 60_010, sessions: 9)
    #expect(total.doubt(takenUpAt: now) == nil)
    for category in [AppCategory.reward, .neutral] {
      let record = try record(from: now - 60_000, to: now, active: 60_000, earned: 1, category: category)
      #expect(record.doubt(takenUpAt: now) == .overpaid)
    }
    let most = try record(
      from: now - 60_000, to: now, active: 60_000, rate: 1_000_000_000, earned: .max, sessions: 1 << 31)
    #expect(most.doubt(takenUpAt: now) == .overpaid)
  }

  @Test func noValidRecordMakesItTrap() throws {
    let limit = HybridTimestamp.wallLimit - 1
    for (start, end) in [(0, 0), (0, limit), (limit, limit)] {
      for wall in [Int64.min, 0, .max] {
        let record = try record(
          from: start, to: end, active: limit, rate: 1_000_000_000, earned: .max, sessions: UsageRecord.mostSessions)
        #expect(record.fault == nil && record.doubt(takenUpAt: wall) != nil)
      }
    }
  }
}
