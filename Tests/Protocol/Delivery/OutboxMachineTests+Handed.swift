import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of items that are sent right after their transaction, without a load.
extension OutboxMachineTests {
  private mutating func items(_ numbers: ClosedRange<UInt64>, bytes: Int = 20) -> [DeliveryItem] {
    numbers.map { Samples.item($0, bytes: bytes, &random) }
  }

  @Test mutating func itemsThatWereJustMadeDurableAreSentWithoutALoad() throws {
    var outbox = outbox(stored: 4, last: 4)
    #expect(outbox.handed(.command, epoch: 7, items(5...6)) == nil)
    _ = outbox.sessionOpened(hello(held: [(.command, 7, 4)]))
    #expect(!outbox.hasSent(.command, epoch: 7, through: 5))
    let run = try unwrap(outbox.handed(.command, epoch: 7, items(5...6)))
    #expect(run.items.map(\.sequence) == [5, 6] && run.epoch == 7 && run.streamClass == .command)
    #expect(outbox.inFlight(.command) == 2 && outbox.waiting == 2 && outbox.nextLoad() == nil)
    #expect(outbox.hasSent(.command, epoch: 7, through: 6))
    #expect(!outbox.hasSent(.command, epoch: 7, through: 7) && !outbox.hasSent(.command, epoch: 8, through: 1))
    // The same items again, and some of them with more.
    #expect(outbox.handed(.command, epoch: 7, items(5...6)) == nil)
    #expect(outbox.handed(.command, epoch: 7, items(5...8))?.items.map(\.sequence) == [7, 8])
    #expect(try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 8)) != nil)
    #expect(outbox.waiting == 0 && outbox.inFlight(.command) == 0)
    outbox.sessionClosed()
    #expect(!outbox.hasSent(.command, epoch: 7, through: 6))
  }

  @Test mutating func itemsAreLoadedIfOthersGoFirst() throws {
    // An earlier one of the stream.
    var outbox = outbox(last: 1)
    _ = outbox.sessionOpened(hello())
    #expect(outbox.handed(.command, epoch: 7, items(2...2)) == nil)
    // One of another class.
    outbox.committed(.control, epoch: 3, last: 1)
    #expect(outbox.handed(.command, epoch: 7, items(1...2)) == nil)
    // A load that is under way.
    let control = try unwrap(outbox.nextLoad())
    #expect(control.streamClass == .control)
    #expect(outbox.loaded(control, items(control, count: 1)) != nil)
    let load = try unwrap(outbox.nextLoad())
    #expect(outbox.handed(.command, epoch: 7, items(1...2)) == nil)
    #expect(outbox.loaded(load, items(load, count: 1)) != nil)
    #expect(outbox.handed(.command, epoch: 7, items(2...2)) != nil)
    // Another epoch, and an unknown stream.
    #expect(outbox.handed(.command, epoch: 8, items(3...3)) == nil)
    #expect(outbox.handed(.receipt, epoch: 7, items(1...1)) == nil)
  }

  @Test mutating func itemsOfAStreamThatIsRestartedAreLoaded() {
    var outbox = outbox(stored: 4, last: 4)
    #expect(outbox.sessionOpened(hello()) == [.restart(.command, .peerLost(after: 0))])
    #expect(outbox.handed(.command, epoch: 7, items(5...5)) == nil)
  }

  @Test mutating func noMoreItemsAreSentThanTheWindowHasRoomFor() throws {
    var outbox = outbox(last: 0)
    _ = outbox.sessionOpened(hello(items: 3))
    #expect(outbox.handed(.command, epoch: 7, items(1...2))?.items.count == 2)
    #expect(outbox.handed(.command, epoch: 7, items(3...5))?.items.map(\.sequence) == [3])
    outbox.committed(.command, epoch: 7, last: 5)
    #expect(outbox.handed(.command, epoch: 7, items(3...5)) == nil && outbox.nextLoad() == nil)
    _ = try outbox.received(stored: StreamPosition(streamClass: .command, epoch: 7, through: 2))
    #expect(outbox.nextLoad()?.from == 4)

    var bytes = self.outbox(last: 0)
    _ = bytes.sessionOpened(hello(bytes: 100))
    // One item may exceed the rest of the window, as with a load.
    #expect(bytes.handed(.command, epoch: 7, items(1...3, bytes: 60))?.items.count == 2)
  }
}
