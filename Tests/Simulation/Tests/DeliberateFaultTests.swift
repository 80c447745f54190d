import LatchkeySimulation
import Testing

/// Tests of the simulator itself: each deliberate fault must be detected.
@Suite struct DeliberateFaultTests {
  /// The number of seeds within which a mistake must be detected.
  private static let bound = 300

  /// The first seed in which each fault shows, other than 1, so that a run does not have to search.
  ///
  /// If the machines or the simulator change, a test prints the new seed.
  private static let beginnings: [DeliberateFault: UInt64] = [
    .watermarkInItsOwnTransaction: 12, .reuseEpoch: 21, .keepReceivedAtNewSession: 52, .keepWatermarkAcrossEpochs: 21,
    .reportOldEpochAsNew: 17, .dropUnansweredAtRestart: 264, .keepBackoff: 1_472, .ignoreWindow: 4,
    .leaveStreamsAtRemoval: 3, .forgetCommandIDs: 122, .ignoreHeldItems: 87, .mergeWhatWasSent: 199,
    .dropWithoutLoss: 28, .ignoreCaps: 18, .eraseKeyTooEarly: 21, .quarantineAtFirstReturn: 464, .ageOnWallClock: 9,
    .takeFromRemoved: 3, .neverDeclareDead: 4, .keepNewerSession: 5, .ignoreFailedCommit: 2, .forgetParts: 157,
    .forgetPendingAtEnd: 72, .keepClosedStreams: 16, .reportInOldSession: 21, .discardByOlderCall: 3,
    .applyOlderLook: 304, .dropReceiptsAtRestart: 63, .forgetPendingEffects: 9, .keepRestoredFacts: 92,
    .forgetLists: 158,
  ]

  @Test(arguments: DeliberateFault.allCases)
  func aMistakeIsNoticed(fault: DeliberateFault) {
    let from = Self.beginnings[fault] ?? 1
    let report = SeedSweep(from: from, seeds: Self.bound, fault: fault).run(workers: 1)
    if let seed = report.failure?.seed { print("DeliberateFaultTests: \(fault.rawValue) shows in seed \(seed).") }
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
