import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// Tests of the short wait for points that another machine is asked to share, and of what is asked
/// of machines.
@Suite struct LoanWaitsTests {
  private let child: ChildID

  init() throws { child = try #require(ChildID(bytes: [UInt8](repeating: 4, count: 16))) }

  private func device(_ number: UInt8) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: number, count: 20)))
  }

  @Test func aRewardWaitsOnceAndNotAgainSoon() {
    var waits = LoanWaits()
    let start = BootInstant(milliseconds: 1_000_000)
    // Nothing runs yet: it may begin.
    #expect(waits.wait(for: child, isRunning: false, at: start).isOpen)
    let ends = start + LoanWaits.patience
    #expect(waits.wait(for: child, isRunning: true, at: start).ends == ends)
    #expect(waits.wait(for: child, isRunning: true, at: start + (LoanWaits.patience - 1)).isOpen)
    for isRunning in [true, false] {
      #expect(!waits.wait(for: child, isRunning: isRunning, at: start + LoanWaits.patience).isOpen)
      #expect(!waits.wait(for: child, isRunning: isRunning, at: start + (LoanWaits.pause - 1)).isOpen)
    }
    #expect(waits.wait(for: child, isRunning: true, at: start + LoanWaits.pause).isOpen)
  }

  @Test func noMachineIsAskedThatIsKnownToHoldNothing() throws {
    let day = try #require(FamilyDay("2026-11-23"))
    let (other, pc, laptop) = (try device(9), try device(1), try device(2))
    func entry(_ purse: DeviceID, _ milliPoints: Int64, _ number: UInt8) throws -> LedgerEntry {
      LedgerEntry(
        EntryID(
          purse: purse, kind: .granted, source: try #require(RecordID(bytes: [UInt8](repeating: number, count: 16)))),
        milliPoints: milliPoints, day: day, at: 1)
    }
    var ledger = Ledger([try entry(other, 50_000, 1)])
    #expect(Call.shares(of: 10_000, [pc, laptop], ledger).isEmpty)
    ledger.merge(try entry(pc, 4_000, 2))
    ledger.merge(try entry(laptop, 5_000, 3))
    let shares = Call.shares(of: 10_000, [pc, laptop], ledger)
    #expect(shares.map(\.0) == [laptop, pc] && shares.map(\.1) == [6_000, 4_000])
  }
}
