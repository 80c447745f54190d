import LatchkeySimulation
import Testing

/// Tests of the simulator itself: each deliberate fault must be detected.
@Suite struct DeliberateFaultTests {
  /// The number of seeds within which a mistake must be detected.
  private static let bound = 300

  /// For faults that show in at most one seed of a hundred: such a seed, so that not every run has
  /// to search for it.
  private static let beginnings: [DeliberateFault: UInt64] = [
    .dropUnansweredAtRestart: 240, .dropReceiptsAtRestart: 100, .eraseKeyTooEarly: 240, .applyOlderLook: 420,
    .quarantineAtFirstReturn: 225, .forgetParts: 300,
    .keepBackoff: 1_300, .reportOldEpochAsNew: 90, .forgetPendingAtEnd: 290, .mergeWhatWasSent: 180,
    .ignoreHeldItems: 200, .lastAnswerHolds: 2, .keepRestoredFacts: 60,
  ]

  @Test(arguments: DeliberateFault.allCases)
  func aMistakeIsNoticed(fault: DeliberateFault) {
    let from = Self.beginnings[fault] ?? 1
    let report = SeedSweep(from: from, seeds: Self.bound, fault: fault).run(workers: 2)
    if let seed = report.failure?.seed { print("DeliberateFaultTests: \(fault.rawValue) shows in seed \(seed).") }
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
