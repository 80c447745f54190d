import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// The room of ledgers.
///
/// Spec: Protocol/12-facts.md §2.
extension NodeService {
  /// Returns the warnings about children whose ledgers are full, or nearly.
  func ledgerWarnings(_ overview: StoreOverview) async throws(LocalAPIError) -> [String] {
    let counts = overview.facts
    guard let most = FactRegistry.household.definition(.ledger)?.most else { return [] }
    let full = counts.filter { $0.value >= most / 10 * 9 }
    if full.isEmpty { return [] }
    let household = try await household()
    return full.sorted { $0.key < $1.key }.map { child, count in
      Self.ledgerWarning(household.name(of: child) ?? "a child", count: count, most: most)
    }
  }

  /// Returns the warning about one child's ledger.
  static func ledgerWarning(_ child: String, count: Int, most: Int) -> String {
    let name = DeviceName(sanitising: child)
    let remedy =
      "On a parent's machine, note what `latchkey points` says, run `latchkey children remove` and `latchkey children add` "
      + "for \(name), and give the points again with `latchkey points adjust`."
    guard count < most else {
      return
        "There is no room for more changes of \(name)'s points (\(most)): learning earns nothing, and rewards cost "
        + "nothing. \(remedy)"
    }
    return
      "\(name)'s points have room for \(most - count) more changes; after that, nothing is earned or charged. \(remedy)"
  }
}
