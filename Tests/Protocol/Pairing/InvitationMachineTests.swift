import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of an open code: each input in each phase.
@Suite struct InvitationMachineTests {
  private var random = SeededRandom()
  private var lives: PairingLives

  init() { lives = PairingLives(&random) }

  private var phase: String { PairingLives.phase(lives.invitation) }
  private var shown: PairingProgress { lives.invitation.shown }

  /// Returns the effects since the last call.
  private mutating func words() -> [String] {
    defer { lives.inviterWords = [] }
    return lives.inviterWords
  }

  /// Returns the names of effects, including frames.
  private func names(_ effects: [PairingLives.Invitation.Effect]) -> [String] { effects.map(PairingLives.name) }

  @Test mutating func theWholeWay() {
    #expect(phase == "waiting" && shown.phase == .waiting && shown.failuresLeft == 5)
    lives.connect(&random)
    #expect(phase == "meeting" && shown.phase == .waiting && lives.invitation.asked == nil)
    lives.pass()
    #expect(phase == "asking" && shown.phase == .asking && lives.invitation.asked == 1)
    #expect(shown.peerName?.text == "Emma's PC" && shown.digits == lives.join.shown.digits && words() == ["lift"])
    lives.take(lives.invitation.answered(true))
    #expect(phase == "storing" && shown.phase == .committing && words() == ["storePending"])
    lives.take(lives.invitation.stored(wasPaired: false, in: lives.served))
    #expect(phase == "awaitingLastWord" && shown.phase == .committing && shown.digits != nil)
    lives.pass()
    lives.take(lives.join.stored(wasPaired: false, in: lives.dialled))
    lives.pass()
    #expect(phase == "promoting" && words() == ["promote"])
    #expect(names(lives.invitation.promoted(in: lives.served)) == ["send", "close", "welcome"])
    #expect(phase == "completing" && shown.phase == .committing && lives.invitation.credential(isTyped: false) == nil)
    let device = PairingLives.device(lives.joinerParty)
    #expect(names(lives.invitation.welcomed(device)) == ["ended"])
    #expect(phase == "ended" && shown.outcome == .ok && shown.device == device && shown.digits == nil)
    #expect(shown.peerName?.text == "Emma's PC")
  }

  @Test mutating func oneJoinerAtATimeAndNoneAfterTheEnd() {
    lives.connect(&random)
    let (other, before) = (PairingLives(&random), lives.served)
    func knock(_ invitation: inout PairingLives.Invitation) -> Int? {
      invitation.connected(
        2,
        PairingAttempt(
          inviter: other.inviterParty, code: .pasted(other.code), joinerRole: .child, entropy: Samples.entropy(&random),
          discoveryKey: random.bytes(32), asksPerson: true))
    }
    #expect(knock(&lives.invitation) == nil)
    lives.take(lives.invitation.lost(lives.served))
    #expect(words() == ["abandoned", "close"])
    #expect(phase == "waiting")
    let next = knock(&lives.invitation)
    #expect(next == before + 1)
    // Late inputs of the earlier attempt are ignored.
    #expect(lives.invitation.lost(before).isEmpty && lives.invitation.received([1], in: before).isEmpty)
    #expect(phase == "meeting")
    lives.take(lives.invitation.requestedEnd(.expired))
    #expect(knock(&lives.invitation) == nil && lives.invitation.credential(isTyped: true) == nil)
  }

