import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of sessions that overlap a range.
@Suite struct UsageRangeTests {
  @Test("Sessions that cross either end of a range, or both, are found; adjacent ones are not")
  func edges() async throws {
    let rig = try StoreRig()
    let sessions = try [
      rig.session(start: 0, end: 50), rig.session(start: 50, end: 100), rig.session(start: 50, end: 101),
      rig.session(start: 120, end: 130), rig.session(start: 199, end: 300), rig.session(start: 200, end: 300),
      rig.session(start: 10, end: 900),
    ]
    _ = try await rig.store.record(sessions, at: 1)
    let found = try await rig.store.usage(device: rig.own, app: nil, from: 100, to: 200, limit: 100, before: nil).map(
      \.record)
    #expect(found == [sessions[4], sessions[3], sessions[2], sessions[6]])
  }

  @Test("A session without length is found only in the range in which it begins")
  func noLength() async throws {
    let rig = try StoreRig()
    let session = try rig.session(start: 100, end: 100)
    _ = try await rig.store.record([session], at: 1)
    for (from, to, isFound) in [(0, 100, false), (100, 200, true), (50, 150, true), (101, 200, false)]
      as [(Int64, Int64, Bool)]
    {
      let found = try await rig.store.usage(device: nil, app: nil, from: from, to: to, limit: 9, before: nil).map(
        \.record)
      #expect(found.isEmpty != isFound, "\(from) to \(to)")
    }
  }

  @Test("Any range of any sessions gives the same result as a check of each session, page by page")
  func againstScan() async throws {
    var random = SeededRandom()
    let note = random.note
    let rig = try StoreRig(seed: random.next())
    let devices = [rig.own, Samples.deviceID(&random), Samples.deviceID(&random)]
    let apps = ["a.b", "c.d"]
    var all: [UsageRecord] = []
    for _ in 0..<400 {
      let start = Int64(random.below(10_000))
      let length = Int64(random.once(in: 10) ? random.below(5_000) : random.below(100))
      all.append(try rig.session(random.pick(devices), start: start, end: start + length, app: random.pick(apps)))
    }
    // Records of other devices arrive as items; for this test they only need to be stored.
    _ = try await rig.store.record(all, at: 1)
    for _ in 0..<60 {
      let from = Int64(random.below(11_000)) - 500
      let to = from + 1 + Int64(random.below(3_000))
      let device = random.once(in: 2) ? random.pick(devices) : nil
      let app = random.once(in: 2) ? AppID(random.pick(apps)) : nil
      let expected = all.filter { record in
        record.sessionStart < to && (record.sessionEnd > from || record.sessionStart == from)
          && (device == nil || record.device == device) && (app == nil || record.appID == app)
      }.sorted { ($0.sessionStart, $0.recordID.description) > ($1.sessionStart, $1.recordID.description) }
      var found: [UsageRecord] = []
      let page = 1 + random.below(40)
      while true {
        let before = found.last.map { (start: $0.sessionStart, id: $0.recordID) }
        let more = try await rig.store.usage(device: device, app: app, from: from, to: to, limit: page, before: before)
          .map(\.record)
        found += more
        if more.count < page { break }
      }
      #expect(found == expected, "\(from)..<\(to), \(note)")
    }
  }

  @Test("A database of 50,000 sessions returns the newest of a range")
  func many() async throws {
    let rig = try StoreRig()
    var sessions: [UsageRecord] = []
    for number in 0..<50_000 {
      sessions.append(try rig.session(start: Int64(number) * 60_000, end: Int64(number) * 60_000 + 30_000))
    }
    _ = try await rig.store.record(sessions, at: 1)
    let found = try await rig.store.usage(
      device: nil, app: nil, from: 0, to: 40_000 * 60_000, limit: 10, before: nil
    ).map(\.record)
    #expect(found == sessions[39_990..<40_000].reversed())
    #expect(try await rig.store.usageCount(device: rig.own) == 50_000)
  }

  @Test("A session at the limits of all numbers is refused, and never traps")
  func extremes() throws {
    let rig = try StoreRig()
    for (start, end) in [
      (Int64.min, Int64.max), (Int64.max, Int64.min), (0, Int64.max), (Int64.min, 0), (-1, 1),
      (Int64.max - 1, Int64.max),
    ] {
      var record = try rig.session(start: 0, end: 0)
      (record.sessionStart, record.sessionEnd) = (start, end)
      #expect(record.fault != nil, "\(start) to \(end)")
    }
    for active in [Int64.min, -1, Int64.max] {
      var record = try rig.session(start: 0, end: 1)
      record.activeMilliseconds = active
      #expect(record.fault != nil, "\(active)")
    }
    #expect(try rig.session(start: 0, end: 1).fault == nil)
  }

  @Test("A record is stored and queued for every parent once, however often it is reported")
  func once() async throws {
    let rig = try StoreRig()
    let parents = [try await rig.paired(.parent), try await rig.paired(.parent)]
    try await rig.paired(.child)
    let record = try rig.session(start: 1, end: 2)
    #expect(try await Set(rig.store.record([record, record], at: 1).map(\.device)) == Set(parents))
    #expect(try await rig.store.record([record], at: 2).isEmpty)
    for parent in parents { #expect(try await rig.store.outboxPositions(parent)[.usage]?.last == 1) }
  }
}
