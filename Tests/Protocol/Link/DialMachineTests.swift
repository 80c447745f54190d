import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of each phase of the dialler with each event: Protocol/04-session.md §5 and its diagram.
@Suite struct DialMachineTests {
  private static let one = SocketEndpoint(host: "192.0.2.1", port: 7)
  private static let two = SocketEndpoint(host: "192.0.2.2", port: 7)

  private struct Rig {
    var dialler = DialMachine(jitterSeed: 1)
    var now = BootInstant(milliseconds: 1_000)
    var need = DialMachine.Need.session

    /// Passes an input to the dialler, lets it settle, and returns its effects.
    mutating func after(
      _ milliseconds: Int64 = 0, _ tell: (inout DialMachine, BootInstant) -> Void = { _, _ in }
    ) -> [DialMachine.Effect] {
      now = now + milliseconds
      tell(&dialler, now)
      dialler.settle(need, crowd: 1, now: now)
      return dialler.takeEffects()
    }

    /// Advances the time to the dialler's timer, and returns its effects.
    mutating func atTimer() -> [DialMachine.Effect] {
      let due = dialler.nextTimer ?? now
      return after(due - now) { $0.timerFired(crowd: 1, now: $1) }
    }

    mutating func race(_ addresses: [SocketEndpoint] = [one]) -> [DialMachine.Effect] {
      _ = after()
      return after { $0.lookedUp(addresses, crowd: 1, now: $1) }
    }
  }

  // MARK: Resting

  @Test func aSessionThatIsNeededIsLookedFor() {
    var rig = Rig()
    #expect(rig.after() == [.lookUp])
    #expect(rig.dialler.isDialling && rig.after() == [])
  }

  @Test func nothingIsDoneWhileNothingIsNeeded() {
    var rig = Rig()
    rig.need = .nothing
    #expect(rig.after() == [] && rig.dialler.nextTimer == nil)
    #expect(rig.after { $0.signOfLife(crowd: 1, now: $1) } == [])
  }

  // MARK: Looking

  @Test func withoutAnAddressASignOfLifeIsWaitedFor() {
    var rig = Rig()
    #expect(rig.race([]) == [])
    #expect(rig.dialler.nextTimer == nil && rig.after(60_000) == [])
    #expect(rig.after { $0.signOfLife(crowd: 1, now: $1) } == [.lookUp])
  }

  @Test func anAddressThatComesToLightWhileTheyAreLookedUpIsNotMissed() {
    var rig = Rig()
    _ = rig.after()
    _ = rig.after { $0.signOfLife(crowd: 1, now: $1) }
    #expect(rig.after { $0.lookedUp([], crowd: 1, now: $1) } == [.lookUp])
  }

  @Test func addressesThatNobodyNeedsAnyMoreAreNotCalled() {
    var rig = Rig()
    _ = rig.after()
    rig.need = .nothing
    _ = rig.after()
    #expect(rig.after { $0.lookedUp([Self.one], crowd: 1, now: $1) } == [])
  }

  // MARK: Racing

  @Test func addressesAreCalledOneALittleAfterTheOther() {
    var rig = Rig()
    #expect(rig.race([Self.one, Self.two]) == [.call(1, Self.one)])
    #expect(rig.atTimer() == [.call(2, Self.two)])
  }

  @Test func theFirstThatIsAuthenticatedWins() {
    var rig = Rig()
    _ = rig.race([Self.one, Self.two])
    _ = rig.atTimer()
    var wins = false
    rig.need = .nothing
    #expect(rig.after { machine, _ in wins = machine.authenticated(2) } == [.giveUp(1)])
    #expect(wins)
    var winsToo = true
    _ = rig.after { machine, _ in winsToo = machine.authenticated(1) }
    #expect(!winsToo)
  }

  @Test func callsAreGivenUpWhenThePeerHasCalled() {
    var rig = Rig()
    _ = rig.race()
    rig.need = .nothing
    #expect(rig.after() == [.giveUp(1)])
    // The end of this call no longer matters.
    #expect(rig.dialler.ended(1, .failed(""), crowd: 1, now: rig.now) == nil)
  }

  @Test func callsOverWaysThatAreGoneAreGivenUp() {
    var rig = Rig()
    _ = rig.race()
    #expect(rig.after { $0.networkChanged(now: $1) } == [.giveUp(1)])
    #expect(rig.dialler.nextTry == rig.now + DialPace.shortest)
    #expect(rig.atTimer() == [.lookUp])
  }

  @Test(arguments: [CallOutcome.unreachable("a"), .failed("b"), .silent("c")])
  func aLostRaceIsFollowedByAPause(outcome: CallOutcome) {
    var rig = Rig()
    _ = rig.race()
    #expect(rig.after { $0.ended(1, outcome, crowd: 1, now: $1) } == [.lost(outcome)])
    #expect(rig.dialler.failures == 1 && rig.dialler.lostRaces == 1)
    #expect(rig.dialler.nextTry.map { (rig.now + 500...rig.now + 1_000).contains($0) } == true)
    #expect(rig.atTimer() == [.lookUp])
  }

  @Test func silenceTellsMostOfWhatCallsCameTo() {
    var rig = Rig()
    _ = rig.race([Self.one, Self.two])
    _ = rig.after { $0.ended(1, .silent("s"), crowd: 1, now: $1) }
    #expect(rig.after { $0.ended(2, .unreachable("u"), crowd: 1, now: $1) } == [.lost(.silent("s"))])
  }

