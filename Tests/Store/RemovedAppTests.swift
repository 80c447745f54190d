import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import LatchkeyWire
import Testing

/// Tests of removed rules on a child's machine.
@Suite struct RemovedAppTests {
  private let rig: StoreRig
  private let parent: DeviceID
  private let app = Fixed.app("org.example.One")

  init() async throws {
    rig = try StoreRig()
    parent = try await rig.paired(.parent)
  }

  private func timestamp(_ wall: Int64) -> HybridTimestamp {
    HybridTimestamp(wall: wall, counter: 0, author: parent)
  }

  private func set(_ wall: Int64) -> CommandPayload {
    var rule = Samples.app(&rig.random)
    rule.appID = app
    rule.modified = timestamp(wall)
    return .setApp(rule)
  }

  private func outcome(_ id: [UInt8]) throws -> CommandReceipt.Outcome {
    let body = try rig.look {
      try Data.fetchOne($0, sql: "SELECT receipt FROM applied_command WHERE command_id = ?", arguments: [Data(id)])
    }
    return try MessageBodyCoding().receipt([UInt8](#require(body))).outcome
  }

  @Test(
    "Of a rule and a removal, the newer wins in whatever order they arrive")
  func theNewestHolds() async throws {
    let removal = rig.item(1, .removeApp(app, modified: timestamp(20)), from: parent)
    let late = rig.item(2, set(10), from: parent)
    let newer = rig.item(3, set(30), from: parent)
    let lateRemoval = rig.item(4, .removeApp(app, modified: timestamp(25)), from: parent)
    _ = try await rig.receive([removal, late], from: parent)
    #expect(try outcome(removal.itemID) == .executed(.appRemoved(app, modified: timestamp(20))))
    #expect(try outcome(late.itemID) == .superseded(.appRemoved(app, modified: timestamp(20))))
    #expect(try await rig.store.app(app, device: rig.own) == nil)
    _ = try await rig.receive([newer, lateRemoval], from: parent)
    #expect(try await rig.store.app(app, device: rig.own)?.modified == timestamp(30))
    guard case .superseded(let state?) = try outcome(lateRemoval.itemID),
      let present = state.as(AppInForce.self)?.configuration
    else {
      Issue.record("the older removal was executed")
      return
    }
    #expect(present.modified == timestamp(30))
    // The newest removal is what is remembered.
    let last = rig.item(5, .removeApp(app, modified: timestamp(40)), from: parent)
    let old = rig.item(6, .removeApp(app, modified: timestamp(35)), from: parent)
    _ = try await rig.receive([last, old], from: parent)
    #expect(try outcome(old.itemID) == .superseded(.appRemoved(app, modified: timestamp(40))))
  }

  @Test("The newest 4,096 removals are remembered")
  func bounded() async throws {
    let items = (1...4_100).map { number in
      rig.item(
        UInt64(number), .removeApp(Fixed.app("a.b\(number)"), modified: timestamp(Int64(number))), from: parent)
    }
    for start in stride(from: 0, to: items.count, by: 500) {
      _ = try await rig.receive(Array(items[start..<min(start + 500, items.count)]), from: parent)
    }
    let (count, least) = try rig.look {
      (
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM removed_app"),
        try Int.fetchOne($0, sql: "SELECT MIN(modified_wall) FROM removed_app")
      )
    }
    #expect(count == 4_096)
    #expect(least == 5)
  }
}
