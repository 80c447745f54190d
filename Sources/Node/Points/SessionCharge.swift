import LatchkeyModel
import LatchkeyRules

/// What a ledger holds for a session.
struct SessionCharge: Hashable {
  /// The milli-points; `nil` if nothing was written.
  var milliPoints: Int64?
  var charge: UsageCharge

  /// Finds the charge of a session in the ledger of its child; `nil` if the session has none.
  ///
  /// A total of several sessions has no entry of its own, and neutral use none at all.
  init?(_ record: UsageRecord, in ledgers: [ChildID: Ledger]) {
    guard record.sessions == 1, record.category != .neutral, let ledger = record.child.flatMap({ ledgers[$0] }) else {
      return nil
    }
    self.init(record, in: ledger)
  }

  init(_ record: UsageRecord, in ledger: Ledger) {
    func entry(_ kind: LedgerEntry.Kind) -> LedgerEntry? {
      ledger.entries[EntryID(purse: record.device, kind: kind, source: record.recordID)]
    }
    let amounts = [LedgerEntry.Kind.earned, .repeated, .reviewed, .spent].compactMap { entry($0)?.milliPoints }
    if !amounts.isEmpty {
      // An entry of nothing says that the use of a reward was seen, and that there was nothing to
      // pay it with.
      let sum = amounts.reduce(0, +)
      (milliPoints, charge) = (sum, record.category == .reward && sum == 0 ? .nothing : .written)
    } else if entry(.held) != nil {
      charge = .held
    } else if entry(.used) != nil {
      charge = .redeemed
    } else {
      charge = .nothing
    }
  }
}
