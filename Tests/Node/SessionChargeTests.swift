import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// Tests of what people read of the points of sessions and of ledgers.
@Suite struct SessionChargeTests {
  private let record: UsageRecord

  init() throws {
    record = UsageRecord(
      recordID: try #require(RecordID(bytes: [UInt8](repeating: 7, count: 16))),
      device: try #require(DeviceID(bytes: [UInt8](repeating: 3, count: 20))),
      appID: try #require(AppID("a.b")), displayName: "x", sessionStart: 5, sessionEnd: 65, zone: "UTC",
      activeMilliseconds: 60, category: .learning, milliPointsPerMinute: 1_000, earnedMilliPoints: 0,
      evidence: .tracked)
  }

  private func entry(_ kind: LedgerEntry.Kind, _ milliPoints: Int64, _ hold: HoldReason? = nil) throws -> LedgerEntry {
    LedgerEntry(
      EntryID(purse: record.device, kind: kind, source: record.recordID), milliPoints: milliPoints,
      day: try #require(FamilyDay("2026-11-23")), at: 5, hold: hold)
  }

  private func charge(_ entries: LedgerEntry...) -> SessionCharge { SessionCharge(record, in: Ledger(entries)) }

  @Test func aSessionHasWhatTheLedgerHolds() throws {
    #expect(charge().charge == .nothing && charge().milliPoints == nil)
    let earned = charge(try entry(.earned, 900), try entry(.repeated, -300))
    #expect(earned.charge == .written && earned.milliPoints == 600)
    var game = record
    game.category = .reward
    let free = SessionCharge(game, in: Ledger([try entry(.spent, 0)]))
    #expect(free.charge == .nothing && free.milliPoints == 0)
    let held = charge(try entry(.held, 0, .notAllowed))
    #expect(held.charge == .held && held.milliPoints == nil)
    let reviewed = charge(try entry(.held, 0, .notAllowed), try entry(.reviewed, 700))
    #expect(reviewed.charge == .written && reviewed.milliPoints == 700)
    let redeemed = charge(try entry(.used, 0))
    #expect(redeemed.charge == .redeemed)
    var other = try entry(.earned, 900)
    other.id.source = try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16)))
    #expect(charge(other).charge == .nothing)
  }

  @Test func aFullLedgerIsToldBeforeAndWhenItIsFull() {
    let before = Call.ledgerWarning("Emma", count: 59_000, most: 65_536)
    #expect(
      before.hasPrefix("Emma's points have room for 6536 more changes") && before.contains("latchkey points adjust"))
    let full = Call.ledgerWarning("Emma", count: 65_536, most: 65_536)
    #expect(full.hasPrefix("There is no room for more changes of Emma's points"))
  }
}
