import LatchkeySimulation
import Testing

/// Whether the simulator bites: each mistake of one line, made on purpose, has to be noticed.
@Suite struct DeliberateFaultTests {
  /// Seeds within which a mistake is noticed.
  private static let bound = 300

  /// Some show in one seed of a hundred or fewer: where such a one is, so that it need not be looked for in every run.
  private static let beginnings: [DeliberateFault: UInt64] = [
    .discardByOlderCall: 20_330, .dropUnansweredAtRestart: 740, .dropReceiptsAtRestart: 2_620, .eraseKeyTooEarly: 240,
    .applyOlderLook: 100,
    .keepBackoff: 800, .reportOldEpochAsNew: 2_280, .forgetPendingAtEnd: 90, .mergeWhatWasSent: 180,
  ]

  /// Not `reportOldEpochAsNew`: since a peer that objects is believed, it shows too seldom to be looked for in every run.
  @Test(arguments: DeliberateFault.allCases.filter { $0 != .reportOldEpochAsNew })
  func aMistakeIsNoticed(fault: DeliberateFault) {
    let from = Self.beginnings[fault] ?? 1
    let report = SeedSweep(from: from, seeds: Self.bound, fault: fault).run(workers: 2)
    #expect(report.failure != nil, "\(fault.rawValue) went unnoticed in \(report.seeds) seeds from \(from) on")
  }
}
