import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of the use from before a parent was paired.
///
/// Spec: Protocol/05-delivery.md §9.
@Suite struct EarlierUseTests {
  private func records(_ rig: StoreRig, _ count: Int) async throws -> [UsageRecord] {
    var records: [UsageRecord] = []
    for number in 0..<Int64(count) {
      var record = try rig.session(start: number * 60_000, end: number * 60_000 + 30_000)
      // A total covers one hour, zone, category, rate and kind of evidence.
      (record.zone, record.category, record.milliPointsPerMinute, record.evidence) = ("UTC", .learning, 500, .tracked)
      _ = try await rig.store.record([record], at: 5)
      records.append(record)
    }
    return records
  }

  private func waiting(_ rig: StoreRig, _ parent: DeviceID) async throws -> [DeliveryItem] {
    guard let position = try await rig.store.outboxPositions(parent)[.usage] else { return [] }
    return try await rig.store.load(
      parent, .usage, epoch: position.epoch, from: 1, items: 10_000, bytes: 1 << 30, at: 9
    ).filter { $0.kind == .usageRecord }
  }

  @Test("A parent that is paired for the first time gets what was used before, and then what is new")
  func secondParent() async throws {
    let rig = try StoreRig()
    let first = try await rig.paired(.parent)
    let earlier = try await records(rig, 5)
    let second = try await rig.paired(.parent)
    for parent in [first, second] {
      #expect(try await waiting(rig, parent).map(\.itemID) == earlier.map(\.recordID.bytes))
    }
    let later = try rig.session(start: 900_000, end: 930_000)
    _ = try await rig.store.record([later], at: 6)
    #expect(try await waiting(rig, second).map(\.itemID) == (earlier + [later]).map(\.recordID.bytes))
    // Pairing again with a parent that was not removed adds nothing.
    try await rig.pair(second, .parent)
    #expect(try await waiting(rig, second).count == 6)
    // A child's machine gets nothing.
    let child = try await rig.paired(.child)
    #expect(try await waiting(rig, child).isEmpty)
  }

  @Test("What the queue has no room for is merged into totals, of which nothing is lost")
  func bounded() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 16))
    let earlier = try await records(rig, 50)
    let parent = try await rig.paired(.parent)
    let items = try await waiting(rig, parent)
    #expect(items.count <= 16)
    let told = try items.map { try rig.coding.usageRecord($0.body) }
    #expect(told.map(\.sessions).reduce(0, +) == Int64(earlier.count))
    #expect(told.map(\.activeMilliseconds).reduce(0, +) == earlier.map(\.activeMilliseconds).reduce(0, +))
  }
}
