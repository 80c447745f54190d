import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the points of sessions in lists.
@Suite struct UsageChargeTests {
  private func session(
    _ category: AppCategory, _ milliPoints: Int64?, _ charge: UsageCharge?, minutes: Int64 = 10
  ) -> UsagePage.Session {
    var session = SampleValues.session
    (session.record.category, session.record.milliPointsPerMinute) = (category, 1_000)
    session.record.activeMilliseconds = minutes * 60_000
    (session.milliPoints, session.charge) = (milliPoints, charge)
    return session
  }

  @Test func aSessionShowsWhatTheLedgerHolds() {
    #expect(UsagePoints.text(session(.learning, 7_500, .written)) == "7.5")
    #expect(UsagePoints.text(session(.learning, 0, .written)) == "0")
    #expect(UsagePoints.text(session(.learning, nil, .held)) == "held")
    #expect(UsagePoints.text(session(.learning, nil, .nothing)) == "0")
    #expect(UsagePoints.text(session(.reward, -10_000, .written)) == "-10")
    #expect(UsagePoints.text(session(.reward, -4_000, .written)) == "-4, in part")
    #expect(UsagePoints.text(session(.reward, 0, .written)) == "not charged")
    #expect(UsagePoints.text(session(.reward, nil, .nothing)) == "not charged")
    #expect(UsagePoints.text(session(.reward, nil, .redeemed)) == "redeemed")
    #expect(UsagePoints.text(session(.neutral, nil, nil)) == "–")
  }

  @Test func whatIsNotChargedIsExplainedOnce() {
    #expect(UsagePoints.notes([session(.reward, -10_000, .written)]).isEmpty)
    let notes = UsagePoints.notes([
      session(.reward, nil, .nothing), session(.reward, 0, .written), session(.learning, nil, .held),
    ])
    #expect(notes.count == 2 && notes[0].hasPrefix("Not charged:") && notes[1].hasPrefix("Held:"))
    #expect(UsagePoints.notes([session(.reward, -4_000, .written)]).first?.hasPrefix("In part:") == true)
  }
}
