import LatchkeyModel
import Testing

@testable import LatchkeyStore

/// Tests of the places of items in their table.
@Suite struct OutboxPlaceTests {
  @Test("Items are in the order of their peers, classes and numbers, and those of one stream are together")
  func order() {
    let places = [1, 2, 1_048_575].flatMap { (peer: Int64) in
      StreamClass.allCases.sorted().flatMap { streamClass in
        [1, 2, 1 << 40 - 1].map { OutboxPlace.of(peer, streamClass, $0) }
      }
    }
    #expect(places == places.sorted() && Set(places).count == places.count)
    #expect(places.allSatisfy { $0 > 0 })
  }

  @Test("No number that a peer names leads to another stream")
  func bounds() {
    for number in [1 << 40, 1 << 63, UInt64.max] {
      let place = OutboxPlace.of(3, .command, number)
      #expect(place == OutboxPlace.of(3, .command, 1 << 40 - 1))
      #expect(place < OutboxPlace.of(3, .receipt, 0))
    }
  }

  @Test("The columns of a row and the conditions in SQL say the same as the place")
  func table() async throws {
    let rig = try StoreRig()
    let child = try await rig.paired(.child)
    let other = try await rig.paired(.child)
    for device in [child, other, child] { try await rig.command(to: device) }
    let peer = try await rig.store.read { try $0.address(of: child).number }
    let found = try await rig.store.read { database in
      try database.all(
        "SELECT place, seq, class, peer FROM outbox_item WHERE \(OutboxPlace.stream("?1", .command)) ORDER BY place",
        [peer]
      ) { [$0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)] }
    }
    let commandClass = Int64(StreamClass.command.rawValue)
    #expect(
      found == [1, 2].map { [OutboxPlace.of(peer, .command, $0), Int64($0), commandClass, peer] })
    let all = try await rig.store.read { database in
      try database.integer("SELECT count(*) FROM outbox_item WHERE \(OutboxPlace.peer("?1"))", [peer])
    }
    let every = try await rig.store.read { try $0.integer("SELECT count(*) FROM outbox_item WHERE peer = ?", [peer]) }
    #expect(all == every && all == 2)
    // No sum overflows for the last peer that has places.
    let last = OutboxPlace.of(1_048_575, .usage, 7)
    for condition in [OutboxPlace.peer("?1"), OutboxPlace.stream("?1", .usage, from: "7")] {
      let found = try await rig.store.read { database in
        try database.integer("SELECT count(*) FROM (SELECT \(last) AS place) WHERE \(condition)", [1_048_575 as Int64])
      }
      #expect(found == 1, "\(condition)")
    }
  }
}
