import GRDB
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyStore

/// Tests of the reports when a full disk has room for a part of the received items.
///
/// Spec: Protocol/05-delivery.md §6.
@Suite struct PartialCommitTests {
  /// Limits the number of pages by which the database can grow, like a full disk.
  private func limit(_ store: Store, to pages: Int?) async throws {
    try await store.writer.writeWithoutTransaction { database in
      let present = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      try database.execute(sql: "PRAGMA max_page_count = \(pages.map { present + $0 } ?? 1_000_000)")
    }
  }

  @Test("Items that fit a full disk are reported with the fault, and the rest is stored when there is space")
  func parts() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    let text = String(repeating: "m", count: 4_000)
    let items = (1...40).map { rig.item($0, .message($0 == 1 ? "short" : text), from: parent) }
    try await limit(rig.store, to: 12)
    let part = try await rig.receive(items, from: parent)
    #expect(part.fault == .diskFull)
    let taken = part.appliedCommands
    #expect((1..<40).contains(taken))
    #expect(try await rig.store.inboxPositions(parent).first?.through == UInt64(taken))
    #expect(part.taken.flatMap(\.items) == Array(items.prefix(taken)))
    // Each of them has its receipt, about which the sender must learn.
    let receipts = part.changes.filter { $0.device == parent && $0.streamClass == .receipt }.map(\.last).max()
    #expect(receipts == UInt64(taken))

    try await limit(rig.store, to: nil)
    let rest = try await rig.receive(items, from: parent)
    #expect(rest.fault == nil && rest.appliedCommands == 40 - taken)
    #expect(try await rig.store.inboxPositions(parent).first?.through == 40)
  }

  @Test("A full disk without any space stores nothing and reports that")
  func nothing() async throws {
    let rig = try StoreRig()
    let parent = try await rig.paired(.parent)
    // The longest text needs a page of its own.
    let text = String(repeating: "m", count: 4_096)
    let items = (1...10).map { rig.item($0, .message(text), from: parent) }
    try await limit(rig.store, to: 0)
    await #expect(throws: StoreError.diskFull) { try await rig.receive(items, from: parent) }
    #expect(try await rig.store.inboxPositions(parent).allSatisfy { $0.through == 0 })
  }
}
