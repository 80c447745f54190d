import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct OutboxMachineTests {
  var random = SeededRandom(seed: 1)

  func hello(
    items: UInt32 = 1_000, bytes: UInt32 = 1 << 20, held: [(StreamClass, UInt64, UInt64)] = []
  ) -> Hello {
    Hello(
      runID: [UInt8](repeating: 1, count: 16), name: "n", role: .child, windowItems: items, windowBytes: bytes,
      outgoing: [],
      incoming: held.map { StreamPosition(streamClass: $0.0, epoch: $0.1, through: $0.2) },
      keyID: [UInt8](repeating: 9, count: 8))
  }

  func outbox(_ streamClass: StreamClass = .command, stored: UInt64 = 0, last: UInt64) -> OutboxMachine {
    OutboxMachine([streamClass: OutboxPosition(epoch: 7, storedThrough: stored, last: last)])
  }

  mutating func items(_ load: OutboxMachine.Load, count: Int, bytes: Int = 20) -> [DeliveryItem] {
    (0..<count).map { Samples.item(load.from + UInt64($0), bytes: bytes, &random) }
  }

  @Test func nothingIsLoadedWithoutASession() {
    var outbox = outbox(last: 5)
    #expect(outbox.waiting == 5)
    #expect(outbox.nextLoad() == nil)
    #expect(outbox.sessionOpened(hello()) == [])
    #expect(outbox.nextLoad()?.from == 1)
    outbox.sessionClosed()
    #expect(outbox.nextLoad() == nil)
  }

  @Test mutating func oneLoadAtATimeAndOnFromWhereItEnded() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    let load = try unwrap(outbox.nextLoad())
    #expect(load.streamClass == .command && load.epoch == 7 && load.from == 1)
    #expect(outbox.nextLoad() == nil)
    let run = try unwrap(outbox.loaded(load, items(load, count: 3)))
    #expect(run.items.map(\.sequence) == [1, 2, 3] && run.epoch == 7 && run.streamClass == .command)
    #expect(outbox.inFlight(.command) == 3)
    #expect(outbox.nextLoad()?.from == 4)
  }

  @Test func aLoadThatGivesNothingIsNoRun() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    let load = try unwrap(outbox.nextLoad())
    #expect(outbox.loaded(load, []) == nil)
    #expect(outbox.inFlight(.command) == 0)
    #expect(outbox.nextLoad()?.from == 1)
  }

  @Test mutating func skipsCountAsOneAndLeadOn() throws {
    var outbox = outbox(last: 100)
    _ = outbox.sessionOpened(hello())
    let load = try unwrap(outbox.nextLoad())
    #expect(outbox.loaded(load, [Samples.item(1, &random), DeliveryItem(skipping: 2...90)]) != nil)
    #expect(outbox.inFlight(.command) == 2)
    #expect(outbox.nextLoad()?.from == 91)
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 90)) != nil)
    #expect(outbox.inFlight(.command) == 0 && outbox.waiting == 10)
  }

  @Test mutating func theWindowBoundsItems() throws {
    var outbox = outbox(last: 50)
    _ = outbox.sessionOpened(hello(items: 10))
    let first = try unwrap(outbox.nextLoad())
    #expect(first.items == 10)
    _ = outbox.loaded(first, items(first, count: 6))
    let second = try unwrap(outbox.nextLoad())
    #expect(second.items == 4 && second.from == 7)
    _ = outbox.loaded(second, items(second, count: 4))
    #expect(outbox.nextLoad() == nil)
    // A report about a part of a run frees the items up to there.
    #expect(
      try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 6))
        == .forget(StreamPosition(streamClass: .command, epoch: 7, through: 6)))
    #expect(outbox.inFlight(.command) == 4)
    #expect(outbox.nextLoad()?.items == 6)
  }

  @Test mutating func theWindowBoundsBytes() throws {
    var outbox = outbox(last: 50)
    _ = outbox.sessionOpened(hello(bytes: 100))
    let load = try unwrap(outbox.nextLoad())
    #expect(load.bytes == 100)
    _ = outbox.loaded(load, items(load, count: 1, bytes: 500))
    #expect(outbox.nextLoad() == nil)
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 1))
    #expect(outbox.nextLoad()?.from == 2)
  }

  @Test func aPeerWithoutRoomGetsNothing() {
    for (items, bytes) in [(UInt32(0), UInt32(100)), (100, 0)] {
      var outbox = outbox(last: 5)
      _ = outbox.sessionOpened(hello(items: items, bytes: bytes))
      #expect(outbox.nextLoad() == nil)
    }
  }

  @Test mutating func urgentClassesGoFirstAndNoneStarves() throws {
    var positions: [StreamClass: OutboxPosition] = [:]
    for streamClass in StreamClass.allCases {
      positions[streamClass] = OutboxPosition(epoch: 7, storedThrough: 0, last: 1_000)
    }
    var outbox = OutboxMachine(positions)
    _ = outbox.sessionOpened(hello())
    var classes: [StreamClass] = []
    for _ in 0..<16 {
      let load = try unwrap(outbox.nextLoad())
      classes.append(load.streamClass)
      _ = outbox.loaded(load, items(load, count: 1))
    }
    let once = Array(repeating: StreamClass.control, count: 7) + [.usage]
    #expect(classes == once + once)
  }

  @Test mutating func aFullWindowOfOneClassDoesNotStopAnother() throws {
    var outbox = OutboxMachine([
      .command: OutboxPosition(epoch: 7, storedThrough: 0, last: 10),
      .usage: OutboxPosition(epoch: 8, storedThrough: 0, last: 10),
    ])
    _ = outbox.sessionOpened(hello(items: 2))
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 2))
    #expect(outbox.nextLoad()?.streamClass == .usage)
  }

  @Test mutating func whatWasNotStoredIsSentAgain() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 5))
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 2))
    outbox.sessionClosed()
    #expect(outbox.inFlight(.command) == 0 && outbox.waiting == 3)
    #expect(outbox.sessionOpened(hello(held: [(.command, 7, 2)])) == [])
    #expect(outbox.nextLoad()?.from == 3)
  }

  @Test mutating func aLoadOfAnEarlierSessionComesTooLate() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    let old = try unwrap(outbox.nextLoad())
    let loaded = items(old, count: 5)
    outbox.sessionClosed()
    #expect(outbox.loaded(old, loaded) == nil)
    _ = outbox.sessionOpened(hello(items: 2))
    let new = try unwrap(outbox.nextLoad())
    // The answer would exceed the window of this session, and end its load.
    #expect(outbox.loaded(old, loaded) == nil)
    #expect(outbox.nextLoad() == nil)
    #expect(outbox.loaded(new, items(new, count: 2)) != nil)
  }

  @Test mutating func wordsOnWhatIsKnownAreNoNews() throws {
    var outbox = outbox(stored: 2, last: 5)
    _ = outbox.sessionOpened(hello(held: [(.command, 7, 2)]))
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 3))
    for through: UInt64 in [0, 1, 2] {
      #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: through)) == nil)
    }
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 8, through: 9)) == nil)
    #expect(try outbox.received(stored: StreamPosition(streamClass: .usage, epoch: 7, through: 9)) == nil)
    #expect(outbox.inFlight(.command) == 3)
  }

  @Test mutating func wordsOnWhatDoesNotExistAreTheirFault() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    #expect(throws: SessionFault.self) {
      try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 6))
    }
  }

  /// A commit of the session before ends after this one began.
  ///
  /// Its items are stored, although they were not sent in this session.
  @Test mutating func aCommitOfTheSessionBeforeMayBeReportedInThisOne() throws {
    var outbox = outbox(last: 5)
    _ = outbox.sessionOpened(hello())
    let first = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(first, items(first, count: 3))
    outbox.sessionClosed()
    _ = outbox.sessionOpened(hello())
    let second = try unwrap(outbox.nextLoad())
    let again = items(second, count: 3)
    let stored = StreamPosition(streamClass: .command, epoch: 7, through: 3)
    #expect(try outbox.received(stored: stored) == .forget(stored))
    #expect(outbox.waiting == 2)
    // The load in progress is no longer of use.
    #expect(outbox.loaded(second, again) == nil)
    #expect(outbox.nextLoad()?.from == 4)
  }

  struct Claim: Sendable {
    var held: [(StreamClass, UInt64, UInt64)]
    var stored: UInt64
    var effects: [OutboxMachine.Effect]
    var from: UInt64?
  }

  /// Numbers 1 to 10 of epoch 7 were assigned.
  @Test(arguments: [
    Claim(held: [(.command, 7, 4)], stored: 4, effects: [], from: 5),
    Claim(
      held: [(.command, 7, 6)], stored: 4,
      effects: [.forget(StreamPosition(streamClass: .command, epoch: 7, through: 6))], from: 7),
    Claim(
      held: [(.command, 7, 10)], stored: 4,
      effects: [.forget(StreamPosition(streamClass: .command, epoch: 7, through: 10))], from: nil),
    // The peer has numbers that were never assigned: this side was restored.
    Claim(held: [(.command, 7, 11)], stored: 4, effects: [.restart(.command, .peerIsAhead)], from: nil),
    // The peer has less than it had: it was restored.
    Claim(held: [(.command, 7, 3)], stored: 4, effects: [.restart(.command, .peerLost(after: 3))], from: nil),
    // The peer has nothing any more, or other items: it was wiped.
    Claim(held: [], stored: 4, effects: [.restart(.command, .peerLost(after: 0))], from: nil),
    Claim(
      held: [(.command, 8, 4)], stored: 4,
      effects: [
        .restart(
          .command, .peerLost(after: 0, earlier: StreamPosition(streamClass: .command, epoch: 8, through: 4)))
      ], from: nil),
    Claim(held: [(.usage, 7, 4)], stored: 4, effects: [.restart(.command, .peerLost(after: 0))], from: nil),
    // The peer has not received anything of this stream yet.
    Claim(held: [], stored: 0, effects: [], from: 1),
    Claim(held: [(.command, 8, 400)], stored: 0, effects: [], from: 1),
    Claim(held: [(.command, 7, 0)], stored: 0, effects: [], from: 1),
  ])
  func whatThePeerHoldsDecidesWhereToGoOn(claim: Claim) {
    var outbox = outbox(stored: claim.stored, last: 10)
    #expect(outbox.sessionOpened(hello(held: claim.held)) == claim.effects)
    #expect(outbox.nextLoad()?.from == claim.from)
  }

  /// Items that a process reported as stored are stored.
  ///
  /// A Hello of the same process and key with lower numbers was made earlier. A Hello of another
  /// process, or with another key, says that items were lost.
  @Test(arguments: [
    (Claim(held: [(.command, 7, 2)], stored: 4, effects: [.restart(.command, .peerLost(after: 2))]), true),
    (Claim(held: [(.command, 7, 0)], stored: 4, effects: [.restart(.command, .peerLost(after: 0))]), true),
    (Claim(held: [], stored: 4, effects: [.restart(.command, .peerLost(after: 0))]), true),
    (Claim(held: [(.command, 0, 0)], stored: 4, effects: [.restart(.command, .peerLost(after: 0))]), true),
    // The process has begun a stream of another epoch since, so the Hello is not from before.
    (
      Claim(
        held: [(.command, 8, 2)], stored: 4,
        effects: [
          .restart(
            .command, .peerLost(after: 0, earlier: StreamPosition(streamClass: .command, epoch: 8, through: 2)))
        ]), false
    ),
    (Claim(held: [(.command, 7, 11)], stored: 4, effects: [.restart(.command, .peerIsAhead)]), false),
  ])
  mutating func aHelloFromBeforeIsNoNews(claim: Claim, isLate: Bool) throws {
    let key: [UInt8] = [1]
    var outbox = outbox(last: 10)
    #expect(outbox.sessionOpened(hello(), pairwiseKey: key) == [])
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 4))
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 4))
    outbox.sessionClosed()
    for same in [true, false] {
      var opened = outbox
      let effects = opened.sessionOpened(hello(held: claim.held), pairwiseKey: same ? key : [2])
      #expect(effects == (isLate && same ? [] : claim.effects))
      #expect(opened.nextLoad()?.from == (isLate && same ? 5 : nil))
    }
    var restarted = hello(held: claim.held)
    restarted.runID = [UInt8](repeating: 2, count: 16)
    #expect(outbox.sessionOpened(restarted, pairwiseKey: key) == claim.effects)
  }

  @Test mutating func aPeerThatObjectsIsBelievedTheNextTime() throws {
    let key: [UInt8] = [1]
    var outbox = outbox(last: 10)
    #expect(outbox.sessionOpened(hello(), pairwiseKey: key) == [])
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 4))
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 4))
    outbox.sessionClosed()
    #expect(outbox.sessionOpened(hello(held: [(.command, 7, 0)]), pairwiseKey: key) == [])
    outbox.peerObjected()
    outbox.sessionClosed()
    #expect(
      outbox.sessionOpened(hello(held: [(.command, 7, 0)]), pairwiseKey: key) == [
        .restart(.command, .peerLost(after: 0))
      ])
  }

  /// A copy of the peer's sender assigned items in another epoch, and the session ended before the
  /// restart was durable.
  @Test mutating func aPeerThatHadLeftTheEpochIsBelievedWhenItIsBack() throws {
    let key: [UInt8] = [1]
    var outbox = outbox(last: 10)
    #expect(outbox.sessionOpened(hello(), pairwiseKey: key) == [])
    let load = try unwrap(outbox.nextLoad())
    _ = outbox.loaded(load, items(load, count: 4))
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 4))
    outbox.sessionClosed()
    let other = StreamPosition(streamClass: .command, epoch: 8, through: 38)
    #expect(
      outbox.sessionOpened(hello(held: [(.command, 8, 38)]), pairwiseKey: key)
        == [.restart(.command, .peerLost(after: 0, earlier: other))])
    outbox.sessionClosed()
    #expect(
      outbox.sessionOpened(hello(held: [(.command, 7, 0)]), pairwiseKey: key) == [
        .restart(.command, .peerLost(after: 0))
      ])
  }

  @Test mutating func aRestartedStreamBeginsAnew() throws {
    var outbox = outbox(stored: 4, last: 10)
    #expect(outbox.sessionOpened(hello()) == [.restart(.command, .peerLost(after: 0))])
    outbox.committed(.command, epoch: 7, last: 11)
    #expect(outbox.nextLoad() == nil)
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 10)) == nil)
    outbox.restarted(.command, OutboxPosition(epoch: 9, storedThrough: 0, last: 7))
    let load = try unwrap(outbox.nextLoad())
    #expect(load.epoch == 9 && load.from == 1)
    #expect(outbox.loaded(load, items(load, count: 7))?.epoch == 9)
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 10)) == nil)
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 9, through: 7)) != nil)
    #expect(outbox.waiting == 0)
  }

  /// The store gave the stream its new epoch and stored another item before the machine learned of
  /// the epoch.
  @Test func newsOfTheNewEpochMayComeBeforeTheEpoch() throws {
    var outbox = outbox(stored: 4, last: 10)
    #expect(outbox.sessionOpened(hello()) == [.restart(.command, .peerLost(after: 0))])
    outbox.committed(.command, epoch: 9, last: 7)
    outbox.restarted(.command, OutboxPosition(epoch: 9, storedThrough: 0, last: 6))
    #expect(outbox.waiting == 7)
  }

  @Test func newsMakeStreamsAndLengthenThem() {
    var outbox = OutboxMachine([:])
    #expect(outbox.statement.isEmpty)
    outbox.committed(.usage, epoch: 3, last: 1)
    outbox.committed(.usage, epoch: 3, last: 4)
    outbox.committed(.usage, epoch: 3, last: 2)
    outbox.committed(.usage, epoch: 99, last: 50)
    outbox.committed(.control, epoch: 4, last: 1)
    #expect(
      outbox.statement == [
        StreamPosition(streamClass: .control, epoch: 4, through: 1),
        StreamPosition(streamClass: .usage, epoch: 3, through: 4),
      ])
    #expect(outbox.waiting == 5)
    _ = outbox.sessionOpened(hello())
    #expect(outbox.nextLoad()?.streamClass == .control)
  }
}
