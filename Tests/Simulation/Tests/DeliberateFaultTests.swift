import LatchkeySimulation
import Testing

/// Tests of the simulator itself: each deliberate fault has to be noticed.
@Suite struct DeliberateFaultTests {
  /// Seeds within which a mistake is noticed.
  private static let bound = 300

  /// Some show in one seed of a hundred or fewer: where such a one is, so that it need not be looked for in every run.
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
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
