import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of an open code and joins, with events from people, stores and connections in any order.
@Suite struct PairingLivesTests {
  /// Lists of effects in progress, as of several tasks; the first effect of a list is performed
  /// next.
  private struct Tasks<Effect> {
    var lists: [[Effect]] = []

    /// Removes the next effect of a list; its consequences are performed before the rest of the
    /// list.
    mutating func next(_ random: inout SeededRandom) -> (effect: Effect, list: Int)? {
      lists.removeAll(where: \.isEmpty)
      guard !lists.isEmpty else { return nil }
      let index = random.below(lists.count)
      return (lists[index].removeFirst(), index)
    }

    mutating func follow(_ effects: [Effect], _ list: Int) { lists[list] = effects + lists[list] }
  }

  /// The durable data of one side about the other.
  private struct Kept {
    var isPending = false
    var isActive = false
    var isRemoved = false
  }

  /// One family with one code.
  ///
  /// Whatever happens, both machines end in the same way, and ask for nothing afterwards.
  private struct World {
    var lives: PairingLives
    var inviterTasks = Tasks<PairingLives.Invitation.Effect>()
    var joinerTasks = Tasks<PairingLives.Join.Effect>()
    var inviter = Kept()
    var joiner = Kept()
    var inviterEnds: [PairingOutcome] = []
    var joinerEnds: [PairingOutcome] = []
    var failures = 0
    let storeFails: Bool

    mutating func give(_ effects: [PairingLives.Invitation.Effect]) { inviterTasks.lists.append(effects) }
    mutating func give(_ effects: [PairingLives.Join.Effect]) { joinerTasks.lists.append(effects) }

    /// Performs one effect of the inviter; returns `false` if there is none.
    mutating func workInviter(_ random: inout SeededRandom) -> Bool {
      guard let (effect, list) = inviterTasks.next(&random) else { return false }
      let refuses = storeFails && random.once(in: 5)
      var more: [PairingLives.Invitation.Effect] = []
      switch effect {
      case .send(let frame, _): lives.toJoiner.append(frame)
      case .lift, .close, .abandoned: break
      case .storePending(_, let attempt):
        let wasPaired = inviter.isActive
        if refuses {
          more = lives.invitation.notStored(in: attempt)
        } else {
          inviter.isPending = true
          more = lives.invitation.stored(wasPaired: wasPaired, in: attempt)
        }
      case .promote(_, let attempt):
        let isPromoted = inviter.isPending && !refuses
        if isPromoted { (inviter.isPending, inviter.isActive) = (false, true) }
        more = isPromoted ? lives.invitation.promoted(in: attempt) : lives.invitation.notPromoted(in: attempt)
      case .welcome: more = lives.invitation.welcomed(PairingLives.device(lives.joinerParty))
      case .discard: inviter.isPending = false
      case .remove:
        if !refuses { (inviter.isActive, inviter.isRemoved) = (false, true) }
        more = lives.invitation.removed(!refuses)
      case .countFailure(_, let attempt):
        failures += 1
        more = lives.invitation.counted(failures: failures, in: attempt)
      case .ended(let outcome): inviterEnds.append(outcome)
      }
      inviterTasks.follow(more, list)
      return true
    }

    /// Performs one effect of the joiner; returns `false` if there is none.
    mutating func workJoiner(_ random: inout SeededRandom) -> Bool {
      guard let (effect, list) = joinerTasks.next(&random) else { return false }
      let refuses = storeFails && random.once(in: 5)
      var more: [PairingLives.Join.Effect] = []
      switch effect {
      case .send(let frame, _): lives.toInviter.append(frame)
      case .lift, .close, .creditRun: break
      case .countRun(let attempt):
        more = refuses ? lives.join.notCounted(in: attempt) : lives.join.counted(in: attempt)
      case .storePending(_, _, let attempt):
        if refuses {
          more = lives.join.notStored(in: attempt)
        } else {
          joiner.isPending = true
          more = lives.join.stored(wasPaired: false, in: attempt)
        }
      case .promote(_, _, let attempt):
        let isPromoted = joiner.isPending && !refuses
        if isPromoted { (joiner.isPending, joiner.isActive) = (false, true) }
        more = isPromoted ? lives.join.promoted(in: attempt) : lives.join.notPromoted(in: attempt)
      case .welcome: more = lives.join.welcomed(PairingLives.device(lives.inviterParty))
      case .settle:
        more =
          joiner.isActive
          ? lives.join.completed(lives.parent)
          : joiner.isPending ? lives.join.doubted() : lives.join.lapsed(lives.parent)
      case .force:
        if joiner.isPending, !refuses {
          (joiner.isPending, joiner.isActive) = (false, true)
          more = lives.join.forced()
        }
      case .discard: joiner.isPending = false
      case .remove:
        if !refuses { (joiner.isActive, joiner.isRemoved) = (false, true) }
        more = lives.join.removed(!refuses)
      case .ended(let outcome): joinerEnds.append(outcome)
      }
      joinerTasks.follow(more, list)
      return true
    }

