import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct SessionRekeyTests {
  private var random = SeededRandom()
  private var pair: SessionPair

  init() throws { pair = try SessionPair(&random) }

  /// Each direction counts by itself: the caller sends twice as much.
  @Test mutating func aDirectionTakesANewKeyEvery65536Frames() throws {
    var (callerSaid, calleeSaid): ([UInt64], [UInt64]) = ([], [])
    let now = pair.clock.now
    // A reader with the first keys that does not follow the changes.
    var spy = pair.calleeTransport
    try pair.open()
    _ = try spy.seal([])
    var plain = pair.callerTransport
    _ = try spy.open(try plain.seal([]))
    for frame in UInt64(2)...131_073 {
      let sealed = try pair.caller.seal(SessionBatch(), now: now)
      if try pair.callee.received(sealed, now: now).rekey { callerSaid.append(frame) }
      if frame <= 65_536 {
        if frame > 65_530 { #expect(throws: Never.self) { try spy.open(sealed) } } else { _ = try spy.open(sealed) }
      } else if frame < 65_540 {
        #expect(throws: NoiseError.authenticationFailed) { try spy.open(sealed) }
      }
      guard frame.isMultiple(of: 2) else { continue }
      let back = try pair.callee.seal(SessionBatch(), now: now)
      if try pair.caller.received(back, now: now).rekey { calleeSaid.append(frame / 2 + 1) }
    }
    #expect(callerSaid == [65_536, 131_072])
    #expect(calleeSaid == [65_536])
  }

  @Test mutating func aDirectionTakesANewKeyEveryHour() throws {
    try pair.open()
    var spy = pair.calleeTransport
    var plain = pair.callerTransport
    _ = try spy.open(try plain.seal([]))

    func say(_ pair: inout SessionPair) throws -> (frame: [UInt8], rekey: Bool) {
      let frame = try pair.caller.seal(SessionBatch(ping: 1), now: pair.clock.now)
      return (frame, try pair.callee.received(frame, now: pair.clock.now).rekey)
    }
    // The Hello was sealed when the session began, and so no new key was due.
    pair.clock.advance(3_599_999)
    #expect(try say(&pair).rekey == false)
    pair.clock.advance(1)
    #expect(try say(&pair).rekey == true)
    #expect(try say(&pair).rekey == false)
    // The other direction has its own clock.
    let back = try pair.callee.seal(SessionBatch(pong: 1), now: pair.clock.now)
    #expect(try pair.caller.received(back, now: pair.clock.now).rekey == true)
    pair.clock.advance(3_599_999)
    #expect(try say(&pair).rekey == false)
    pair.clock.advance(1)
    #expect(try say(&pair).rekey == true)
    let last = try say(&pair)
    #expect(last.rekey == false)
    #expect(throws: NoiseError.authenticationFailed) { try spy.open(last.frame) }
  }

  /// A side may change its key at any time.
  @Test mutating func aSideMayAskForANewKey() throws {
    try pair.open()
    for _ in 0..<5 {
      let frame = try pair.caller.seal(SessionBatch(rekey: true), now: pair.clock.now)
      #expect(try pair.callee.received(frame, now: pair.clock.now).rekey)
      let back = try pair.callee.seal(SessionBatch(ping: 1), now: pair.clock.now)
      #expect(try pair.caller.received(back, now: pair.clock.now).ping == 1)
    }
  }
}
