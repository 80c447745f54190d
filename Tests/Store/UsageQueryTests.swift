import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of sessions within a range.
@Suite struct UsageQueryTests {
  private let child = Fixed.device(2)

  @Test func sessionsThatCrossAnEdgeAreFound() async throws {
    let test = try TestStore()
    let records = [
      Fixed.usage(1, device: child, from: 0, to: 100), Fixed.usage(2, device: child, from: 50, to: 5_000),
      Fixed.usage(3, device: child, from: 900, to: 1_100), Fixed.usage(4, device: child, from: 2_000, to: 2_100),
    ]
    _ = try await test.store.record(records, at: 1)
    let found = try await test.store.usage(device: child, app: nil, from: 1_000, to: 2_000, limit: 10, before: nil).map(
      \.record)
    #expect(found.map(\.recordID) == [records[2].recordID, records[1].recordID])
  }

  @Test func theSameAsALookAtEverything() async throws {
    var random = SeededRandom()
    let test = try TestStore()
    let devices = [child, Fixed.device(3)]
    var all: [UsageRecord] = []
    for number in 0..<400 {
      let start = Int64(random.below(100_000))
      all.append(
        Fixed.usage(
          number, device: random.pick(devices), from: start,
          to: start + Int64(random.below(random.once(in: 20) ? 50_000 : 500)),
          app: random.pick(["a", "b"])))
    }
    _ = try await test.store.record(all, at: 1)
    for _ in 0..<60 {
      let from = Int64(random.below(110_000))
      let to = from + 1 + Int64(random.below(30_000))
      let device = random.once(in: 2) ? random.pick(devices) : nil
      let app = random.once(in: 2) ? Fixed.app("a") : nil
      let expected = all.filter {
        (device == nil || $0.device == device) && (app == nil || $0.appID == app) && $0.sessionStart < to
          && $0.sessionEnd > from
      }
      .sorted { ($0.sessionStart, $0.recordID.description) > ($1.sessionStart, $1.recordID.description) }
      // In pages, as the local API reads them.
      var found: [UsageRecord] = []
      var before: (start: Int64, id: RecordID)?
      repeat {
        let page = try await test.store.usage(device: device, app: app, from: from, to: to, limit: 7, before: before)
          .map(\.record)
        found += page
        before = page.count == 7 ? page.last.map { ($0.sessionStart, $0.recordID) } : nil
      } while before != nil
      #expect(found == expected, "\(random)")
    }
  }

  @Test func aRecordAtAnImpossibleTimeIsFaulty() {
    var record = Fixed.usage(1, device: child)
    record.sessionStart = .min
    record.sessionEnd = .max
    #expect(record.fault != nil)
  }
}
