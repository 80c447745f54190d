import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct SessionTimerTests {
  private var random = SeededRandom()
  private var pair: SessionPair

  init() throws {
    pair = try SessionPair(&random)
    try pair.open()
  }

  /// Advances the time to the caller's timer, and calls it.
  private mutating func fire() -> SessionMachine.TimerEffect? {
    pair.clock.advance(pair.caller.nextTimer - pair.clock.now)
    return pair.caller.timerFired(now: pair.clock.now)
  }

  private mutating func hear() throws {
    let frame = try pair.callee.seal(SessionBatch(pong: 1), now: pair.clock.now)
    _ = try pair.caller.received(frame, now: pair.clock.now)
  }

  @Test mutating func silenceIsAskedTwiceAndThenDead() {
    let start = pair.clock.now
    #expect(pair.caller.nextTimer - start == 20_000)
    #expect(fire() == .ping(1))
    #expect(pair.clock.now - start == 20_000)
    #expect(fire() == .ping(2))
    #expect(pair.clock.now - start == 40_000)
    #expect(fire() == .dead)
    #expect(pair.clock.now - start == 60_000)
  }

  /// A peer that stays silent after the handshake does not hold a place for a minute.
  @Test func aHelloIsDueSoon() throws {
    var random = SeededRandom()
    let pair = try SessionPair(&random)
    var caller = pair.caller
    #expect(caller.nextTimer - pair.clock.now == 10_000)
    #expect(caller.timerFired(now: pair.clock.now + 9_999) == nil)
    #expect(caller.timerFired(now: pair.clock.now + 10_000) == .dead)
  }

  @Test mutating func nothingIsDueBeforeItsTime() {
    pair.clock.advance(19_999)
    #expect(pair.caller.timerFired(now: pair.clock.now) == nil)
    pair.clock.advance(1)
    #expect(pair.caller.timerFired(now: pair.clock.now) == .ping(1))
    // A second call at the same moment has no effect.
    #expect(pair.caller.timerFired(now: pair.clock.now) == nil)
    pair.clock.advance(19_999)
    #expect(pair.caller.timerFired(now: pair.clock.now) == nil)
  }

  @Test mutating func whateverIsHeardIsASignOfLife() throws {
    pair.clock.advance(59_999)
    try hear()
    let heard = pair.clock.now
    #expect(pair.caller.timerFired(now: heard) == nil)
    #expect(pair.caller.nextTimer - heard == 20_000)
    #expect(fire() == .ping(1))
    #expect(pair.clock.now - heard == 20_000)
  }

  /// The network has changed.
  ///
  /// A sign of life is due at once, and one within the time ends the doubt.
  @Test mutating func aSessionInDoubtIsDeadSoon() throws {
    let first = pair.caller.doubted(now: pair.clock.now)
    let again = pair.caller.doubted(now: pair.clock.now)
    #expect(first == 1)
    #expect(again == nil, "it is owed already")
    let start = pair.clock.now
    #expect(!pair.caller.mayBeReplaced)
    #expect(fire() == .callBeside)
    #expect(pair.clock.now - start == 500 && pair.caller.mayBeReplaced)
    #expect(pair.caller.timerFired(now: pair.clock.now) == nil, "once in a doubt")
    pair.clock.advance(1_499)
    try hear()
    #expect(!pair.caller.mayBeReplaced)
    #expect(pair.caller.timerFired(now: pair.clock.now) == nil)
    #expect(pair.caller.nextTimer - pair.clock.now == 20_000)
    let next = pair.caller.doubted(now: pair.clock.now)
    #expect(next == 2)
    let second = pair.clock.now
    #expect(fire() == .callBeside)
    #expect(pair.clock.now - second == 500)
    #expect(fire() == .dead)
    #expect(pair.clock.now - second == 2_000)
    #expect(second - start == 1_999)
  }

  @Test mutating func whatCannotBeOpenedIsNone() throws {
    pair.clock.advance(30_000)
    #expect(throws: SessionFault.authentication) {
      try pair.caller.received([UInt8](repeating: 0, count: 40), now: pair.clock.now)
    }
    pair.clock.advance(30_000)
    #expect(pair.caller.timerFired(now: pair.clock.now) == .dead)
  }

  @Test mutating func ourOwnWordsAreNone() throws {
    for _ in 0..<6 {
      pair.clock.advance(10_000)
      _ = try pair.caller.seal(SessionBatch(ping: 1), now: pair.clock.now)
    }
    #expect(pair.caller.timerFired(now: pair.clock.now) == .dead)
  }

  @Test mutating func afterADayTheSessionIsRenewed() throws {
    let start = pair.clock.now
    var effects: [SessionMachine.TimerEffect] = []
    repeat {
      guard let effect = fire() else { continue }
      effects.append(effect)
      if case .ping = effect { try hear() }
    } while effects.last.map { if case .ping = $0 { true } else { false } } ?? true
    #expect(effects.last == .renew)
    #expect(pair.clock.now - start == 86_400_000)
    #expect(effects.count == 4_320)
  }

  /// Two effects are due at the same moment; nothing is left for a second call of the timer.
  @Test mutating func aSessionInDoubtThatIsADayOldIsRenewed() throws {
    let end = pair.clock.now + Limits.sessionMilliseconds
    while end - pair.clock.now > 50_000 {
      pair.clock.advance(50_000)
      try hear()
    }
    pair.clock.advance(end - pair.clock.now - 1)
    try hear()
    let ping = pair.caller.doubted(now: pair.clock.now)
    #expect(ping == 1)
    pair.clock.advance(Limits.callBesideMilliseconds)
    #expect(pair.caller.timerFired(now: pair.clock.now) == .renew)
  }

  /// The machine slept.
  ///
  /// The session was neither a day old nor alive, and a dead session cannot say goodbye.
  @Test mutating func afterALongSleepTheSessionIsDead() {
    pair.clock.advance(2 * 86_400_000)
    #expect(pair.caller.timerFired(now: pair.clock.now) == .dead)
  }
}
