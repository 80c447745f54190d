import Foundation
import GRDB
import LatchkeyModel

/// Receipts at the parent: compared with the commands that they answer, never believed. Spec: Protocol/06-messages.md §4.
extension InboxTransaction {
  /// Applies a child's receipt to the command of this device that it answers.
  ///
  /// The rules that this device shows stay those of its own commands. What the child says beyond that is kept as its word.
  /// An answer that cannot be used says nothing, and ends the command all the same: no other will come.
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
    let verdict = ReceiptVerdict(outcome, of: payload)
    // Taking it back can come too late, or be overtaken: then what the child did is the truth.
    try database.run(
      """
      UPDATE command SET status = ?1, status_at = ?2, reason = ?3, state = ?4, previous = NULL
      WHERE command_id = ?5 AND (status IN ('queued', 'stored')
        OR status IN ('cancelled', 'superseded', 'expired') AND state IS NULL)
      """,
      [verdict.status.rawValue, wall, verdict.reason, outcome.state.map { coding.encode($0) }, item.itemID])
    guard database.changesCount > 0 else { return }
    result.commands.append(command)
    switch verdict {
    case .inForce(let enforcement): try showInForce(payload, enforcement, command)
    case .overtaken(let later):
      if let (reading, counter) = later.setAt, HybridTimestamp.mayWitness(reading, at: wall) {
        try database.witness(reading, counter)
      }
    case .refused, .expired, .contradicts: break
    }
    try noteDiscrepancy(payload, verdict, outcome.state, command)
  }

  /// Shows what a command of this device set, now that the child has confirmed it, unless a newer rule is shown.
  private func showInForce(_ payload: CommandPayload, _ enforcement: Enforcement?, _ command: CommandID) throws {
    switch payload {
    case .setApp(let configuration):
      let present = try database.app(configuration.appID, on: peer.device, coding)
      guard try present.map({ $0.modified <= configuration.modified }) ?? !isReplaced(command) else {
        return try note(
          ShownState(
            state: coding.encode(.app(configuration, enforcement ?? .recorded)), enforcement: enforcement?.rawValue),
          before: configuration.appID)
      }
      try database.save(
        configuration, on: peer.device, enforcement: enforcement, coding, author: peer.device, at: wall,
        isNews: present != configuration)
    case .removeApp(let id, let modified):
      guard let present = try database.app(id, on: peer.device, coding) else {
        // A newer command that waits and is taken back leaves nothing to show.
        if modified != nil { try note(ShownState(state: []), before: id) }
        return
      }
      // Its command may have been taken back too late.
      if let modified {
        guard present.modified <= modified else { return try note(ShownState(state: []), before: id) }
      } else if try isReplaced(command) {
        return
      }
      try database.removeApp(id, on: peer.device, author: peer.device, at: wall)
    case .setFamilySettings(let settings):
      guard try database.settings(coding).map({ $0.version < settings.version }) ?? true else {
        return try note(settings)
      }
      try database.save(settings, coding, author: peer.device, at: wall)
    case .requestReport, .message, .unpair: return
    }
  }

  /// Sets what is shown again if the newer command that waits for an application is taken back.
  private func note(_ shown: ShownState, before id: AppID) throws {
    try database.run(
      """
      UPDATE command SET previous = ?, previous_enforcement = ?
      WHERE peer = ? AND status = 'queued' AND supersede_key = ?
      """, [shown.state, shown.enforcement, peer.number, "app:" + id.text])
  }

  /// Sets what is shown again if newer settings of the family, which wait for any machine, are taken back.
  private func note(_ settings: FamilySettings) throws {
    let waiting = try database.rows(
      "SELECT command_id, body, previous FROM command WHERE status = 'queued' AND supersede_key = 'family'")
    for row in waiting {
      guard case .setFamilySettings(let newer) = try coding.command(row.bytes("body")).payload,
        newer.version > settings.version
      else { continue }
      if let state = (row["previous"] as Data?).map({ [UInt8]($0) }), !state.isEmpty,
        case .familySettings(let before) = try coding.state(state), before.version >= settings.version
      {
        continue
      }
      try database.run(
        "UPDATE command SET previous = ? WHERE command_id = ?",
        [coding.encode(.familySettings(settings)), row.bytes("command_id")])
    }
  }

  /// Returns whether a later command for the same thing is on its way or in force; a rule that is shown no more may have been
  /// taken back too late.
  private func isReplaced(_ command: CommandID) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM command JOIN command later ON later.peer = command.peer
        AND later.supersede_key = command.supersede_key AND later.command_id > command.command_id
        AND later.status IN ('queued', 'stored', 'executed')
      WHERE command.command_id = ? LIMIT 1
      """, [command.bytes], { _ in true }) ?? false
  }

  /// Keeps the child's word where it is not what this device set, or forgets it once both agree.
  private func noteDiscrepancy(
    _ payload: CommandPayload, _ verdict: ReceiptVerdict, _ state: StateInForce?, _ command: CommandID
  ) throws {
    guard let thing = payload.supersedeKey else { return }
    // The answer to a later command is what the child says now.
    let isOld = try database.first(
      """
      SELECT 1 FROM command WHERE peer = ?1 AND supersede_key = ?2 AND command_id > ?3
        AND (status IN ('executed', 'failed') OR status = 'superseded' AND state IS NOT NULL) LIMIT 1
      """, [peer.number, thing, command.bytes], { _ in true })
    guard isOld == nil else { return }
    var agrees = false
    if case .inForce = verdict { agrees = true }
    if case .overtaken(let later) = verdict {
      agrees =
        try payload.appID.map { later.agrees(with: try database.app($0, on: peer.device, coding)) }
        ?? later.agrees(with: database.settings(coding))
    }
    if agrees {
      return try database.run("DELETE FROM discrepancy WHERE peer = ? AND thing = ?", [peer.number, thing])
    }
    let isFarAhead = state?.setAt.map { !HybridTimestamp.mayWitness($0.wall, at: wall) } ?? false
    try database.run(
      """
      INSERT INTO discrepancy VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET command_id = excluded.command_id,
        state = excluded.state, reason = excluded.reason, is_far_ahead = excluded.is_far_ahead, at = excluded.at
      """,
      [
        peer.number, thing, command.bytes, state.map { coding.encode($0) }, verdict.ownReason, isFarAhead ? 1 : 0, wall,
      ])
  }
}

extension ReceiptVerdict {
  /// What the command's reason says from now on, in one sentence.
  fileprivate var reason: String? {
    switch self {
    case .refused(let reason): reason
    case .contradicts:
      "That machine answered with something else than was asked for: give the command again, and if the answer stays, "
        + "find out who can change that machine's files."
    case .inForce, .overtaken, .expired: nil
    }
  }

  /// What the child gave as its reason.
  fileprivate var ownReason: String? { if case .refused(let reason) = self { reason } else { nil } }
}