    /// Opens a session with the new key, which completes a pending pairing on either side.
    mutating func meet() {
      guard inviter.isPending || inviter.isActive, joiner.isPending || joiner.isActive else { return }
      if inviter.isPending {
        (inviter.isPending, inviter.isActive) = (false, true)
        give(lives.invitation.completed(lives.child, as: nil))
      }
      if joiner.isPending {
        (joiner.isPending, joiner.isActive) = (false, true)
        give(lives.join.completed(lives.parent))
      }
    }

    /// Performs one of the possible next events.
    mutating func step(_ random: inout SeededRandom) {
      switch random.below(24) {
      case 0...4: _ = workInviter(&random)
      case 5...9: _ = workJoiner(&random)
      case 10...12:
        if !lives.toInviter.isEmpty { give(lives.invitation.received(lives.toInviter.removeFirst(), in: lives.served)) }
      case 13...15:
        if !lives.toJoiner.isEmpty { give(lives.join.received(lives.toJoiner.removeFirst(), in: lives.dialled)) }
      case 16:
        if lives.invitation.asked != nil { give(lives.invitation.answered(!random.once(in: 6))) }
      case 17:
        if lives.join.asked != nil { give(lives.join.answered(!random.once(in: 6))) }
      case 18 where random.once(in: 4): give(lives.invitation.requestedEnd(random.once(in: 2) ? .cancelled : .expired))
      case 19 where random.once(in: 4): give(lives.join.requestedEnd(.cancelled))
      case 20 where random.once(in: 3): lose(&random)
      case 21 where random.once(in: 3): meet()
      case 22:
        let isOpen = if case .open = lives.invitation.phase { true } else { false }
        guard lives.join.isSearching, isOpen else { return }
        lives.toJoiner = []
        lives.connect(
          inviterAsks: random.once(in: 2), joinerAsks: random.once(in: 2), isTyped: random.once(in: 2),
          wrong: random.once(in: 5), &random)
      default:
        if random.once(in: 9), !lives.toInviter.isEmpty { lives.toInviter[0] = random.bytes(1 + random.below(99)) }
        if random.once(in: 9), !lives.toJoiner.isEmpty { lives.toJoiner[0] = random.bytes(1 + random.below(99)) }
      }
    }

    /// Loses the connection with the frames in flight.
    mutating func lose(_ random: inout SeededRandom) {
      (lives.toInviter, lives.toJoiner) = ([], [])
      give(lives.invitation.lost(lives.served))
      give(lives.join.lost(lives.dialled))
    }

    /// Ends everything: tasks end, the connection is lost, pending pairings are rolled back, and
    /// the code expires.
    mutating func settle(_ random: inout SeededRandom) {
      lose(&random)
      for _ in 0..<4 {
        while workInviter(&random) || workJoiner(&random) {}
        if inviter.isPending {
          inviter.isPending = false
          lives.invitation.rolledBack(lives.child)
        }
        if joiner.isPending { joiner.isPending = false }
        give(lives.join.lapsed(lives.parent))
        give(lives.join.searched(lives.join.attempted ?? .notFound))
        give(lives.invitation.timerFired(PairingLives.deadline))
        lose(&random)
      }
      while workInviter(&random) || workJoiner(&random) {}
    }
  }

  @Test func whateverHappensEachSideComesToOneEndThatItsStoreBearsOut() {
    var seeds = SeededRandom()
    var outcomes: [PairingOutcome: Int] = [:]
    let expected = [PairingOutcome.ok, .cancelled, .refused, .network, .wrongCode]
    var worlds = 0
    // A success is rare in such worlds, so the test continues until it has seen one.
    while worlds < 1_500 || worlds < 30_000 && expected.contains(where: { outcomes[$0] == nil }) {
      worlds += 1
      var random = SeededRandom(seed: seeds.next())
      var world = World(lives: PairingLives(&random), storeFails: random.once(in: 3))
      for _ in 0..<(40 + random.below(160)) { world.step(&random) }
      world.settle(&random)
      let note = "\(seeds.note) \(random.note)"
      #expect(world.inviterEnds.count == 1 && world.joinerEnds.count == 1, "\(note)")
      let (code, join) = (world.lives.invitation.shown, world.lives.join.shown)
      #expect(code.phase == .ended && join.phase == .ended, "\(note)")
      #expect(code.outcome == world.inviterEnds.first && join.outcome == world.joinerEnds.first, "\(note)")
      // A success is durable, and a cancellation after the point of no return is reversed.
      if code.outcome == .ok { #expect(world.inviter.isActive, "\(note)") }
      if join.outcome == .ok { #expect(world.joiner.isActive, "\(note)") }
      if world.inviter.isRemoved { #expect(code.outcome == .cancelled, "\(note)") }
      if world.joiner.isRemoved { #expect(join.outcome == .cancelled, "\(note)") }
      if let outcome = join.outcome { outcomes[outcome, default: 0] += 1 }
    }
    for outcome in expected {
      #expect(outcomes[outcome, default: 0] > 0, "\(outcome) never happened: \(seeds.note)")
    }
  }
}