  @Test mutating func aWrongGuessIsCountedBeforeItIsAnsweredAndHoldsThePlace() {
    for failures in 1...Limits.pairingFailures {
      lives.connect(wrong: true, &random)
      lives.take(lives.invitation.received(lives.toInviter.removeFirst(), in: lives.served))
      #expect(phase == "counting" && words() == ["countFailure"] && lives.toJoiner.isEmpty)
      // If the connection is lost meanwhile, the guess is counted nevertheless, and is no abandoned
      // attempt.
      if failures == 2 { #expect(lives.invitation.lost(lives.served).isEmpty && phase == "counting") }
      lives.take(lives.invitation.counted(failures: failures, in: lives.served))
      #expect(lives.toJoiner == [PairingNotice.wrongCode.frame])
      #expect(shown.failuresLeft == Limits.pairingFailures - failures)
      let isSpent = failures == Limits.pairingFailures
      #expect(words() == (isSpent ? ["close", "ended"] : ["close"]) && phase == (isSpent ? "ended" : "waiting"))
      lives.take(lives.join.received(lives.toJoiner.removeFirst(), in: lives.dialled))
    }
    #expect(shown.outcome == .wrongCode && shown.sentence?.contains("wrong guesses") == true)
  }

  @Test mutating func aCodeThatIsClosedWhileAGuessIsCountedStaysClosed() {
    lives.connect(wrong: true, &random)
    lives.take(lives.invitation.received(lives.toInviter.removeFirst(), in: lives.served))
    lives.take(lives.invitation.requestedEnd(.cancelled))
    #expect(words() == ["countFailure", "close", "ended"] && lives.toJoiner == [PairingNotice.wrongCode.frame])
    #expect(lives.invitation.counted(failures: 5, in: lives.served).isEmpty && shown.outcome == .cancelled)
  }

  @Test mutating func aLostJoinerLeavesTheCodeOpen() {
    lives.ask(&random)
    lives.take(lives.invitation.lost(lives.served))
    #expect(words() == ["lift", "close"] && phase == "waiting" && shown.phase == .waiting)
    #expect(shown.digits == nil && shown.peerName == nil && shown.sentence?.hasPrefix("That machine is gone") == true)
    lives.take(lives.join.lost(lives.dialled))
    lives.join = PairingLives.Join(pairingID: "again", discriminator: lives.code.discriminator)
    lives.ask(&random)
    #expect(lives.invitation.asked == 2 && shown.sentence == nil)
  }

  @Test mutating func aRefusalOfEitherPersonClosesTheCode() {
    lives.ask(&random)
    var other = lives
    lives.take(lives.invitation.answered(false))
    #expect(words() == ["lift", "close", "ended"] && shown.outcome == .refused && lives.toJoiner.count == 1)
    other.take(other.join.answered(false))
    other.pass()
    #expect(other.invitation.shown.outcome == .refused)
  }

  /// Each cause of an end before the point of no return, and the state after it.
  @Test(arguments: [PairingOutcome.cancelled, .expired]) mutating func anEndBeforeThePointOfNoReturn(
    outcome: PairingOutcome
  ) {
    var stages = [lives]
    lives.connect(&random)
    stages.append(lives)
    lives.pass()
    stages.append(lives)
    lives.take(lives.invitation.answered(true))
    stages.append(lives)
    lives.take(lives.invitation.stored(wasPaired: false, in: lives.served))
    stages.append(lives)
    for (index, stage) in stages.enumerated() {
      var invitation = stage.invitation
      let effects =
        outcome == .expired ? invitation.timerFired(PairingLives.deadline) : invitation.requestedEnd(outcome)
      let expected = [
        ["ended"], ["close", "ended"], ["send", "close", "ended"], ["discard", "send", "close", "ended"],
        ["discard", "send", "close", "ended"],
      ]
      #expect(names(effects) == expected[index], "\(PairingLives.phase(stage.invitation))")
      #expect(invitation.shown.outcome == outcome && invitation.deadline == nil)
      // Nothing follows the end.
      #expect(invitation.requestedEnd(.cancelled).isEmpty && invitation.timerFired(PairingLives.deadline).isEmpty)
      #expect(invitation.stored(wasPaired: false, in: stage.served).isEmpty)
      #expect(invitation.completed(stage.child, as: nil).isEmpty && invitation.shown.outcome == outcome)
    }
  }

  @Test mutating func theTimerIsSilentBeforeItsTime() {
    #expect(lives.invitation.timerFired(BootInstant(milliseconds: 299_999)).isEmpty && phase == "waiting")
  }

  @Test mutating func aStoreThatRefusesTheHalfClosesTheCode() {
    lives.accept(&random)
    #expect(names(lives.invitation.notStored(in: lives.served)) == ["discard", "send", "close", "ended"])
    #expect(shown.outcome == .network)
  }

  @Test(arguments: [false, true]) mutating func pastReturnAPersonIsObeyedOnceItIsFinal(wasPaired: Bool) {
    lives.acknowledge(wasPaired: wasPaired, &random)
    // The deadline of the code no longer applies.
    #expect(lives.invitation.timerFired(PairingLives.deadline).isEmpty && phase == "promoting")
    #expect(lives.invitation.requestedEnd(.cancelled).isEmpty && phase == "promoting")
    lives.take(lives.invitation.promoted(in: lives.served))
    let device = PairingLives.device(lives.joinerParty)
    #expect(names(lives.invitation.welcomed(device)) == (wasPaired ? ["ended"] : ["remove"]))
    guard !wasPaired else {
      #expect(shown.outcome == .ok && shown.device == device)
      return
    }
    #expect(phase == "undoing" && lives.invitation.requestedEnd(.cancelled).isEmpty)
    var refused = lives.invitation
    #expect(names(refused.removed(false)) == ["ended"])
    #expect(refused.shown.outcome == .ok && refused.shown.device == device)
    #expect(names(lives.invitation.removed(true)) == ["ended"])
    #expect(shown.outcome == .cancelled && shown.device == nil)
  }

  @Test mutating func aPersonMayStillBreakOffWhileTheNodeIsTold() {
    lives.finish(&random)
    #expect(phase == "completing" && lives.invitation.requestedEnd(.cancelled).isEmpty)
    #expect(lives.invitation.requestedEnd(.expired).isEmpty)
    #expect(names(lives.invitation.welcomed(nil)) == ["remove"])
  }

  @Test mutating func aRolledBackHalfThatComesLateLeavesTheCodeOpen() {
    lives.acknowledge(&random)
    var taken = lives.invitation
    #expect(names(lives.invitation.notPromoted(in: lives.served)) == ["close"])
    #expect(phase == "waiting" && shown.phase == .waiting)
    // Unless the person has cancelled it meanwhile.
    #expect(taken.requestedEnd(.cancelled).isEmpty)
    #expect(names(taken.notPromoted(in: lives.served)) == ["close", "discard", "ended"])
    #expect(taken.shown.outcome == .cancelled)
  }

  @Test mutating func aSessionOfTheHalfPairedDeviceSpendsTheCode() {
    lives.commit(&random)
    // The session is faster than the acknowledgement.
    var early = lives.invitation
    #expect(early.completed(lives.parent, as: nil).isEmpty, "another device's pairing")
    #expect(names(early.completed(lives.child, as: nil)) == ["close", "ended"] && early.shown.outcome == .ok)
    // The session comes after the connection was lost.
    lives.take(lives.invitation.lost(lives.served))
    #expect(phase == "waiting")
    var late = lives.invitation
    let device = PairingLives.device(lives.joinerParty)
    #expect(names(late.completed(lives.child, as: device)) == ["ended"])
    #expect(late.shown.outcome == .ok && late.shown.device == device)
    // The session comes while the person is asked about another joiner, which is too late and is
    // told so.
    var second = lives
    second.join = PairingLives.Join(pairingID: "second", discriminator: lives.code.discriminator)
    second.ask(&random)
    #expect(names(second.invitation.completed(lives.child, as: device)) == ["send", "close", "ended"])
    #expect(second.invitation.shown.outcome == .ok)
    // The session comes while another joiner is being stored, which the store refuses because the
    // code is spent.
    var third = PairingLives(half: lives.parent, &random)
    third.accept(&random)
    #expect(names(third.invitation.completed(lives.parent, as: device)) == ["discard", "send", "close", "ended"])
    #expect(third.invitation.notStored(in: third.served).isEmpty && third.invitation.shown.outcome == .ok)
    // The session comes after the pairing was rolled back, and does not count.
    #expect(lives.invitation.rolledBack(lives.child).isEmpty)
    #expect(lives.invitation.completed(lives.child, as: nil).isEmpty && phase == "waiting")
  }

  @Test mutating func whileItIsMadeActiveASessionChangesNothing() {
    lives.acknowledge(&random)
    #expect(lives.invitation.completed(lives.child, as: nil).isEmpty && phase == "promoting")
  }

  @Test mutating func aHalfThatARestartLeftIsKnown() {
    lives = PairingLives(half: lives.child, &random)
    let child = lives.child
    var cancelled = PairingLives(half: child, &random).invitation
    #expect(names(cancelled.requestedEnd(.cancelled)) == ["discard", "ended"], "a person leaves nothing behind")
    var spent = PairingLives(half: child, &random).invitation
    #expect(names(spent.completed(child, as: nil)) == ["ended"] && spent.shown.outcome == .ok)
  }

  @Test mutating func aJoinerThatIsLostWhileItIsStoredIsRemembered() {
    lives.accept(&random)
    #expect(names(lives.invitation.lost(lives.served)) == ["close"] && phase == "waiting")
    // The store finishes a moment later, and a session completes the pairing.
    #expect(lives.invitation.stored(wasPaired: false, in: lives.served).isEmpty)
    #expect(names(lives.invitation.completed(lives.child, as: nil)) == ["ended"] && shown.outcome == .ok)
  }

  @Test mutating func withoutAQuestionItGoesStraightToTheStore() {
    lives.connect(inviterAsks: false, &random)
    lives.pass()
    #expect(phase == "storing" && words() == ["lift", "storePending"] && shown.attempt == 1)
    #expect(lives.invitation.asked == nil && lives.invitation.answered(false).isEmpty)
  }

  @Test mutating func theJoinerHasAsLongAsAPersonNeeds() {
    #expect(lives.invitation.patience == Limits.pairingStepMilliseconds)
    lives.ask(&random)
    #expect(lives.invitation.patience == 900_000)
    lives.take(lives.invitation.answered(true))
    lives.take(lives.invitation.stored(wasPaired: false, in: lives.served))
    #expect(lives.invitation.patience == Limits.pairingCommitMilliseconds)
  }
}
