import LatchkeyTestSupport
import Testing

@Suite struct DeliverySimulationTests {
  /// Nothing accepted is lost, everything takes effect once and in order, no window is overrun, and queues drain.
  @Test func everySeedKeepsThePromises() {
    var seeds = SeededRandom()
    for _ in 0..<1_000 {
      let seed = seeds.next()
      var simulation = DeliverySimulation(seed: seed)
      let fault = simulation.run(steps: 300)
      #expect(fault == nil, "seed \(seed) of \(seeds.note)")
      if fault != nil { return }
    }
  }

  /// A simulation that notices nothing would be worth nothing.
  @Test(arguments: DeliverySimulation.Mistake.allCases) func everyMistakeIsNoticed(mistake: DeliverySimulation.Mistake)
  {
    var seeds = SeededRandom(seed: 1)
    let noticed = (0..<300).contains { _ in
      var simulation = DeliverySimulation(seed: seeds.next(), mistake: mistake)
      return simulation.run(steps: 300) != nil
    }
    #expect(noticed)
  }

  @Test func theSameSeedDoesTheSame() {
    var (first, second) = (DeliverySimulation(seed: 7), DeliverySimulation(seed: 7))
    #expect(first.run(steps: 300) == second.run(steps: 300))
    #expect(first.nodes.map(\.store.effects) == second.nodes.map(\.store.effects))
    #expect(first.nodes.contains { !$0.store.effects.isEmpty })
  }

  /// A database is lost, or replaced by an older copy of itself, on either side; what either then holds still arrives.
  @Test(arguments: [true, false]) func otherPastsAreOvercome(isWiped: Bool) {
    var seeds = SeededRandom()
    for _ in 0..<300 {
      let seed = seeds.next()
      var simulation = DeliverySimulation(seed: seed, knowsIDs: true)
      var choice = SeededRandom(seed: seed ^ 1)
      for _ in 0..<choice.below(200) { simulation.step() }
      let side = choice.below(2)
      var older = simulation.nodes[side].store
      if isWiped {
        older = SimulatedStore()
        older.knowsIDs = true
      }
      for _ in 0..<choice.below(200) { simulation.step() }
      simulation.replaceStore(side, by: older)
      let fault = simulation.run(steps: choice.below(200))
      #expect(fault == nil, "seed \(seed) of \(seeds.note)")
      if fault != nil { return }
    }
  }
}
