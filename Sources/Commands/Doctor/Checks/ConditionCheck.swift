import LatchkeyModel
import LatchkeyRules

/// The check of the conditions that children's machines report.
///
/// Spec: Protocol/10-household.md §6.
struct ConditionCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    facts.conditions.map { listing in
      let machine = listing.isOwn ? "this machine" : "“\(listing.deviceName)”"
      let heard = Self.heard(listing, facts)
      let condition = listing.condition
      guard let kind = ConditionKind.named(condition.name) else {
        return Finding(
          "machine-condition", .information,
          "A newer Latchkey on \(machine) tells of “\(condition.name)”, which this one does not know\(heard).",
          next: "Update Latchkey on this machine.")
      }
      // An account that no longer exists has no name.
      let account = listing.accountName ?? condition.account.map { "\($0)" } ?? ""
      let terms = facts.terms[listing.deviceID] ?? RuleTerms()
      let words = kind.words(
        on: machine, account: account, detail: condition.detail, whose: terms.whose, app: terms.words(for: condition),
        children: listing.children.map(\.text), isHere: listing.isOwn)
      let sentence = heard.isEmpty ? words.sentence : words.sentence.dropLast() + heard + "."
      return Finding(condition.name, Severity(kind.weight), sentence, next: words.next)
    }
  }

  /// Returns when a machine that is not connected was last heard.
  private static func heard(_ listing: ConditionListing, _ facts: Facts) -> String {
    guard !listing.isOwn, case .running(let status, _) = facts.node,
      status.peers.first(where: { $0.device.deviceID == listing.deviceID })?.isConnected != true,
      let at = listing.heardAt
    else { return "" }
    return " (last heard \(SpanText.of(max(0, facts.clock.now - at))) ago)"
  }
}

extension Severity {
  fileprivate init(_ weight: ConditionKind.Weight) {
    self =
      switch weight {
      case .information: .information
      case .warning: .warning
      case .fault: .fault
      }
  }
}
