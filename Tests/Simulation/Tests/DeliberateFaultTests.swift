import LatchkeySimulation
import Testing

/// Tests of the simulator itself: each deliberate fault must be detected.
@Suite struct DeliberateFaultTests {
  /// The number of seeds within which a mistake must be detected.
  private static let bound = 300

  /// The first seed for each fault that shows in fewer than one seed of twenty, so that a run does
  /// not have to search.
  ///
  /// If the machines or the simulator change, a test prints the new seed.
  private static let beginnings: [DeliberateFault: UInt64] = [
    .reuseEpoch: 21, .keepWatermarkAcrossEpochs: 21, .keepReceivedAtNewSession: 48, .keepBackoff: 1_472,
    .forgetCommandIDs: 98, .ignoreHeldItems: 47, .dropUnansweredAtRestart: 245, .dropWithoutLoss: 27,
    .eraseKeyTooEarly: 21, .mergeWhatWasSent: 187, .quarantineAtFirstReturn: 61, .forgetPendingAtEnd: 25,
    .forgetParts: 49, .applyOlderLook: 81, .dropReceiptsAtRestart: 118, .keepRestoredFacts: 86,
  ]

  @Test(arguments: DeliberateFault.allCases)
  func aMistakeIsNoticed(fault: DeliberateFault) {
    let from = Self.beginnings[fault] ?? 1
    let report = SeedSweep(from: from, seeds: Self.bound, fault: fault).run(workers: 2)
    if let seed = report.failure?.seed { print("DeliberateFaultTests: \(fault.rawValue) shows in seed \(seed).") }
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
