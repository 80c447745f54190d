import Foundation
import GRDB
import LatchkeyModel

/// The comparison of children's reports after a machine was restored. Spec: Protocol/05-delivery.md §5,
/// Protocol/06-messages.md §4.
extension InboxTransaction {
  /// Stores the state that the child's machine reports if it differs from the one shown here.
  ///
  /// A thing without a state here is considered only if the reported state names this machine as its author, since this
  /// machine may have lost it. Other parents' edits are not differences.
  func compare(_ report: StateInForce, _ command: CommandID) throws {
    let isSetBack = try database.first(
      "SELECT 1 FROM set_back WHERE peer = ? LIMIT 1", [peer.number], { _ in true })
    guard isSetBack != nil else { return }
    let keys = try database.rows(
      "SELECT DISTINCT supersede_key FROM command WHERE peer = ? AND supersede_key IS NOT NULL", [peer.number]
    ).map { $0["supersede_key"] as String }
    var effects = effects()
    for state in report.told(shown: keys) {
      guard let thing = state.subject else { continue }
      let shown = try thing.shown(on: peer.device, in: &effects).state
      guard shown != nil || state.setAt?.author == own else { continue }
      try keep(state, of: thing.key, agrees: shown.map { $0.agrees(with: state) } ?? state.isNothing, command)
    }
  }
}