  // MARK: Pausing

  @Test func aSignOfLifeShortensAPauseOnce() {
    var rig = Rig()
    _ = rig.race()
    _ = rig.after { $0.ended(1, .failed(""), crowd: 1, now: $1) }
    let begun = rig.now
    _ = rig.after(50) { $0.signOfLife(crowd: 1, now: $1) }
    #expect(rig.dialler.nextTry == begun + DialPace.shortest && rig.dialler.failures == 0)
    _ = rig.after(50) { $0.signOfLife(crowd: 4_000, now: $1) }
    #expect(rig.dialler.nextTry == begun + DialPace.shortest)
  }

  @Test func aSignOfLifeThatCameDuringTheRaceCounts() {
    var rig = Rig()
    _ = rig.race()
    _ = rig.after { $0.signOfLife(crowd: 1, now: $1) }
    _ = rig.after { $0.ended(1, .failed(""), crowd: 1, now: $1) }
    #expect(rig.dialler.nextTry.map { $0 - rig.now <= DialPace.shortest + 2 } == true)
  }

  @Test func aPauseEndsWithTheNeed() {
    var rig = Rig()
    _ = rig.race()
    _ = rig.after { $0.ended(1, .failed(""), crowd: 1, now: $1) }
    rig.need = .nothing
    _ = rig.after()
    #expect(rig.dialler.nextTimer == nil)
  }

  // MARK: After a session

  @Test func afterASessionThatLastedTheOneThatCalledWaitsALittle() {
    for isOurs in [true, false] {
      var rig = Rig()
      let effects = rig.after {
        $0.sessionEnded(after: 60_000, isOurs: isOurs, isDuplicate: false, crowd: 1, now: $1)
      }
      #expect(effects == (isOurs ? [] : [.lookUp]))
      #expect(rig.dialler.nextTry == (isOurs ? rig.now + DialPace.shortest : nil))
    }
  }

  @Test(arguments: [true, false]) func sessionsThatFallApartAreTriedMoreAndMoreSeldom(isOurs: Bool) {
    var rig = Rig()
    var waits: [Int64] = []
    for _ in 0..<12 {
      rig.need = .nothing
      _ = rig.after()
      rig.need = .session
      _ = rig.after { $0.sessionEnded(after: 100, isOurs: isOurs, isDuplicate: false, crowd: 1, now: $1) }
      waits.append((rig.dialler.nextTry ?? rig.now) - rig.now)
    }
    #expect(waits[0] >= 500 && waits[11] >= 30_000 && waits[11] <= 60_000)
  }

  @Test func aDuplicateIsNoFailedTry() {
    var rig = Rig()
    _ = rig.after { $0.sessionEnded(after: 10, isOurs: true, isDuplicate: true, crowd: 1, now: $1) }
    #expect(rig.dialler.failures == 0 && rig.dialler.nextTry == rig.now + DialPace.shortest)
  }

  // MARK: Beside a silent session

  @Test func aSilentSessionIsCalledBesideOnce() {
    var rig = Rig()
    rig.need = .sessionBeside(3)
    _ = rig.after()
    #expect(rig.dialler.nextTimer != nil)
    #expect(rig.atTimer() == [.lookUp])
    #expect(rig.after { $0.lookedUp([Self.one], crowd: 1, now: $1) } == [.call(1, Self.one)])
    #expect(rig.after { $0.ended(1, .unreachable(""), crowd: 1, now: $1) } == [.lost(.unreachable(""))])
    #expect(rig.after(60_000) == [] && rig.dialler.nextTimer == nil)
  }

  @Test func aSessionThatIsHeardOfAgainStaysAndMayFallIntoDoubtAnew() {
    var rig = Rig()
    rig.need = .sessionBeside(3)
    _ = rig.after()
    _ = rig.atTimer()
    _ = rig.after { $0.lookedUp([Self.one], crowd: 1, now: $1) }
    rig.need = .nothing
    #expect(rig.after() == [.giveUp(1)])
    rig.need = .sessionBeside(3)
    _ = rig.after()
    #expect(rig.atTimer() == [.lookUp])
  }

  @Test func callsGoOnWhenTheSilentSessionDies() {
    var rig = Rig()
    rig.need = .sessionBeside(3)
    _ = rig.after()
    _ = rig.atTimer()
    _ = rig.after { $0.lookedUp([Self.one], crowd: 1, now: $1) }
    rig.need = .session
    #expect(rig.after { $0.sessionEnded(after: 60_000, isOurs: true, isDuplicate: false, crowd: 1, now: $1) } == [])
    #expect(rig.after { $0.ended(1, .failed("f"), crowd: 1, now: $1) } == [.lost(.failed("f"))])
    #expect(rig.dialler.nextTry != nil)
  }

  @Test func aCrowdDoesNotCallAtOneMoment() {
    var spreads: Set<Int64> = []
    for seed in 0..<20 {
      var dialler = DialMachine(jitterSeed: UInt64(seed))
      let now = BootInstant(milliseconds: 0)
      dialler.settle(.sessionBeside(1), crowd: 1_000, now: now)
      spreads.insert((dialler.nextTimer ?? now) - now)
    }
    #expect(spreads.count > 15 && spreads.allSatisfy { $0 <= 2_000 })
  }
}
