import LatchkeyModel
import LatchkeyRules

/// What a ledger holds for a session.
struct SessionCharge: Hashable {
  /// The milli-points; `nil` if nothing was written.
  var milliPoints: Int64?
  var charge: UsageCharge

  init(_ record: UsageRecord, in ledger: Ledger) {
    func entry(_ kind: LedgerEntry.Kind) -> LedgerEntry? {
      ledger.entries[EntryID(purse: record.device, kind: kind, source: record.recordID)]
    }
    let amounts = [LedgerEntry.Kind.earned, .repeated, .reviewed, .spent].compactMap { entry($0)?.milliPoints }
    if !amounts.isEmpty {
      // An entry of nothing says that the use of a reward was seen, and that there was nothing to pay it with.
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
