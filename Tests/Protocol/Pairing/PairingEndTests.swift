import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of a pairing that is interrupted at every step, and of what remains on either side.
@Suite struct PairingEndTests {
  /// The cause of an end, the step before it, and the state after everything has settled and the
  /// connection is closed.
  struct Row: Sendable, CustomTestStringConvertible {
    var step: Int
    var inviter: (outcome: PairingOutcome, kept: PairingSide.Kept)
    var joiner: (outcome: PairingOutcome, kept: PairingSide.Kept)

    init(
      _ step: Int, _ inviter: PairingOutcome, _ inviterKept: PairingSide.Kept, _ joiner: PairingOutcome,
      _ joinerKept: PairingSide.Kept
    ) {
      self.step = step
      self.inviter = (inviter, inviterKept)
      self.joiner = (joiner, joinerKept)
    }

    var testDescription: String { "after step \(step)" }
  }

  private func check(_ rig: PairingRig, _ row: Row, _ note: String) {
    #expect(rig.faults.isEmpty)
    #expect(rig.inviter.outcomes == [row.inviter.outcome], "the inviter, \(note)")
    #expect(rig.joiner.outcomes == [row.joiner.outcome], "the joiner, \(note)")
    #expect(rig.inviter.kept == row.inviter.kept, "the inviter, \(note)")
    #expect(rig.joiner.kept == row.joiner.kept, "the joiner, \(note)")
    #expect(rig.inviter.failures == 0, "nobody guessed a code")
  }

  @Test(arguments: [
    Row(0, .refused, .nothing, .expired, .nothing), Row(1, .refused, .nothing, .network, .nothing),
    Row(2, .refused, .nothing, .network, .nothing), Row(3, .refused, .nothing, .refused, .nothing),
    Row(4, .refused, .nothing, .refused, .nothing), Row(5, .refused, .nothing, .refused, .nothing),
    Row(6, .refused, .nothing, .refused, .nothing), Row(7, .refused, .nothing, .refused, .nothing),
    Row(8, .refused, .nothing, .refused, .nothing), Row(9, .refused, .nothing, .refused, .nothing),
    Row(10, .refused, .nothing, .refused, .nothing),
    // From here on, the other side has the pairing and has said so, and the pairing succeeds.
    Row(11, .ok, .active, .ok, .active), Row(12, .ok, .active, .ok, .active), Row(13, .ok, .active, .ok, .active),
    Row(14, .ok, .active, .ok, .active),
  ])
  func thePersonAtTheInviterSaysNo(row: Row) {
    var random = SeededRandom()
    var rig = PairingRig(&random)
    rig.take(through: row.step)
    rig.inviter.end(.refused)
    rig.settle()
    rig.inviter.lose()
    rig.joiner.lose()
    check(rig, row, random.note)
  }

  @Test(arguments: [
    Row(0, .network, .nothing, .cancelled, .nothing), Row(1, .network, .nothing, .cancelled, .nothing),
    Row(2, .cancelled, .nothing, .cancelled, .nothing), Row(3, .cancelled, .nothing, .cancelled, .nothing),
    Row(4, .cancelled, .nothing, .cancelled, .nothing), Row(5, .cancelled, .nothing, .cancelled, .nothing),
    Row(6, .cancelled, .nothing, .cancelled, .nothing), Row(7, .cancelled, .nothing, .cancelled, .nothing),
    Row(8, .cancelled, .nothing, .cancelled, .nothing), Row(9, .cancelled, .nothing, .cancelled, .nothing),
    // From here on, the inviter may have made the pairing final, and the pairing succeeds.
    Row(10, .ok, .active, .ok, .active), Row(11, .ok, .active, .ok, .active), Row(12, .ok, .active, .ok, .active),
    Row(13, .ok, .active, .ok, .active), Row(14, .ok, .active, .ok, .active),
  ])
  func thePersonAtTheJoinerBreaksOff(row: Row) {
    var random = SeededRandom()
    var rig = PairingRig(&random)
    rig.take(through: row.step)
    rig.joiner.end(.cancelled)
    rig.settle()
    rig.inviter.lose()
    rig.joiner.lose()
    check(rig, row, random.note)
  }

