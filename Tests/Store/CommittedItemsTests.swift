import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyStore

/// Tests of the items that a transaction passes on to links without their reading them back.
struct CommittedItemsTests {
  @Test("A new command comes with its item, which equals the one in the database")
  func command() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    for number in 1...3 as ClosedRange<UInt64> {
      let (command, change) = try await rig.command(.message("hello"), to: child)
      let items = try #require(change.items).all
      #expect(items.map(\.sequence) == [number] && items.first?.itemID == command.commandID.bytes)
      let stored = try await rig.store.load(child, .command, epoch: change.epoch, from: number, items: 9, bytes: 9_000)
      #expect(items == stored)
    }
  }

  @Test("Received commands come with their receipts")
  func receipts() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let received = try await rig.receive(
      (1...3).map { rig.item($0, .message("hello"), from: parent) }, from: parent)
    let changes = received.changes.filter { $0.streamClass == .receipt }.newest
    let change = try #require(changes.first)
    #expect(changes.count == 1 && change.last == 3)
    let stored = try await rig.store.load(parent, .receipt, epoch: change.epoch, from: 1, items: 9, bytes: 9_000)
    #expect(change.items?.all == stored && stored.count == 3)
  }

  @Test("Commands of one transaction share their items, unless another job of it may have deleted some")
  func transaction() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired()
    let store = rig.store
    for isFollowed in [false, true] {
      let ids = (0..<3).map { _ in Samples.commandID(&rig.random) }
      let open = await HeldCommit(store)
      let changes = try await withThrowingTaskGroup(of: OutboxChange.self) { group in
        for id in ids {
          let waiting = store.commits.waitingJobs
          group.addTask {
            try await store.issue(id, to: child, at: 10) { _, _ in .message("hello") }.change
          }
          while store.commits.waitingJobs == waiting { await Task.yield() }
        }
        if isFollowed {
          let waiting = store.commits.waitingJobs
          group.addTask {
            _ = try await store.cancel(ids[0], at: 11)
            return OutboxChange(device: child, streamClass: .control, epoch: 0, last: 0)
          }
          while store.commits.waitingJobs == waiting { await Task.yield() }
        }
        try await open.end()
        return try await group.reduce(into: [OutboxChange]()) { $0.append($1) }
      }
      let items = changes.compactMap(\.items)
      #expect(items.count == 3 && Set(items.map { ObjectIdentifier($0) }).count == 1)
      #expect(items.first?.all.count == (isFollowed ? 0 : 3))
    }
  }

  @Test("No more items are kept than can be sent at once, and the first ones at any size")
  func bounds() {
    let many = CommittedItems()
    for number in 1...2_000 as ClosedRange<UInt64> { many.add(item(number, bytes: 10)) }
    #expect(many.all.map(\.sequence) == Array(1...512))
    let long = CommittedItems()
    for number in 1...9 as ClosedRange<UInt64> { long.add(item(number, bytes: 40_000)) }
    // A short one after a long one that had no room would leave a gap.
    long.add(item(10, bytes: 1))
    #expect(long.all.map(\.sequence) == Array(1...6))
    let longest = CommittedItems()
    longest.add(item(1, bytes: 300_000))
    #expect(longest.all.count == 1)
    longest.discard()
    longest.add(item(2, bytes: 1))
    #expect(longest.all.isEmpty)
  }

  private func item(_ sequence: UInt64, bytes: Int) -> DeliveryItem {
    DeliveryItem(
      sequence: sequence, kind: .command, itemID: [UInt8](repeating: 1, count: 16),
      body: [UInt8](repeating: 2, count: bytes))
  }
}
