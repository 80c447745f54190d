import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests with every misplaced frame, in every state of both machines.
@Suite struct PairingHostileFrameTests {
  /// The required end of a side; without an outcome, the side must ignore the frame.
  private struct Ending {
    var outcome: PairingOutcome?
    var failures = 0
    var discards = 0
    var says: [[UInt8]] = []
    var kept = PairingSide.Kept.nothing
  }

  private static func inviterEnding(_ stage: PairingRig.Stage) -> Ending {
    switch stage {
    case .opening, .introduction: Ending(outcome: .wrongCode, failures: 1, says: [PairingNotice.wrongCode.frame])
    // The third message has proved the code, so nothing counts as a guess from here on.
    case .storing, .acknowledgement: Ending(outcome: .network, discards: 1)
    case .promoting, .ended: Ending(outcome: nil)
    default: Ending(outcome: .network)
    }
  }

  private static func joinerEnding(_ stage: PairingRig.Stage) -> Ending {
    switch stage {
    case .introduction: Ending(outcome: .wrongCode)
    case .storing: Ending(outcome: .network, discards: 1)
    // The inviter may have made the pairing final.
    case .done: Ending(outcome: .network, kept: .pending)
    case .promoting, .ended: Ending(outcome: nil)
    default: Ending(outcome: .network)
    }
  }

  /// Frames that are misplaced here: wrong shapes, replays, reflections, early frames, and frames
  /// of other pairings.
  private static func strays(
    whole: PairingRig, before: PairingSide, next: [UInt8]?, random: inout SeededRandom
  ) -> [(String, [UInt8])] {
    var strays: [(String, [UInt8])] = [
      ("empty", []), ("one byte", [0]), ("a tag's length", random.bytes(16)), ("a key's length", random.bytes(48)),
      ("the longest", random.bytes(Limits.frameBytes)), ("too long", random.bytes(Limits.frameBytes + 1)),
    ]
    for (index, frame) in (whole.joiner.sent + whole.inviter.sent).enumerated() where frame != next {
      strays.append(("frame \(index) of this pairing", frame))
    }
    var other = PairingRig(inviterAsks: false, joinerAsks: false, &random)
    other.settle()
    for (index, frame) in (other.joiner.sent + other.inviter.sent).enumerated() {
      strays.append(("frame \(index) of another pairing", frame))
    }
    // The same two machines with the same code. Only a first frame can have an effect there.
    var again = PairingRig(
      inviterAsks: false, joinerAsks: false, parties: (whole.inviterParty, whole.joinerParty), code: whole.code, &random
    )
    again.settle()
    for (index, frame) in (again.joiner.sent + again.inviter.sent).enumerated() where index > 0 {
      strays.append(("frame \(index) of an earlier pairing", frame))
    }
    return strays
  }

  /// Every alteration of one frame.
  private static func alterations(of frame: [UInt8]) -> [(String, [UInt8])] {
    var altered: [(String, [UInt8])] = [("one byte more", frame + [0])]
    for index in frame.indices {
      var flipped = frame
      flipped[index] ^= 1 << UInt8(index % 8)
      altered.append(("bit \(index % 8) of byte \(index)", flipped))
      altered.append(("cut to \(index)", Array(frame.prefix(index))))
    }
    return altered
  }

  private static func check(_ side: PairingSide, _ before: PairingSide, _ ending: Ending, _ what: String) {
    guard let outcome = ending.outcome else {
      #expect(
        side.outcomes == before.outcomes && side.sent == before.sent && side.kept == before.kept
          && side.failures == before.failures, "\(what)")
      return
    }
    #expect(side.outcomes == [outcome], "\(what)")
    #expect(side.failures == ending.failures, "\(what)")
    #expect(side.discards == ending.discards, "\(what)")
    #expect(Array(side.sent.dropFirst(before.sent.count)) == ending.says, "\(what)")
    #expect(side.kept == ending.kept && side.storing == nil, "\(what)")
    #expect(side.faults.isEmpty, "\(what): \(side.faults)")
    // The end is final.
    var after = side
    for frame in before.outgoing + [[]] { after.receive(frame) }
    after.accept()
    after.end(.cancelled)
    after.run(after.machine.stored())
    after.run(after.machine.promoted())
    after.lose()
    #expect(after.sent == side.sent && after.outcomes == side.outcomes && after.faults.isEmpty, "\(what)")
  }

  @Test(arguments: 0...PairingRig.steps, [false, true]) func theInviterEndsCleanly(step: Int, isTyped: Bool) {
    var random = SeededRandom()
    let rig = PairingRig(isTyped: isTyped, &random)
    var (here, whole) = (rig, rig)
    here.take(through: step)
    whole.take(through: PairingRig.steps)
    let stage = PairingRig.inviterStage(after: step)
    // The frames a joiner sends: opening, introduction, proof, acknowledgement.
    let place: Int? =
      switch stage {
      case .opening: 0
      case .introduction: 1
      case .proof: 2
      case .acknowledgement: 3
      default: nil
      }
    let next = place.map { whole.joiner.sent[$0 + (isTyped ? 1 : 0)] }
    var frames = Self.strays(whole: whole, before: here.inviter, next: next, random: &random)
    if let next, step < 2 || PairingRig.inviterStage(after: step - 1) != stage { frames += Self.alterations(of: next) }
    for (what, frame) in frames {
      var side = here.inviter
      side.receive(frame)
      Self.check(side, here.inviter, Self.inviterEnding(stage), "\(stage): \(what), \(random.note)")
    }
  }

  @Test(arguments: 0...PairingRig.steps, [false, true]) func theJoinerEndsCleanly(step: Int, isTyped: Bool) {
    var random = SeededRandom()
    let rig = PairingRig(isTyped: isTyped, &random)
    var (here, whole) = (rig, rig)
    here.take(through: step)
    whole.take(through: PairingRig.steps)
    let stage = PairingRig.joinerStage(after: step)
    // The frames an inviter sends: introduction, proof, commit, done.
    let place: Int? =
      switch stage {
      case .introduction: 0
      case .proof: 1
      case .commit: 2
      case .done: 3
      default: nil
      }
    let next = place.map { whole.inviter.sent[$0 + (isTyped ? 1 : 0)] }
    var frames = Self.strays(whole: whole, before: here.joiner, next: next, random: &random)
    if let next, step == 0 || PairingRig.joinerStage(after: step - 1) != stage { frames += Self.alterations(of: next) }
    for (what, frame) in frames {
      var side = here.joiner
      side.receive(frame)
      Self.check(side, here.joiner, Self.joinerEnding(stage), "\(stage): \(what), \(random.note)")
    }
  }

  /// A side for which the pairing is final does not let a stray frame undo it.
  @Test(arguments: [(11, true), (13, false)]) func aStrayFrameDoesNotUndoWhatIsFinal(step: Int, isInviter: Bool) {
    var random = SeededRandom()
    var rig = PairingRig(&random)
    rig.take(through: step)
    if isInviter { rig.inviter.receive(random.bytes(40)) } else { rig.joiner.receive(random.bytes(40)) }
    rig.settle()
    #expect(rig.inviter.outcomes == [.ok] && rig.joiner.outcomes == [.ok] && rig.faults.isEmpty)
  }
}
