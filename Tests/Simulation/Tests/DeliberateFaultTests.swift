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
    .reuseEpoch: 21, .keepWatermarkAcrossEpochs: 21, .keepReceivedAtNewSession: 52, .keepBackoff: 1_472,
    .forgetCommandIDs: 122, .ignoreHeldItems: 87, .dropUnansweredAtRestart: 264, .dropWithoutLoss: 28,
    .eraseKeyTooEarly: 21, .mergeWhatWasSent: 199, .quarantineAtFirstReturn: 464, .forgetPendingAtEnd: 72,
    .forgetParts: 157, .applyOlderLook: 304, .dropReceiptsAtRestart: 173, .keepRestoredFacts: 92, .forgetLists: 158,
  ]

  @Test(arguments: DeliberateFault.allCases)
  func aMistakeIsNoticed(fault: DeliberateFault) {
    let from = Self.beginnings[fault] ?? 1
    let report = SeedSweep(from: from, seeds: Self.bound, fault: fault).run(workers: 2)
    if let seed = report.failure?.seed { print("DeliberateFaultTests: \(fault.rawValue) shows in seed \(seed).") }
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
