import LatchkeyModel
import Testing

/// Tests of two sides and the messages between them, in every state that they can reach.
@Suite struct PairwiseKeysTests {
  /// New keys as they lie in the parent's queue.
  private struct Offer: Hashable {
    var key: UInt8
    var replaces: UInt8
  }

  /// One side's durable keys; a half-made pairing's key goes before all others.
  private struct Side: Hashable {
    var keys = PairwiseKeys(present: [0])
    var pending: [UInt8]?

    var forAnswering: [UInt8] { pending ?? keys.present }
    var forCalling: [[UInt8]] { pending.map { [$0] } ?? keys.forCalling }

    /// An offer that replaces a half-made pairing's key proves that the other side has made the
    /// pairing final.
    mutating func receive(_ offer: Offer) {
      if pending == [offer.replaces] { promote() }
      keys.received([offer.key], replacing: [offer.replaces]) { $0 }
    }

    mutating func promote() {
      guard let pending else { return }
      keys = PairwiseKeys(present: pending)
      self.pending = nil
    }
  }

  private struct World: Hashable {
    var parent = Side()
    var child = Side()
    /// Waits at the parent until it is reported stored.
    var offer: Offer?
    /// Sent, and perhaps again; may come in long after the parent has taken it back.
    var flying: Offer?
    /// The child's word that this offer is durable there, on its way.
    var stored: Offer?
    /// The key ID in the parent's last Hello, in flight.
    var named: [UInt8]?
    var nextKey: UInt8 = 1
    var wasPairedAnew = false

    /// Every step that anything can take; each is one durable transaction, or a message that is
    /// sent, comes in, or is lost.
    var successors: [World] {
      var worlds: [World] = []
      func step(_ change: (inout World) -> Void) {
        var world = self
        change(&world)
        worlds.append(world)
      }
      // A removal: new keys are queued, one at a time.
      if offer == nil, nextKey < 4 {
        step {
          let offer = Offer(key: $0.nextKey, replaces: $0.parent.keys.present[0])
          $0.parent.keys.offered([offer.key])
          $0.offer = offer
          $0.nextKey += 1
        }
      }
      if let offer { step { $0.flying = offer } }
      if let flying {
        step {
          $0.child.receive(flying)
          $0.stored = flying
        }
        step { $0.flying = nil }
      }
      if let stored {
        step { $0.stored = nil }
        if stored == offer {
          step {
            $0.parent.keys.stored()
            $0.offer = nil
          }
        }
      }
      step { $0.named = $0.parent.forAnswering }
      if let named {
        step { $0.named = nil }
        step { $0.child.keys.answers(with: named) { $0 } }
      }
      // A new pairing: from when both are pending, either may be the first to make it final.
      if !wasPairedAnew {
        step {
          $0.wasPairedAnew = true
          $0.parent.pending = [9]
          $0.child.pending = [9]
        }
      }
      if child.pending != nil { step { $0.child.promote() } }
      if parent.pending != nil {
        step {
          $0.parent.promote()
          $0.offer = nil
        }
      }
      return worlds
    }

    var canTalk: Bool {
      child.forCalling.contains(parent.forAnswering) && parent.forCalling.contains(child.forAnswering)
        && parent.forCalling.count <= 2 && child.forCalling.count <= 2
    }
  }

  @Test func inEveryStateEitherSideCanCallTheOther() {
    var seen: Set<World> = [World()]
    var open = [World()]
    while let world = open.popLast() {
      guard world.canTalk else {
        Issue.record("\(world)")
        return
      }
      for next in world.successors where seen.insert(next).inserted { open.append(next) }
    }
    #expect(seen.count > 1_000)
    // Changes come to their end, with or without a new pairing among them: one key on both sides,
    // and nothing else.
    for wasPairedAnew in [false, true] {
      #expect(
        seen.contains {
          $0.parent.keys == PairwiseKeys(present: [3]) && $0.child == $0.parent && $0.offer == nil
            && $0.wasPairedAnew == wasPairedAnew
        })
    }
  }

  @Test func anOfferFromBeforeANewPairingChangesNothing() {
    var keys = PairwiseKeys(present: [9])
    keys.received([1], replacing: [0]) { $0 }
    #expect(keys == PairwiseKeys(present: [9]))
    keys.stored()
    #expect(keys == PairwiseKeys(present: [9]))
    keys.received([2], replacing: [9]) { $0 }
    #expect(keys == PairwiseKeys(present: [2], previous: [9]))
    // A Hello from before the offer names the old key: both are still needed.
    keys.answers(with: [9]) { $0 }
    #expect(keys.forCalling == [[2], [9]])
    keys.answers(with: [2]) { $0 }
    #expect(keys == PairwiseKeys(present: [2]))
  }
}
