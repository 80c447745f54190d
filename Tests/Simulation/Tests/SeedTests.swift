import Foundation
import LatchkeySimulation
import LatchkeyTestSupport
import Testing

/// Tests of seeds in which nothing may fail.
///
/// `Tools/simulate --seeds 100000` runs more of them.
@Suite struct SeedTests {
  @Test("The fixed seeds of every run hold all invariants")
  func nothingGoesWrong() {
    sweep(from: 1, seeds: Length.pick(100, thorough: 1_000))
  }

  /// `Tools/test` sets LATCHKEY_FRESH_SEEDS to the first seed and the number of seeds, such as
  /// `4711:2000`.
  ///
  /// Without it, the first seed is random.
  @Test("New seeds hold all invariants")
  func nothingGoesWrongInFreshSeeds() throws {
    let words = ProcessInfo.processInfo.environment["LATCHKEY_FRESH_SEEDS"]?.split(separator: ":")
    let numbers = words?.compactMap { UInt64($0) } ?? [UInt64.random(in: 1...(1 << 44)), 150]
    try #require(numbers.count == 2, "LATCHKEY_FRESH_SEEDS takes two numbers, as in 4711:2000.")
    sweep(from: numbers[0], seeds: Int(clamping: numbers[1]))
  }

  private func sweep(from: UInt64, seeds: Int) {
    // Each part reports its progress, since a program that prints nothing for minutes counts as
    // hanging.
    let part = 50
    for begin in stride(from: 0, to: seeds, by: part) {
      let (first, count) = (from &+ UInt64(begin), min(part, seeds - begin))
      print("Simulating \(count) seeds from \(first) on.")
      let report = SeedSweep(from: first, seeds: count).run(workers: 2)
      #expect(report.failure == nil, "\(report.failure.map { "\($0.what); replay it with: \($0.replay)" } ?? "")")
      guard report.failure == nil else { return }
      #expect(report.seeds == count)
    }
  }

  /// - 41000000701: a restored machine with a slow clock could not withdraw its request for points,
  ///   so the points went back and forth without end.
  /// - 11479535535045: a machine was restored to a state from before its request for points, which
  ///   no other machine sent it. It returned what the parent lent it, without end.
  @Test("Seeds that failed once hold all invariants", arguments: [UInt64(41_000_000_701), 11_479_535_535_045])
  func nothingGoesWrongAgain(seed: UInt64) {
    sweep(from: seed, seeds: 1)
  }

  /// Without this, a seed would not be a bug report.
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
