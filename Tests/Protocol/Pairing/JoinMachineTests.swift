import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of a join: each input in each phase.
@Suite struct JoinMachineTests {
  private var random = SeededRandom()
  private var lives: PairingLives

  init() { lives = PairingLives(&random) }

  private var phase: String { PairingLives.phase(lives.join) }
  private var shown: PairingProgress { lives.join.shown }

  private mutating func words() -> [String] {
    defer { lives.joinerWords = [] }
    return lives.joinerWords
  }

  private func names(_ effects: [PairingLives.Join.Effect]) -> [String] { effects.map(PairingLives.name) }

  @Test mutating func theWholeWay() {
    #expect(phase == "waiting" && lives.join.isWaiting && shown.phase == .waiting)
    lives.connect(joinerAsks: true, &random)
    #expect(phase == "meeting" && !lives.join.isWaiting && lives.join.patience == 10_000)
    lives.pass()
    #expect(phase == "asking" && lives.join.asked == 1 && words() == ["lift"] && lives.join.patience == 900_000)
    lives.take(lives.join.answered(true))
    #expect(phase == "agreed" && shown.phase == .committing && lives.join.asked == nil && words().isEmpty)
    #expect(lives.join.patience == 900_000, "the inviter's person is still asked")
    lives.take(lives.invitation.answered(true))
    lives.take(lives.invitation.stored(wasPaired: false, in: lives.served))
    lives.pass()
    #expect(phase == "storing" && words() == ["storePending"])
    lives.take(lives.join.stored(wasPaired: false, in: lives.dialled))
    #expect(phase == "awaitingLastWord" && shown.phase == .committing)
    lives.pass()
    lives.take(lives.invitation.promoted(in: lives.served))
    lives.pass()
    #expect(phase == "promoting" && words() == ["promote"])
    #expect(lives.join.lost(lives.dialled).isEmpty, "the last word is here")
    #expect(names(lives.join.promoted(in: lives.dialled)) == ["close", "welcome"] && phase == "completing")
    let device = PairingLives.device(lives.inviterParty)
    #expect(names(lives.join.welcomed(device)) == ["ended"])
    #expect(shown.outcome == .ok && shown.device == device && shown.peerName?.text == "Kitchen laptop")
  }