  /// A pending pairing is rolled back after a while or completed by a session, so that never only
  /// one side is paired.
  @Test(arguments: [
    Row(0, .network, .nothing, .expired, .nothing), Row(1, .network, .nothing, .expired, .nothing),
    Row(2, .network, .nothing, .network, .nothing), Row(3, .network, .nothing, .network, .nothing),
    Row(4, .network, .nothing, .network, .nothing), Row(5, .network, .nothing, .network, .nothing),
    Row(6, .network, .pending, .network, .nothing), Row(7, .network, .pending, .network, .nothing),
    Row(8, .network, .pending, .network, .nothing), Row(9, .network, .pending, .network, .pending),
    Row(10, .network, .pending, .network, .pending), Row(11, .ok, .active, .network, .pending),
    Row(12, .ok, .active, .network, .pending), Row(13, .ok, .active, .ok, .active), Row(14, .ok, .active, .ok, .active),
  ])
  func theConnectionIsLost(row: Row) {
    var random = SeededRandom()
    var rig = PairingRig(&random)
    rig.take(through: row.step)
    rig.inviter.outgoing = []
    rig.joiner.outgoing = []
    rig.inviter.lose()
    rig.joiner.lose()
    // The stores finish the operations in progress.
    rig.inviter.store()
    rig.joiner.store()
    rig.inviter.promote()
    rig.joiner.promote()
    check(rig, row, random.note)
  }

  /// Any calls in any order, with honest frames in between.
  ///
  /// Thousands of paths lead through both machines.
  @Test func noOrderOfEventsPairsOneSideAlone() {
    var seeds = SeededRandom()
    var outcomes: [PairingOutcome: Int] = [:]
    for _ in 0..<1_500 {
      var random = SeededRandom(seed: seeds.next())
      var rig = PairingRig(inviterAsks: random.once(in: 2), joinerAsks: random.once(in: 2), &random)
      let rarely = 8 + random.below(60)
      for _ in 0..<60 {
        switch random.below(6) {
        case 0, 1: rig.passToInviter()
        case 2, 3: rig.passToJoiner()
        case 4: Self.act(&rig.inviter, &random, rarely)
        default: Self.act(&rig.joiner, &random, rarely)
        }
        #expect(rig.faults.isEmpty, "\(seeds.note) \(random.note)")
        #expect(rig.inviter.outcomes.count <= 1 && rig.joiner.outcomes.count <= 1, "\(seeds.note) \(random.note)")
        #expect(rig.inviter.failures == 0, "\(seeds.note) \(random.note)")
        if rig.inviter.kept == .active { #expect(rig.joiner.kept != .nothing, "\(seeds.note) \(random.note)") }
        if rig.joiner.kept == .active { #expect(rig.inviter.kept == .active, "\(seeds.note) \(random.note)") }
      }
      for outcome in rig.inviter.outcomes { outcomes[outcome, default: 0] += 1 }
    }
    #expect(
      outcomes[.ok, default: 0] > 100 && outcomes[.network, default: 0] > 20 && outcomes[.refused, default: 0] > 20)
  }

  private static func act(_ side: inout PairingSide, _ random: inout SeededRandom, _ rarely: Int) {
    if random.once(in: rarely) {
      side.lose()
    } else if random.once(in: rarely) {
      side.end(.refused)
    } else if random.once(in: 2) {
      side.accept()
    } else if side.storing != nil {
      side.store()
    } else if side.promoting != nil {
      side.promote()
    } else {
      // An answer without a request must have no effect.
      side.run(side.machine.stored())
      side.run(side.machine.promoted())
    }
  }
}
