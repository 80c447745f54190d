import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct InboxMachineTests {
  private var random = SeededRandom(seed: 1)

  private mutating func run(
    _ range: ClosedRange<UInt64>, _ streamClass: StreamClass = .command, epoch: UInt64 = 7, bytes: Int = 20
  ) -> ItemRun {
    ItemRun(
      streamClass: streamClass, epoch: epoch, items: range.map { Samples.item($0, bytes: bytes, &random) })
  }

  private func position(_ through: UInt64, _ streamClass: StreamClass = .command, epoch: UInt64 = 7) -> StreamPosition {
    StreamPosition(streamClass: streamClass, epoch: epoch, through: through)
  }

  private func hello(_ outgoing: [StreamPosition] = [], run: UInt8 = 1) -> Hello {
    Hello(
      runID: [UInt8](repeating: run, count: 16), name: "n", role: .child, outgoing: outgoing, incoming: [],
      keyID: [UInt8](repeating: 9, count: 8))
  }

  @Test mutating func whatComesInIsStatedOnceItIsCommitted() throws {
    var inbox = InboxMachine([position(4)])
    #expect(inbox.statement == [position(4)])
    #expect(inbox.nextCommit() == nil)
    let runs = [run(5...6), run(7...9)]
    for run in runs { #expect(try inbox.received(run) == nil) }
    #expect(inbox.statement == [position(4)])
    #expect(inbox.nextCommit() == runs)
    #expect(inbox.statement == [position(4)])
    #expect(inbox.committed(runs) == [position(9)])
    #expect(inbox.statement == [position(9)])
    #expect(inbox.nextCommit() == nil)
  }

  @Test(
    "A commit of an earlier process's items that ends in a session of its successor causes a new session")
  mutating func aCommitOutrunsTheHello() throws {
    var inbox = InboxMachine([position(3)])
    inbox.sessionOpened(hello([position(4)]))
    let runs = [run(4...4)]
    _ = try inbox.received(runs[0])
    #expect(inbox.nextCommit() == runs)
    inbox.sessionClosed()
    // The peer was restored, so its item 4 is another one now, and our Hello stated 3.
    inbox.sessionOpened(hello([position(4)], run: 2))
    #expect(inbox.statement == [position(3)])
    _ = try inbox.received(run(4...5))
    let stored = inbox.committed(runs)
    #expect(stored == [])
    #expect(inbox.hasOutrunHello)
    let next = inbox.nextCommit()
    #expect(next == nil)
    #expect(inbox.statement == [position(4)])
    #expect(inbox.held.map(\.sequence) == [4])
    inbox.sessionClosed()
    #expect(!inbox.hasOutrunHello)
    inbox.sessionOpened(hello([position(4)], run: 2))
    #expect(!inbox.hasOutrunHello)
  }

  @Test("A commit that ends in a later session of the same process is reported there")
  mutating func aCommitOfTheSameProcess() throws {
    var inbox = InboxMachine([position(3)])
    inbox.sessionOpened(hello([position(4)]))
    let runs = [run(4...4)]
    _ = try inbox.received(runs[0])
    #expect(inbox.nextCommit() == runs)
    inbox.sessionClosed()
    inbox.sessionOpened(hello([position(4)]))
    #expect(inbox.committed(runs) == [position(4)])
    #expect(!inbox.hasOutrunHello)
  }

  /// The peer restarted the stream, and is then restored to the earlier epoch.
  ///
  /// A number that it assigns again names another item. That remains undetected as long as our
  /// Hello states the new epoch.
  @Test("A peer that returns to an epoch that it had left is told in a new session which of its items are in force")
  mutating func backAtAnEarlierEpoch() throws {
    let held = HeldItem(streamClass: .command, sequence: 1, itemID: [7])
    var inbox = InboxMachine([position(1)], held: [held])
    inbox.sessionOpened(hello([position(0, epoch: 9)]))
    #expect(inbox.statement == [position(0, epoch: 9)])
    #expect(!inbox.hasOutrunHello)
    inbox.sessionClosed()
    inbox.sessionOpened(hello([position(0)], run: 2))
    #expect(inbox.hasOutrunHello)
    inbox.sessionClosed()
    #expect(inbox.statement == [position(1)])
    #expect(inbox.held == [held])
    inbox.sessionOpened(hello([position(0)], run: 2))
    #expect(!inbox.hasOutrunHello)
  }

  @Test mutating func oneCommitAtATime() throws {
    var inbox = InboxMachine([])
    let (first, second) = (run(1...2), run(3...3))
    _ = try inbox.received(first)
    #expect(inbox.nextCommit() == [first])
    _ = try inbox.received(second)
    #expect(inbox.nextCommit() == nil)
    #expect(inbox.committed([first]) == [position(2)])
    #expect(inbox.nextCommit() == [second])
    #expect(inbox.committed([second]) == [position(3)])
  }

  @Test mutating func urgentClassesAreCommittedFirst() throws {
    var inbox = InboxMachine([])
    let runs = [
      run(1...1, .usage), run(1...1, .command), run(2...2, .usage), run(1...1, .control), run(2...2, .command),
    ]
    for run in runs { _ = try inbox.received(run) }
    #expect(inbox.nextCommit() == [runs[3], runs[1], runs[4], runs[0], runs[2]])
    #expect(inbox.committed(runs) == [position(1, .control), position(2), position(2, .usage)])
  }

  @Test mutating func whatWasSeenIsLeftOut() throws {
    var inbox = InboxMachine([position(4)])
    let again = run(2...6)
    var prepared: [ItemRun] = []
    _ = try inbox.received(again) { prepared.append($0) }
    let fresh = try unwrap(inbox.nextCommit())
    #expect(prepared == fresh)
    #expect(fresh.map(\.items) == [Array(again.items.suffix(2))])
    // The machine also recognizes items that are received and not yet committed. The answer states
    // what is durable.
    #expect(try inbox.received(again) { prepared.append($0) } == position(4))
    #expect(prepared.count == 1)
    _ = inbox.committed(fresh)
    #expect(try inbox.received(again) == position(6))
    #expect(inbox.nextCommit() == nil)
  }

  @Test mutating func skipsStandForTheirNumbers() throws {
    var inbox = InboxMachine([position(4)])
    let skipping = ItemRun(
      streamClass: .command, epoch: 7, items: [DeliveryItem(skipping: 3...9), Samples.item(10, &random)])
    _ = try inbox.received(skipping)
    #expect(inbox.nextCommit() == [skipping])
    #expect(inbox.committed([skipping]) == [position(10)])
    #expect(
      try inbox.received(ItemRun(streamClass: .command, epoch: 7, items: [DeliveryItem(skipping: 5...10)]))
        == position(10))
  }

  @Test mutating func aGapIsTheirFaultAndChangesNothing() throws {
    for watermarks in [[], [position(4)]] {
      var inbox = InboxMachine(watermarks)
      let gaps = [
        run(6...6), ItemRun(streamClass: .command, epoch: 7, items: [DeliveryItem(skipping: 6...9)]),
        ItemRun(streamClass: .command, epoch: 7, items: [Samples.item(5, &random), Samples.item(7, &random)]),
      ]
      for gap in gaps {
        #expect(throws: SessionFault.self) { try inbox.received(gap) }
        #expect(inbox.statement == watermarks && inbox.nextCommit() == nil)
      }
    }
  }

  @Test mutating func anEmptyRunChangesNothing() throws {
    var inbox = InboxMachine([])
    _ = try inbox.received(ItemRun(streamClass: .command, epoch: 7, items: []))
    #expect(inbox.statement.isEmpty && inbox.nextCommit() == nil)
  }

  @Test mutating func aClosedSessionTakesWhatWasNotCommitted() throws {
    var inbox = InboxMachine([position(4)])
    _ = try inbox.received(run(5...9))
    inbox.sessionClosed()
    #expect(inbox.nextCommit() == nil && inbox.statement == [position(4)])
    inbox.sessionOpened(hello([position(9)]))
    let again = run(5...9)
    _ = try inbox.received(again)
    #expect(inbox.nextCommit() == [again])
  }

  @Test mutating func aCommitOutlivesItsSession() throws {
    var inbox = InboxMachine([])
    let first = run(1...5)
    _ = try inbox.received(first)
    _ = inbox.nextCommit()
    inbox.sessionClosed()
    inbox.sessionOpened(hello([position(9)]))
    #expect(inbox.statement == [position(0)] || inbox.statement.isEmpty)
    // The same items come again before the commit ends.
    _ = try inbox.received(run(1...3))
    #expect(inbox.nextCommit() == nil)
    #expect(inbox.committed([first]) == [position(5)])
    #expect(inbox.statement == [position(5)])
    // The repeated items are in force by now, and no longer wait.
    #expect(inbox.nextCommit() == nil)
    _ = try inbox.received(run(4...7))
    let second = try unwrap(inbox.nextCommit())
    #expect(inbox.committed(second) == [position(7)])
  }

  @Test mutating func aFailedCommitLeavesTheWatermark() throws {
    var inbox = InboxMachine([position(4)])
    _ = try inbox.received(run(5...6))
    _ = inbox.nextCommit()
    _ = try inbox.received(run(7...8))
    inbox.commitFailed()
    #expect(inbox.statement == [position(4)] && inbox.nextCommit() == nil)
    let again = run(5...8)
    _ = try inbox.received(again)
    #expect(inbox.nextCommit() == [again])
  }

  @Test mutating func aNewEpochBeginsAtOne() throws {
    var inbox = InboxMachine([position(4)])
    inbox.sessionOpened(hello([position(3, epoch: 9), position(1, .usage, epoch: 10)]))
    #expect(throws: SessionFault.self) { try inbox.received(run(5...5)) }
    let new = run(1...3, epoch: 9)
    _ = try inbox.received(new)
    #expect(inbox.nextCommit() == [new])
    #expect(inbox.committed([new]) == [position(3, epoch: 9)])
  }

  @Test mutating func theSameEpochGoesOn() throws {
    var inbox = InboxMachine([position(4)])
    inbox.sessionOpened(hello([position(9)]))
    #expect(inbox.statement == [position(4)])
    _ = try inbox.received(run(5...9))
  }

  @Test mutating func aStreamMayRestartWithinASession() throws {
    var inbox = InboxMachine([position(4)])
    inbox.sessionOpened(hello([position(9)]))
    #expect(throws: SessionFault.self) { try inbox.received(run(2...2, epoch: 9)) }
    let new = run(1...2, epoch: 9)
    _ = try inbox.received(new)
    #expect(inbox.nextCommit() == [new])
    // A commit of the earlier epoch says nothing about this one.
    #expect(inbox.committed([run(5...9), new]) == [position(2, epoch: 9)])
  }

  @Test mutating func aCommitOfAnEpochThatIsGoneReportsNothing() throws {
    var inbox = InboxMachine([])
    let old = run(1...5)
    _ = try inbox.received(old)
    _ = inbox.nextCommit()
    inbox.sessionOpened(hello([position(2, epoch: 9)]))
    #expect(inbox.committed([old]) == [])
    let new = run(1...2, epoch: 9)
    _ = try inbox.received(new)
    #expect(inbox.committed([new]) == [position(2, epoch: 9)])
  }

  /// The store holds only the last epoch of a commit, even if the machine has returned to an
  /// earlier one.
  @Test mutating func ofACommitWithTwoEpochsTheLastOneCounts() throws {
    var inbox = InboxMachine([])
    let (old, new) = (run(1...5), run(1...2, epoch: 9))
    _ = try inbox.received(old)
    _ = try inbox.received(new)
    let runs = try unwrap(inbox.nextCommit())
    inbox.sessionOpened(hello([position(5)]))
    #expect(inbox.committed(runs) == [])
    #expect(inbox.statement == [position(0)])
  }

  /// Repeated items that a commit of the earlier session brought into force no longer wait, and the
  /// window keeps its size.
  @Test mutating func aCommitOfTheSessionBeforeLeavesTheWindowAsItIs() throws {
    var inbox = InboxMachine([])
    let most = UInt64(Limits.windowItems)
    let full = run(1...most, bytes: 0)
    _ = try inbox.received(full)
    let runs = try unwrap(inbox.nextCommit())
    inbox.sessionClosed()
    inbox.sessionOpened(hello([position(most)]))
    _ = try inbox.received(full)
    #expect(inbox.committed(runs) == [position(most)])
    #expect(inbox.nextCommit() == nil)
    _ = try inbox.received(run((most + 1)...(2 * most), bytes: 0))
    #expect(throws: SessionFault.self) { try inbox.received(run((2 * most + 1)...(2 * most + 1))) }
  }

  /// A restart with more items than the window is refused, and the earlier stream stays.
  @Test mutating func aRefusedRunOfANewEpochLeavesWhatIsHeld() throws {
    let item = HeldItem(streamClass: .command, sequence: 4, itemID: random.bytes(16))
    var inbox = InboxMachine([position(4)], held: [item])
    let tooMuch = run(1...UInt64(Limits.windowItems + 1), epoch: 8, bytes: 0)
    #expect(throws: SessionFault.self) { try inbox.received(tooMuch) }
    #expect(inbox.statement == [position(4)])
    #expect(inbox.held == [item])
    _ = try inbox.received(run(1...1, epoch: 8))
    #expect(inbox.held == [])
  }

  /// A peer states a new epoch, sends nothing in it, and returns to the old one.
  ///
  /// The store still has the numbers of the old epoch. An item that comes under one of them now is
  /// not the item that it holds.
  @Test mutating func numbersOfAnEpochThatComesBackAreThoseOfTheStore() throws {
    let item = HeldItem(streamClass: .command, sequence: 4, itemID: random.bytes(16))
    var inbox = InboxMachine([position(5)], held: [item])
    inbox.sessionOpened(hello([position(1, epoch: 8)]))
    #expect(inbox.held == [])
    inbox.sessionOpened(hello([position(5)]))
    #expect(try inbox.received(run(1...3)) == position(5))
    #expect(inbox.nextCommit() == nil)
    #expect(inbox.statement == [position(5)])
    #expect(inbox.held == [item])
  }

  /// A Hello from before a restart is accepted while items of the new epoch are in a commit.
  ///
  /// When the machine reaches that epoch again, it knows what the commit brought, and the peer may
  /// continue after it.
  @Test mutating func anEpochThatTheStoreHasBegunGoesOnFromThere() throws {
    var inbox = InboxMachine([position(5)])
    inbox.sessionOpened(hello([position(3, epoch: 8)]))
    let new = run(1...3, epoch: 8)
    _ = try inbox.received(new)
    let runs = try unwrap(inbox.nextCommit())
    inbox.sessionOpened(hello([position(5)]))
    #expect(inbox.committed(runs) == [])
    inbox.sessionOpened(hello([position(4, epoch: 8)]))
    #expect(inbox.statement == [position(3, epoch: 8)])
    let next = run(4...4, epoch: 8)
    #expect(try inbox.received(next) == nil)
    #expect(inbox.nextCommit() == [next])
  }

  /// The peer restarts an epoch that the store is about to leave for one that is in a commit or
  /// waits for it.
  ///
  /// The old items are no longer reported, and none may follow them, since that would be a gap in
  /// the store.
  @Test(arguments: [false, true])
  mutating func anEpochThatTheStoreIsLeavingBeginsAnew(isInCommit: Bool) throws {
    var inbox = InboxMachine([position(5)])
    inbox.sessionOpened(hello([position(3, epoch: 8)]))
    let new = run(1...3, epoch: 8)
    _ = try inbox.received(new)
    if isInCommit {
      _ = try unwrap(inbox.nextCommit())
      inbox.sessionOpened(hello([position(9)]))
      #expect(inbox.statement == [position(0)])
      let next = run(6...9)
      #expect(throws: SessionFault.self) { try inbox.received(next) }
    }
    let old = run(1...3)
    #expect(try inbox.received(old) == nil)
    if isInCommit { #expect(inbox.committed([new]) == []) }
    #expect(inbox.nextCommit() == (isInCommit ? [old] : [new, old]))
  }

  @Test func aPeerMayStateMoreThanCanBeCounted() {
    var inbox = InboxMachine([position(4)])
    inbox.sessionOpened(hello([position(9), position(7, .usage)]))
    #expect(inbox.behind == 5 + 7)
    inbox.sessionOpened(hello([position(.max), position(.max, .usage), position(.max, .usage)]))
    #expect(inbox.behind == UInt64(Int64.max))
  }

  @Test mutating func moreItemsThanTheWindowAreTheirFault() throws {
    var inbox = InboxMachine([])
    let most = UInt64(Limits.windowItems)
    let full = run(1...most, bytes: 0)
    _ = try inbox.received(full)
    #expect(throws: SessionFault.self) { try inbox.received(run((most + 1)...(most + 1))) }
    // Another class has a window of its own.
    _ = try inbox.received(run(1...1, .usage))
    let runs = try unwrap(inbox.nextCommit())
    #expect(throws: SessionFault.self) { try inbox.received(run((most + 1)...(most + 1))) }
    _ = inbox.committed(runs)
    _ = try inbox.received(run((most + 1)...(most + 1)))
  }

  @Test mutating func moreBytesThanTheWindowAreTheirFault() throws {
    var inbox = InboxMachine([])
    var next: UInt64 = 1
    var bytes = 0
    while bytes <= Limits.windowBytes {
      let run = run(next...next, bytes: Limits.itemBodyBytes)
      bytes += run.items[0].cost
      _ = try inbox.received(run)
      next += 1
    }
    let rest = (0..<4).map { number in run((next + number)...(next + number), bytes: Limits.itemBodyBytes) }
    #expect(throws: SessionFault.self) { for run in rest { _ = try inbox.received(run) } }
  }
}
