import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct SessionMachineTests {
  private var random = SeededRandom()
  private var pair: SessionPair

  init() throws { pair = try SessionPair(&random) }

  private mutating func say(_ batch: SessionBatch) throws -> SessionBatch {
    try pair.callee.received(try pair.caller.seal(batch, now: pair.clock.now), now: pair.clock.now)
  }

  @Test mutating func batchesPassBothWaysAfterTheHello() throws {
    #expect(pair.caller.peerHello == nil)
    try pair.open()
    #expect(pair.caller.peerHello == SessionPair.hello().hello && pair.callee.peerHello == SessionPair.hello().hello)
    let run = ItemRun(
      streamClass: .command, epoch: 7, items: [Samples.item(1, &random), DeliveryItem(skipping: 2...5)])
    let batch = SessionBatch(
      runs: [run], stored: [StreamPosition(streamClass: .usage, epoch: 8, through: 9)], ping: 3, pong: 4,
      goodbye: .renew)
    #expect(try say(batch) == batch)
    let back = try pair.callee.seal(batch, now: pair.clock.now)
    #expect(try pair.caller.received(back, now: pair.clock.now) == batch)
  }

  /// By then, the callee knows what the caller holds.
  @Test mutating func theCalleesHelloMayCarryData() throws {
    var batch = SessionPair.hello()
    _ = try say(batch)
    batch.runs = [ItemRun(streamClass: .command, epoch: 7, items: [Samples.item(1, &random)])]
    batch.stored = [StreamPosition(streamClass: .usage, epoch: 8, through: 9)]
    _ = try pair.caller.seal(SessionPair.hello(), now: pair.clock.now)
    let frame = try pair.callee.seal(batch, now: pair.clock.now)
    #expect(try pair.caller.received(frame, now: pair.clock.now) == batch)
  }

  @Test(arguments: [
    SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 7, items: [DeliveryItem(skipping: 1...2)])]),
    SessionBatch(stored: [StreamPosition(streamClass: .usage, epoch: 8, through: 9)]), SessionBatch(ping: 1),
    SessionBatch(pong: 1), SessionBatch(reach: Reach(port: 4_000, addresses: [])),
  ])
  mutating func theCallersHelloCarriesNothing(beside: SessionBatch) {
    var batch = beside
    batch.hello = SessionPair.hello().hello
    #expect(throws: SessionFault.violation("something beside the caller's Hello")) { try say(batch) }
    #expect(pair.callee.peerHello == nil)
  }

  @Test(arguments: [SessionBatch(rekey: true), SessionBatch(ping: 1, goodbye: .shuttingDown)])
  mutating func aNewKeyOrAGoodbyeMayStandBesideAnyHello(beside: SessionBatch) throws {
    var batch = beside
    batch.hello = SessionPair.hello().hello
    #expect(try say(batch) == batch)
  }

  @Test mutating func aPongThatNobodyAskedForIsAnyFrame() throws {
    try pair.open()
    pair.clock.advance(Limits.keepAliveMilliseconds - 1)
    for number: UInt64 in [0, 77, .max] { #expect(try say(SessionBatch(pong: number)).pong == number) }
    // It is a sign of life, like any frame.
    #expect(pair.callee.nextTimer - pair.clock.now == Limits.keepAliveMilliseconds)
  }

  @Test(arguments: [
    SessionBatch(), SessionBatch(ping: 1), SessionBatch(rekey: true),
    SessionBatch(stored: [StreamPosition(streamClass: .usage, epoch: 8, through: 9)]),
  ])
  mutating func theHelloHasToBeFirst(batch: SessionBatch) {
    #expect(throws: SessionFault.violation("the first batch has no Hello")) { try say(batch) }
    #expect(pair.callee.peerHello == nil)
  }

  /// A side that refuses a session states the reason, and nothing else.
  @Test mutating func aGoodbyeMayComeInsteadOfAHello() throws {
    #expect(try say(SessionBatch(goodbye: .duplicate)).goodbye == .duplicate)
    #expect(pair.callee.peerHello == nil)
  }

  @Test mutating func thereIsOneHello() throws {
    try pair.open()
    #expect(throws: SessionFault.violation("a second Hello")) { try say(SessionPair.hello()) }
  }

  @Test(arguments: [Hello.Refusal.version, .shuttingDown, .duplicateIdentity])
  mutating func aRefusalIsHeardWithItsReason(refusal: Hello.Refusal) {
    #expect(throws: SessionFault.refused(refusal)) { try say(SessionPair.hello(refusal: refusal)) }
    // The peer's reason says more than its version does.
    #expect(throws: SessionFault.refused(refusal)) { try say(SessionPair.hello(versions: 90...91, refusal: refusal)) }
    #expect(pair.callee.peerHello == nil)
  }

  @Test(arguments: [(0...0, false), (2...9, false), (0...1, true), (1...9, true)] as [(ClosedRange<UInt32>, Bool)])
  mutating func theVersionsHaveToOverlap(versions: ClosedRange<UInt32>, isSpoken: Bool) throws {
    if isSpoken {
      #expect(try say(SessionPair.hello(versions: versions)).hello?.versions == versions)
    } else {
      #expect(throws: SessionFault.version) { try say(SessionPair.hello(versions: versions)) }
    }
  }

  @Test mutating func whatIsNoBatchIsAViolation() throws {
    var transport = pair.callerTransport
    let frame = try transport.seal([0xFF])
    #expect {
      try pair.callee.received(frame, now: pair.clock.now)
    } throws: {
      if case SessionFault.violation = $0 { true } else { false }
    }
  }

  @Test mutating func replayedReorderedAndAlteredFramesAreRefused() throws {
    try pair.open()
    let now = pair.clock.now
    let frames = try (0..<3).map { try pair.caller.seal(SessionBatch(ping: $0), now: now) }
    let reflected = try pair.callee.seal(SessionBatch(ping: 9), now: now)
    var other = try SessionPair(&random)
    let foreign = try other.caller.seal(SessionPair.hello(), now: now)
    var refused = [frames[1], frames[2], reflected, foreign, [], [0], random.bytes(16), frames[0] + [0]]
    refused += [random.bytes(Limits.frameBytes), random.bytes(Limits.frameBytes + 1)]
    for index in frames[0].indices {
      var flipped = frames[0]
      flipped[index] ^= 1 << UInt8(index % 8)
      refused += [flipped, Array(frames[0].prefix(index))]
    }
    for frame in refused {
      #expect(throws: SessionFault.authentication, "\(random.note)") { try pair.callee.received(frame, now: now) }
    }
    // None of the frames has changed anything.
    for (number, frame) in frames.enumerated() {
      #expect(try pair.callee.received(frame, now: now).ping == UInt64(number))
      #expect(throws: SessionFault.authentication) { try pair.callee.received(frame, now: now) }
    }
  }

  @Test mutating func aBatchThatFitsNoFrameIsOurFault() throws {
    try pair.open()
    let item = Samples.item(1, bytes: Limits.itemBodyBytes, &random)
    let run = ItemRun(
      streamClass: .usage, epoch: 7, items: [item, Samples.item(2, bytes: Limits.itemBodyBytes, &random)])
    #expect {
      try pair.caller.seal(SessionBatch(runs: [run]), now: pair.clock.now)
    } throws: {
      if case SessionFault.violation = $0 { true } else { false }
    }
    let one = SessionBatch(runs: [ItemRun(streamClass: .usage, epoch: 7, items: [item])])
    #expect(try say(one) == one)
  }
}
