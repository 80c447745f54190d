import Foundation
import GRDB
import LatchkeyModel

/// The handling of receipts on the parent's machine, which compares them with its commands and does
/// not rely on them. Spec: Protocol/06-messages.md §4.
extension InboxTransaction {
  /// Applies a child's receipt to the command of this device that it answers.
  ///
  /// A receipt that cannot be used has no content, but ends the command, since no other will
  /// arrive.
  mutating func applyReceipt(_ item: DeliveryItem, _ body: Result<CommandReceipt, BodyFault>) throws {
    var outcome = CommandReceipt.Outcome.superseded(nil)
    do {
      let receipt = try body.get()
      guard receipt.commandID.bytes == item.itemID else {
        throw BodyFault("The receipt has another ID than its item.", .wrongID)
      }
      outcome = receipt.outcome
    } catch let fault as BodyFault { passOver(item, .receipt, fault) }
    let asked = try database.first(
      "SELECT body FROM command WHERE command_id = ? AND peer = ?", [item.itemID, peer.number], { $0.bytes(0) })
    guard let asked, let command = CommandID(bytes: item.itemID) else { return }
    let payload = try coding.command(asked).payload
    if case .underWay(let what) = outcome { return try noteUnderWay(command, what) }
    guard let verdict = ReceiptVerdict(outcome, of: payload) else { return }
    // A cancellation may be too late or overtaken; the child's report is then correct.
    try database.run(
      """
      UPDATE command SET status = ?1, status_at = ?2, reason = ?3, reason_phrase = ?6, state = ?4, waits_for = NULL,
        wait_phrase = NULL
      WHERE command_id = ?5 AND (status IN ('queued', 'stored')
        OR status IN ('cancelled', 'expired') AND state IS NULL)
      """,
      [
        verdict.status.rawValue, wall, verdict.reason?.english, outcome.state.map { coding.encode($0) }, item.itemID,
        verdict.reason?.storedPhrase,
      ])
    guard database.changesCount > 0 else { return }
    result.commands.append(command)
    switch verdict {
    case .inForce, .overtaken:
      guard let state = outcome.state else { return }
      var effects = effects()
      try payload.value.answered(with: state, by: peer.device, in: &effects)
      try tellFacts(effects)
    case .refused, .expired, .contradicts: break
    }
  }

  /// Stores the condition that a command waits for on the child's machine, until its receipt
  /// arrives.
  private mutating func noteUnderWay(_ command: CommandID, _ what: ToldSentence) throws {
    try database.run(
      """
      UPDATE command SET waits_for = ?, wait_phrase = ?, status_at = ?
      WHERE command_id = ? AND status IN ('queued', 'stored')
      """, [what.english, what.storedPhrase, wall, command.bytes])
    if database.changesCount > 0 { result.commands.append(command) }
  }

  func effects() -> DatabaseEffects {
    DatabaseEffects(database, coding, own: own, author: peer.device, at: wall)
  }
}

extension ReceiptVerdict {
  /// The reason to store with the command, in one sentence; `nil` for none.
  fileprivate var reason: ToldSentence? {
    switch self {
    case .refused(let reason): reason
    case .contradicts:
      ToldSentence(
        Phrase(
          """
          That machine answered with something else than was asked for: give the command again, and if the answer \
          stays, find out who can change that machine's files.
          """))
    case .inForce, .overtaken, .expired: nil
    }
  }
}
