import Foundation
import LatchkeySimulation
import Testing

/// Seeds in which nothing may go wrong. More of them: `Tools/simulate --seeds 100000`.
@Suite struct SeedTests {
  /// LATCHKEY_SIMULATION_FROM begins elsewhere.
  @Test func nothingGoesWrong() {
    let from = ProcessInfo.processInfo.environment["LATCHKEY_SIMULATION_FROM"].flatMap { UInt64($0) } ?? 1
    print("Simulating 2000 seeds from \(from) on.")
    let report = SeedSweep(from: from, seeds: 2_000).run(workers: 2)
    #expect(report.failure == nil, "\(report.failure.map { "\($0.what); replay it with: \($0.replay)" } ?? "")")
    #expect(report.failure != nil || report.seeds == 2_000)
  }

  /// Without this a seed would be no bug report.
  @Test(arguments: [UInt64(3), 17, 1_004], [2, 3, 12])
  func aSeedIsOneHistory(seed: UInt64, nodes: Int) {
    let runs = (0..<2).map { _ in
      let simulation = Simulation(Scenario(seed: seed, nodes: nodes), isTraced: true)
      _ = simulation.run()
      return simulation.trace
    }
    #expect(runs[0].lines.count > 100)
    #expect(runs[0].lines == runs[1].lines)
    #expect(runs[0].fingerprint == runs[1].fingerprint)
  }

  @Test func anotherSeedIsAnotherHistory() {
    let traces = [UInt64(3), 4].map { seed in
      let simulation = Simulation(Scenario(seed: seed))
      _ = simulation.run()
      return simulation.trace.fingerprint
    }
    #expect(traces[0] != traces[1])
  }
}
