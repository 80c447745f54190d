import LatchkeyModel

/// The agent that carries out effects on a child's machine.
///
/// It has its own process, takes time, and can crash.
extension SimulatedNode {
  /// Starts the pending effects that are not in progress in this process.
  func carryOutEffects() {
    for effect in store.pending where !underWay.contains(effect.id) {
      underWay.insert(effect.id)
      act(after: Int64(simulation.effectRandom.below(20_000_000))) { [unowned self] in finish(effect.id) }
    }
  }

  private func finish(_ id: CommandID) {
    guard let effect = store.pending.first(where: { $0.id == id }), let lock = effect.payload.as(SimulatedLock.self)
    else {
      // The effect was given up with its pairing, and begins anew if the next pairing repeats the
      // command.
      underWay.remove(id)
      return
    }
    let (outcome, wall): (EffectOutcome, Int64) = (
      simulation.effectRandom.once(in: 10)
        ? .failed(reason: "It could not be locked: try it again.") : .done(StateInForce(lock.state)),
      wall
    )
    disk.commit("outcome of an effect") { (store: inout ModelStore) throws(ModelStoreFault) in
      try store.finishEffect(id, outcome, at: wall)
    } then: { [unowned self] result in
      switch result {
      case .success(let change):
        committed([change].compactMap { $0 })
        // Only a deliberate fault leaves it there.
        if store.pending.contains(where: { $0.id == id }) { finish(id) }
      case .failure: act(after: 5_000_000) { [unowned self] in finish(id) }
      }
    }
  }
}
