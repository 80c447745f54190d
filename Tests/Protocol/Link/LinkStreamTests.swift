import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of a link's streams and notes: Protocol/05-delivery.md §3 to §8,
/// Protocol/04-session.md §11.
@Suite struct LinkStreamTests {
  private static let commands: [StreamClass: OutboxPosition] = [
    .command: OutboxPosition(epoch: 5, storedThrough: 0, last: 2)
  ]

  /// A stream whose items are all stored.
  private static let emptyCommands = LinkStreams(
    outbox: [.command: OutboxPosition(epoch: 5, storedThrough: 0, last: 0)])

  private static func items(_ numbers: ClosedRange<UInt64>) -> [DeliveryItem] {
    numbers.map {
      DeliveryItem(sequence: $0, kind: .command, itemID: [UInt8](repeating: UInt8($0), count: 16), body: [1])
    }
  }

  private static func run(_ numbers: ClosedRange<UInt64>, epoch: UInt64 = 6) -> ItemRun {
    ItemRun(streamClass: .receipt, epoch: epoch, items: items(numbers))
  }

  // MARK: Out

  @Test func anItemThatGetsItsNumberWhileTheDiskLooksAtAHelloIsNotWhatThePeerHas() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let accepted = rig.accept()
    let number = try #require(accepted)
    // This machine was restored, and the peer holds an item number 3 that this machine has lost.
    let hello = LinkRig.hello(incoming: [StreamPosition(streamClass: .command, epoch: 5, through: 3)])
    rig.tell { $0.received(SessionBatch(hello: hello), on: number, now: $1) }
    // Another item gets that number before the disk has answered; its answer is from before that.
    rig.tell { $0.committed(.command, epoch: 5, last: 3, now: $1) }
    _ = rig.take()
    rig.tell { $0.judged(number, foreign: [], now: $1) }
    let notes = rig.take().notes
    #expect(notes.contains { if case .restart(.command, .peerIsAhead) = $0 { true } else { false } })
    #expect(!notes.contains { if case .forget = $0 { true } else { false } })
    #expect(rig.machine.waiting == 3)
  }

  @Test func whatWaitsIsLoadedAndSentOnceASessionIsUp() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let number = rig.open()
    let load = try #require(rig.take().loads.first)
    #expect(load.from == 1 && load.epoch == 5)
    rig.tell { $0.loaded(load, Self.items(1...2), now: $1) }
    #expect(rig.take().said(on: number).flatMap(\.runs).flatMap(\.items).count == 2)
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .command, epoch: 5, through: 2)]), on: number)
    rig.note()
    #expect(rig.machine.waiting == 0)
  }

  @Test func aLoadThatIsOvertakenByTheirWordIsMadeAnew() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let number = rig.open()
    let load = try #require(rig.take().loads.first)
    // A commit of the session before ends now, and the peer reports it.
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .command, epoch: 5, through: 1)]), on: number)
    rig.tell { $0.loaded(load, Self.items(1...2), now: $1) }
    let effects = rig.take()
    #expect(effects.said(on: number).flatMap(\.runs).isEmpty && effects.loads.map(\.from) == [2])
  }

  @Test func aLoadThatComesBackEmptyIsNotRepeatedBeforeSomethingHasChanged() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    _ = rig.open()
    let load = try #require(rig.take().loads.first)
    rig.tell { $0.loaded(load, [], now: $1) }
    #expect(rig.take().loads.isEmpty)
    rig.tell { $0.committed(.command, epoch: 5, last: 3, now: $1) }
    #expect(rig.take().loads.count == 1)
  }

  @Test func whatWasJustMadeDurableIsSentAtOnce() throws {
    var rig = LinkRig(streams: Self.emptyCommands)
    let number = rig.open()
    _ = rig.take()
    rig.tell {
      let isSent = $0.committed(.command, epoch: 5, last: 1, items: Self.items(1...2), now: $1)
      #expect(isSent)
    }
    let effects = rig.take()
    #expect(effects.news.contains(.moved) && rig.machine.syncTotal == 2)
    #expect(effects.said(on: number).flatMap(\.runs).flatMap(\.items).map(\.sequence) == [1, 2])
    #expect(effects.loads.isEmpty && rig.machine.hasSent(.command, epoch: 5, through: 2))
    rig.tell {
      let isSent = $0.committed(.command, epoch: 5, last: 2, items: Self.items(1...2), now: $1)
      #expect(!isSent)
    }
    #expect(rig.take().said(on: number).isEmpty)
    // The next session sends again what was not stored.
    rig.tell { $0.connectionEnded(number, now: $1) }
    rig.tell { $0.committed(.command, epoch: 5, last: 3, items: Self.items(3...3), now: $1) }
    #expect(!rig.machine.hasSent(.command, epoch: 5, through: 2))
    _ = rig.take()
    _ = rig.open(LinkRig.hello(ended: 1))
    #expect(rig.take().loads.map(\.from) == [1])
  }

  @Test func theFirstItemOfAStreamIsLoadedSinceTheStreamMayHaveBeenClosed() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.tell {
      let isSent = $0.committed(.command, epoch: 5, last: 1, items: Self.items(1...1), now: $1)
      #expect(!isSent)
    }
    let effects = rig.take()
    #expect(effects.said(on: number).isEmpty && effects.loads.map(\.from) == [1])
    // An empty answer makes the machine read the streams.
    let load = try #require(effects.loads.first)
    rig.tell { $0.loaded(load, [], now: $1) }
    #expect(rig.take().isReadingStreams)
  }

  @Test func nothingIsHandedToAFullConnectionOrWhileStreamsAreInDoubt() throws {
    var rig = LinkRig(streams: Self.emptyCommands)
    let number = rig.open()
    rig.tell { machine, _ in machine.filled(number) }
    rig.tell { $0.committed(.command, epoch: 5, last: 1, items: Self.items(1...1), now: $1) }
    #expect(rig.take().said(on: number).flatMap(\.runs).isEmpty)
    rig.tell { $0.drained(number, now: $1) }
    let load = try #require(rig.take().loads.first)
    rig.tell { $0.loaded(load, Self.items(1...1), now: $1) }
    _ = rig.take()
    // A new pairing may have closed the stream.
    rig.tell { machine, now in
      machine.changed(
        PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key), pendingKey: LinkRig.otherKey),
        keyID: [1], now: now)
    }
    #expect(rig.machine.current == number)
    rig.tell { $0.committed(.command, epoch: 5, last: 2, items: Self.items(2...2), now: $1) }
    #expect(rig.take().said(on: number).flatMap(\.runs).isEmpty)
  }

  @Test func aFullConnectionTakesNoMore() throws {
    var rig = LinkRig()
    let number = rig.open()
    rig.tell { machine, _ in machine.filled(number) }
    rig.tell { $0.committed(.command, epoch: 5, last: 1, now: $1) }
    #expect(rig.take().loads.isEmpty)
    rig.tell { $0.drained(number, now: $1) }
    #expect(rig.take().loads.count == 1)
  }

  @Test func whatWasOnItsWayIsSentAgainInTheNextSession() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let first = rig.open()
    let load = try #require(rig.take().loads.first)
    rig.tell { $0.loaded(load, Self.items(1...2), now: $1) }
    rig.tell { $0.connectionEnded(first, now: $1) }
    _ = rig.take()
    _ = rig.open(LinkRig.hello(ended: 1))
    #expect(rig.take().loads.map(\.from) == [1])
  }

  @Test func aLoadThatTheDiskRefusesEndsTheSession() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let number = rig.open()
    let load = try #require(rig.take().loads.first)
    rig.tell { $0.loadFailed(load, LinkFault(isOfDisk: true, text: "full"), now: $1) }
    #expect(rig.take().aborted == [number])
  }

  // MARK: In

  @Test func whatAFullDiskHadRoomForIsStatedInTheNextHello() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: number)
    #expect(rig.take().commits.map(\.count) == [1])
    let full = LinkFault(isOfDisk: true, text: "The disk is full.")
    rig.tell { $0.commitFailed(full, inForce: [Self.run(1...2)], now: $1) }
    #expect(rig.machine.current == nil)
    let next = rig.open()
    let hello = try #require(rig.take().said(on: next).compactMap(\.hello).first)
    #expect(hello.incoming == [StreamPosition(streamClass: .receipt, epoch: 6, through: 2)])
    #expect(hello.held.map(\.sequence) == [2])
  }

  @Test func manyRunsInOneBatchThatHoldNothingNewAreAnsweredOnce() throws {
    let position = StreamPosition(streamClass: .receipt, epoch: 6, through: 3)
    var rig = LinkRig(streams: LinkStreams(inbox: [position]))
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(runs: Array(repeating: Self.run(1...3), count: 1_000)), on: number)
    #expect(rig.take().said(on: number).map(\.stored) == [[position]])
  }

  @Test func whatCameInIsReportedOnceItIsInForce() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: number)
    let effects = rig.take()
    #expect(effects.commits.count == 1 && effects.said(on: number).isEmpty)
    rig.tell { $0.committed(effects.commits[0], wasRemoved: false, now: $1) }
    #expect(
      rig.take().said(on: number).flatMap(\.stored) == [StreamPosition(streamClass: .receipt, epoch: 6, through: 3)])
  }

  @Test func aCommitOfTheSessionBeforeIsReportedInThePresentOne() throws {
    var rig = LinkRig()
    let first = rig.open()
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: first)
    let runs = try #require(rig.take().commits.first)
    rig.tell { $0.connectionEnded(first, now: $1) }
    let second = rig.open(
      LinkRig.hello(ended: 1, outgoing: [StreamPosition(streamClass: .receipt, epoch: 6, through: 3)]))
    _ = rig.take()
    rig.tell { $0.committed(runs, wasRemoved: false, now: $1) }
    #expect(
      rig.take().said(on: second).flatMap(\.stored) == [StreamPosition(streamClass: .receipt, epoch: 6, through: 3)])
  }

  @Test func aCommitThatFailsEndsWhicheverSessionIsOpenThen() throws {
    var rig = LinkRig()
    let first = rig.open()
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: first)
    rig.tell { $0.connectionEnded(first, now: $1) }
    let second = rig.open(LinkRig.hello(ended: 1))
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: second)
    _ = rig.take()
    rig.tell { $0.commitFailed(LinkFault(isOfDisk: true, text: "full"), now: $1) }
    let effects = rig.take()
    #expect(effects.aborted == [second] && effects.said(on: second).allSatisfy(\.stored.isEmpty))
  }

  @Test func aRunThatItsSenderCannotHaveMadeEndsTheSession() {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    var run = Self.run(1...1)
    run.items[0].body = [0xBD]
    rig.receive(SessionBatch(runs: [run]), on: number)
    let effects = rig.take()
    #expect(effects.said(on: number).last?.goodbye == .protocolError && effects.commits.isEmpty)
  }

  // MARK: Restarted streams

  @Test func aPeerThatHasLostWhatItHadStoredGetsAStreamAnew() throws {
    var rig = LinkRig(
      streams: LinkStreams(outbox: [.command: OutboxPosition(epoch: 5, storedThrough: 2, last: 2)]))
    _ = rig.open()
    rig.note { note in
      guard case .restart(.command, .peerLost) = note else { return .done }
      return .restarted(OutboxPosition(epoch: 8, storedThrough: 0, last: 2))
    }
    #expect(rig.take().loads.map(\.epoch) == [8])
  }

  @Test func aRestartThatTheDiskRefusesWaitsForTheDisk() throws {
    var rig = LinkRig(
      streams: LinkStreams(outbox: [.command: OutboxPosition(epoch: 5, storedThrough: 2, last: 2)]))
    let number = rig.open()
    #expect(rig.take().notes.count == 1)
    rig.tell { $0.noteFailed(LinkFault(isOfDisk: true, text: "full"), now: $1) }
    #expect(rig.take().notes.isEmpty && rig.machine.current == number)
    rig.tell { $0.diskRecovered(now: $1) }
    #expect(rig.take().notes.contains { if case .restart = $0 { true } else { false } })
  }

  @Test func oneNoteIsUnderWayAtATime() {
    var rig = LinkRig(
      streams: LinkStreams(outbox: [
        .command: OutboxPosition(epoch: 5, storedThrough: 2, last: 2),
        .control: OutboxPosition(epoch: 6, storedThrough: 2, last: 2),
      ]))
    _ = rig.open()
    #expect(rig.take().notes.count == 1)
    rig.tell { $0.noted(.restarted(OutboxPosition(epoch: 9, storedThrough: 0, last: 1)), now: $1) }
    #expect(rig.take().notes.count == 1)
  }

  @Test func sessionsThatTheDiskDoesNotNoteDoNotPileUp() {
    var rig = LinkRig()
    for ended in 0..<200 {
      _ = rig.open(LinkRig.hello(ended: UInt64(ended)))
      rig.tell { $0.noteFailed(LinkFault(isOfDisk: true, text: "full"), now: $1) }
    }
    #expect(rig.machine.notes.sightings.count == 64)
  }

  @Test func streamsThatThisMachineKnowsNothingOfAreTold() {
    var rig = LinkRig()
    let position = StreamPosition(streamClass: .command, epoch: 3, through: 9)
    _ = rig.open(LinkRig.hello(incoming: [position]))
    #expect(rig.take().notes == [.setBack([position])])
  }

  // MARK: Replaced streams

  @Test func noSessionBeginsWhileTheStreamsMayHaveChanged() throws {
    var rig = LinkRig()
    rig.tell {
      $0.changed(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.otherKey)), keyID: [2], now: $1)
    }
    let number = try unwrap(rig.accept(key: LinkRig.otherKey))
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    #expect(rig.machine.current == nil && rig.machine.holds(number))
    let anew = LinkStreams(outbox: [.command: OutboxPosition(epoch: 77, storedThrough: 0, last: 1)])
    rig.tell { $0.streamsRead(anew, now: $1) }
    #expect(rig.machine.current == number)
    #expect(rig.take().said(on: number).first?.hello?.outgoing.map(\.epoch) == [77])
  }

  @Test func aSessionThatCountsOnClosedStreamsMakesWay() {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let number = rig.open()
    rig.note()
    _ = rig.take()
    var keys = PairwiseKeys(present: LinkRig.key)
    keys.offered(LinkRig.otherKey)
    rig.tell { $0.changed(PeerStanding(state: .active, keys: keys, pendingKey: LinkRig.otherKey), keyID: [2], now: $1) }
    rig.tell { $0.streamsRead(LinkStreams(), now: $1) }
    #expect(rig.take().said(on: number).last?.goodbye == .renew && rig.machine.waiting == 0)
  }

  @Test func whatTheDiskDoesForTheOldStreamsEndsBeforeTheNewOnesAreTaken() throws {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    let number = rig.open()
    rig.receive(SessionBatch(runs: [Self.run(1...3)]), on: number)
    let runs = try #require(rig.take().commits.first)
    rig.tell {
      $0.changed(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.otherKey)), keyID: [2], now: $1)
    }
    let anew = LinkStreams(outbox: [.command: OutboxPosition(epoch: 77, storedThrough: 0, last: 1)])
    rig.tell { $0.streamsRead(anew, now: $1) }
    _ = rig.take()
    #expect(rig.machine.current == nil && rig.machine.waiting == 2)
    rig.tell { $0.committed(runs, wasRemoved: false, now: $1) }
    #expect(rig.take().isReadingStreams)
    rig.tell { $0.streamsRead(anew, now: $1) }
    #expect(rig.machine.waiting == 1)
  }

  @Test func whatIsCommittedWhileTheStreamsAreReadIsNotLost() {
    var rig = LinkRig(streams: LinkStreams(outbox: Self.commands))
    rig.tell {
      $0.changed(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.otherKey)), keyID: [2], now: $1)
    }
    rig.tell { $0.committed(.command, epoch: 77, last: 1, now: $1) }
    _ = rig.take()
    // This state was read before the command was committed.
    rig.tell { $0.streamsRead(LinkStreams(), now: $1) }
    #expect(rig.take().isReadingStreams)
    let anew = LinkStreams(outbox: [.command: OutboxPosition(epoch: 77, storedThrough: 0, last: 1)])
    rig.tell { $0.streamsRead(anew, now: $1) }
    #expect(rig.machine.waiting == 1)
  }

  @Test func aDiskThatDoesNotAnswerIsAskedAgainAtTheNextSignOfLife() {
    var rig = LinkRig()
    rig.tell {
      $0.changed(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.otherKey)), keyID: [2], now: $1)
    }
    rig.tell { $0.streamsUnread(now: $1) }
    _ = rig.take()
    var called = rig
    rig.tell { $0.diskRecovered(now: $1) }
    #expect(rig.take().isReadingStreams)
    // A call from the peer also proves that it is alive, and an authenticated peer is not limited
    // while it waits.
    let number = called.accept(key: LinkRig.otherKey) ?? 0
    called.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    #expect(called.effects.isReadingStreams && called.machine.current == nil)
    #expect(called.effects.contains { if case .proven(number) = $0 { true } else { false } })
  }
}