  @Test mutating func whatTheSearchComesUponIsShownUntilItIsOver() {
    var join = lives.join
    #expect(join.heard(.otherCodes(own: "7Q", open: ["KX", "N5"])).isEmpty)
    #expect(join.shown.phase == .waiting && join.isWaiting)
    #expect(
      join.shown.sentence
        == "No machine with a code whose short form begins with 7Q has been found yet; the codes that are open here begin with "
        + "KX, N5. Looking on: if it takes long, compare the code with the other screen.")
    var wrong = join
    _ = wrong.heard(.saidToBeWrong)
    #expect(wrong.shown.sentence?.contains("says that the rest of it is wrong") == true)
    #expect(names(wrong.searched(.wrongCode)) == ["ended"] && wrong.shown.sentence == PairingOutcome.wrongCode.sentence)
    // A hint decides nothing, and says nothing about another end.
    var other = join
    #expect(names(other.searched(.expired)) == ["ended"] && other.shown.sentence == PairingOutcome.expired.sentence)
    #expect(names(join.searched(.notFound)) == ["ended"] && join.shown.outcome == .notFound)
    #expect(join.shown.sentence?.contains("begins with 7Q; the codes that are open here begin with KX, N5") == true)
  }

  @Test mutating func aTypedCodesRunIsCountedBeforeTheNextFrame() {
    lives.connect(isTyped: true, &random)
    lives.take(lives.invitation.received(lives.toInviter.removeFirst(), in: lives.served))
    lives.take(lives.join.received(lives.toJoiner.removeFirst(), in: lives.dialled))
    #expect(phase == "counting" && words() == ["countRun"] && lives.toInviter.isEmpty)
    var refused = lives.join
    #expect(names(refused.notCounted(in: lives.dialled)) == ["close", "ended"], "what is not counted is not said")
    #expect(refused.shown.outcome == .network)
    var cancelled = lives.join
    #expect(names(cancelled.requestedEnd(.cancelled)) == ["close", "ended"])
    lives.take(lives.join.counted(in: lives.dialled))
    #expect(phase == "meeting" && lives.toInviter.count == 1)
    lives.pass()
    #expect(phase == "asking" && words() == ["creditRun", "lift"])
  }

  @Test mutating func anybodysWordIsForTheSearchAndTheInvitersEndsTheJoin() {
    lives.connect(&random)
    var refused = lives
    refused.take(refused.join.received(PairingNotice.wrongCode.frame, in: refused.dialled))
    #expect(refused.join.attempted == .wrongCode && refused.join.isWaiting)
    var silent = lives
    silent.take(silent.join.lost(silent.dialled))
    let next = attempt(lives)
    #expect(silent.join.attempted == .expired && silent.join.connected(2, next) != nil)
    lives.pass()
    lives.take(lives.invitation.answered(false))
    lives.pass()
    #expect(phase == "ended" && shown.outcome == .refused && lives.join.connected(2, next) == nil)
  }

  private func attempt(_ lives: PairingLives) -> PairingAttempt {
    var random = SeededRandom()
    return PairingAttempt(
      joiner: lives.joinerParty, code: .pasted(lives.code), entropy: Samples.entropy(&random), asksPerson: false)
  }

  @Test mutating func theSearchEndsAJoinThatIsNotAtIt() {
    var searching = lives.join
    #expect(names(searching.searched(.notFound)) == ["ended"] && searching.shown.outcome == .notFound)
    lives.connect(&random)
    #expect(lives.join.searched(.notFound).isEmpty && phase == "meeting")
  }

  @Test mutating func anEndBeforeThePointOfNoReturn() {
    var stages = [lives]
    lives.connect(joinerAsks: true, &random)
    stages.append(lives)
    lives.pass()
    stages.append(lives)
    lives.take(lives.join.answered(true))
    stages.append(lives)
    lives.take(lives.invitation.answered(true))
    lives.take(lives.invitation.stored(wasPaired: false, in: lives.served))
    lives.pass()
    stages.append(lives)
    let expected = [
      ["ended"], ["close", "ended"], ["send", "close", "ended"], ["send", "close", "ended"],
      ["discard", "send", "close", "ended"],
    ]
    for (index, stage) in stages.enumerated() {
      var join = stage.join
      #expect(names(join.requestedEnd(.cancelled)) == expected[index], "\(PairingLives.phase(stage.join))")
      #expect(join.shown.outcome == .cancelled && join.shown.sentence?.hasPrefix("You cancelled") == true)
      #expect(join.requestedEnd(.cancelled).isEmpty && join.searched(.notFound).isEmpty)
      #expect(join.stored(wasPaired: false, in: stage.dialled).isEmpty && join.lost(stage.dialled).isEmpty)
    }
  }

  @Test mutating func aCancellationAtTheOtherMachineIsToldAsOne() {
    lives.ask(&random)
    lives.take(lives.invitation.requestedEnd(.cancelled))
    lives.pass()
    #expect(shown.outcome == .cancelled && shown.sentence?.contains("at the other machine") == true)
  }

  @Test mutating func aStoreThatRefusesTheHalfEndsTheJoin() {
    lives.commit(&random)
    #expect(names(lives.join.notStored(in: lives.dialled)) == ["discard", "send", "close", "ended"])
    #expect(shown.outcome == .network)
  }

  @Test mutating func aLostLastWordIsADoubtAndASessionSettlesIt() {
    lives.acknowledge(&random)
    #expect(names(lives.join.lost(lives.dialled)) == ["close", "settle"])
    #expect(phase == "inDoubt" && shown.phase == .committing && shown.sentence?.contains("up to a minute") == true)
    #expect(lives.join.doubted().isEmpty && lives.join.requestedEnd(.network).isEmpty && phase == "inDoubt")
    #expect(lives.join.completed(lives.child).isEmpty && lives.join.rolledBack(lives.child).isEmpty, "another device")
    var lapsed = lives.join
    #expect(names(lapsed.rolledBack(lives.parent)) == ["ended"] && lapsed.shown.outcome == .network)
    var superseded = lives.join
    #expect(names(superseded.superseded()) == ["ended"] && superseded.shown.outcome == .network)
    #expect(names(lives.join.completed(lives.parent)) == ["welcome"] && phase == "completing")
    #expect(names(lives.join.welcomed(nil)) == ["ended"] && shown.outcome == .ok)
  }

  @Test mutating func aBrokenLastWordIsADoubtAndAnAbortIsNone() {
    lives.acknowledge(&random)
    var broken = lives.join
    #expect(names(broken.received([1, 2, 3], in: lives.dialled)) == ["close", "settle"])
    #expect(PairingLives.phase(broken) == "inDoubt")
    // The inviter has not made the pairing active yet and cannot do so: it gives up.
    lives = PairingLives(&random)
    lives.commit(&random)
    lives.take(lives.join.stored(wasPaired: false, in: lives.dialled))
    lives.take(lives.invitation.requestedEnd(.cancelled))
    lives.toInviter = []
    lives.pass()
    #expect(words().suffix(3) == ["discard", "close", "ended"] && shown.outcome == .cancelled)
  }

  @Test mutating func aSessionMayBeFasterThanTheLastWord() {
    lives.acknowledge(&random)
    #expect(names(lives.join.completed(lives.parent)) == ["close", "welcome"] && phase == "completing")
    #expect(lives.join.lost(lives.dialled).isEmpty, "the attempt is over")
  }

  @Test(arguments: [false, true]) mutating func inDoubtAPersonIsObeyedAtOnce(wasPaired: Bool) {
    lives.acknowledge(wasPaired: wasPaired, &random)
    _ = lives.join.lost(lives.dialled)
    guard !wasPaired else {
      #expect(names(lives.join.requestedEnd(.cancelled)) == ["ended"] && shown.outcome == .cancelled)
      return
    }
    #expect(names(lives.join.requestedEnd(.cancelled)) == ["force"] && phase == "inDoubt")
    // A session may complete the pairing meanwhile; it is reversed nevertheless.
    var met = lives.join
    _ = met.completed(lives.parent)
    #expect(names(met.welcomed(nil)) == ["remove"])
    #expect(names(lives.join.forced()) == ["remove"] && phase == "undoing")
    #expect(names(lives.join.removed(true)) == ["ended"] && shown.outcome == .cancelled)
    #expect(shown.sentence?.hasPrefix("You cancelled") == true)
  }

  @Test(arguments: [false, true]) mutating func pastReturnAPersonIsObeyedOnceItIsClear(wasPaired: Bool) {
    lives.acknowledge(wasPaired: wasPaired, &random)
    #expect(lives.join.requestedEnd(.cancelled).isEmpty && phase == "awaitingLastWord")
    // In doubt, the machine first looks up how the pairing ended.
    var lost = lives.join
    #expect(names(lost.lost(lives.dialled)) == ["close", "settle"])
    #expect(names(lost.doubted()) == (wasPaired ? ["ended"] : ["force"]))
    lives.take(lives.invitation.promoted(in: lives.served))
    lives.pass()
    #expect(phase == "promoting" && lives.join.requestedEnd(.cancelled).isEmpty)
    _ = lives.join.promoted(in: lives.dialled)
    #expect(lives.join.requestedEnd(.cancelled).isEmpty && phase == "completing")
    #expect(names(lives.join.welcomed(nil)) == (wasPaired ? ["ended"] : ["remove"]))
    guard !wasPaired else { return }
    #expect(names(lives.join.removed(false)) == ["ended"] && shown.outcome == .ok)
  }

  @Test mutating func whatCannotBeMadeActiveEndsTheJoin() {
    lives.finish(&random)
    #expect(names(lives.join.notPromoted(in: lives.dialled)) == ["close", "ended"] && shown.outcome == .network)
  }

  @Test mutating func aSessionWhileItIsMadeActiveChangesNothing() {
    lives.finish(&random)
    #expect(phase == "promoting" && lives.join.completed(lives.parent).isEmpty && phase == "promoting")
  }
}
