import Foundation
import GRDB
import LatchkeyModel

extension InboxTransaction {
  /// Bring a command into force and queue its receipt; a command seen before gets the same receipt again and no effect.
  mutating func applyCommand(_ item: DeliveryItem, _ body: Result<CommandBody, BodyFault>) throws {
    guard let id = CommandID(bytes: item.itemID) else { return }
    if let receipt = try database.first(
      "SELECT receipt FROM applied_command WHERE command_id = ?", [item.itemID], { $0.bytes(0) })
    {
      return try queue(id, receipt)
    }
    do {
      guard peerRole == .parent else { throw BodyFault("Only a parent's device may send commands.") }
      let command = try body.get()
      guard command.commandID == id else { throw BodyFault("The command has another ID than its item.") }
      guard command.author == peer.device else {
        throw BodyFault("The command's author is not the device that sent it.")
      }
      let outcome = try execute(command)
      result.appliedCommands += 1
      try answer(CommandReceipt(commandID: id, outcome: outcome, at: wall))
    } catch let fault as BodyFault {
      result.faults.append(fault.description)
      try refuse(item, fault.description)
    }
  }

  private func execute(_ command: CommandBody) throws -> CommandReceipt.Outcome {
    switch command.payload {
    case .setApp(let configuration):
      if let present = try database.app(configuration.appID, on: own, coding), present.modified > configuration.modified
      {
        return .superseded(.app(present, enforcement))
      }
      if let removed = try database.removal(of: configuration.appID) {
        if removed > configuration.modified { return .superseded(.appRemoved(configuration.appID, modified: removed)) }
        try database.forgetRemoval(of: configuration.appID)
      }
      try database.save(configuration, on: own, enforcement: enforcement, coding, author: peer.device, at: wall)
      guard let saved = try database.app(configuration.appID, on: own, coding) else {
        throw StoreError.unexpected("a rule that was not kept")
      }
      return .executed(.app(saved, enforcement))
    case .removeApp(let id, let modified): return try remove(id, modified)
    case .setFamilySettings(let settings):
      if let present = try database.settings(coding), present.version > settings.version {
        return .superseded(.familySettings(present))
      }
      try database.save(settings, coding, author: peer.device, at: wall)
      return .executed(.familySettings(settings))
    case .requestReport:
      return .executed(
        .report(
          DeviceReport(
            version: Version.software, enforcement: enforcement,
            apps: try database.apps(on: own, coding).map(\.configuration),
            familySettings: try database.settings(coding),
            usageRecords: try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM usage_record") ?? 0)))
    case .message(let text):
      try database.run(
        "INSERT INTO received_message VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [command.commandID.bytes, command.author.bytes, text, wall])
      return .executed(.messageStored)
    case .unpair:
      throw BodyFault("Unpairing travels as a signed removal, not as a command.")
    }
  }

  private func remove(_ id: AppID, _ modified: HybridTimestamp?) throws -> CommandReceipt.Outcome {
    if let modified {
      if let present = try database.app(id, on: own, coding), present.modified > modified {
        return .superseded(.app(present, enforcement))
      }
      if let earlier = try database.removal(of: id), earlier > modified {
        return .superseded(.appRemoved(id, modified: earlier))
      }
      try database.noteRemoval(of: id, modified)
    }
    try database.removeApp(id, on: own, author: peer.device, at: wall)
    return .executed(.appRemoved(id, modified: modified))
  }

  /// Take the child's word on a command of ours.
  mutating func applyReceipt(_ item: DeliveryItem, _ body: Result<CommandReceipt, BodyFault>) throws {
    do {
      let receipt = try body.get()
      guard receipt.commandID.bytes == item.itemID else {
        throw BodyFault("The receipt has another ID than its item.", .wrongID)
      }
      let status: CommandStatus
      var state: StateInForce?
      var reason: String?
      switch receipt.outcome {
      case .executed(let inForce): (status, state) = (.executed, inForce)
      case .failed(let why): (status, reason) = (.failed, why)
      case .expired: status = .expired
      case .superseded(let inForce): (status, state) = (.superseded, inForce)
      }
      // Taking it back can come too late, or be overtaken: then what the child did is the truth.
      try database.run(
        """
        UPDATE command SET status = ?1, status_at = ?2, reason = ?3, state = ?4,
          previous = iif(?1 = 'failed', previous, NULL)
        WHERE command_id = ?5 AND peer = ?6 AND (status IN ('queued', 'stored')
          OR status IN ('cancelled', 'superseded', 'expired') AND state IS NULL)
        """,
        [status.rawValue, wall, reason, state.map { coding.encode($0) }, receipt.commandID.bytes, peer.number])
      guard database.changesCount > 0 else { return }
      result.commands.append(receipt.commandID)
      if status == .failed, let row = try database.commandRow(receipt.commandID) {
        try database.restoreShown(before: row, coding, by: own, at: wall)
      }
      try takeOver(state, after: receipt.commandID)
    } catch let fault as BodyFault {
      passOver(item, .receipt, fault)
      try endUnanswered(item)
    }
  }

  /// What a child reports to be in force is what is shown for it here, unless a newer rule is on its way; and this device's
  /// clock never falls behind what it has seen.
  private func takeOver(_ state: StateInForce?, after command: CommandID) throws {
    switch state {
    case .app(let configuration, let enforcement):
      try database.witness(configuration.modified.wall)
      let present = try database.app(configuration.appID, on: peer.device, coding)
      guard try present.map({ $0.modified <= configuration.modified }) ?? !isReplaced(command) else {
        return try note(
          ShownState(state: coding.encode(.app(configuration, enforcement)), enforcement: enforcement.rawValue),
          before: configuration.appID)
      }
      try database.save(
        configuration, on: peer.device, enforcement: enforcement, coding, author: peer.device, at: wall,
        isNews: present != configuration)
    case .familySettings(let settings):
      try database.witness(settings.version)
      guard try database.settings(coding).map({ $0.version < settings.version }) ?? true else { return }
      try database.save(settings, coding, author: peer.device, at: wall)
    case .appRemoved(let id, let modified?):
      try database.witness(modified.wall)
      guard let present = try database.app(id, on: peer.device, coding) else { return }
      guard present.modified <= modified else { return try note(ShownState(state: []), before: id) }
      try database.removeApp(id, on: peer.device, author: peer.device, at: wall)
    case .appRemoved(let id, nil):
      // Its command may have been taken back too late.
      guard try database.app(id, on: peer.device, coding) != nil, try !isReplaced(command) else { return }
      try database.removeApp(id, on: peer.device, author: peer.device, at: wall)
    case .report, .messageStored, .unpaired, nil: return
    }
  }

  /// What holds while a newer command waits is what is shown again should that be taken back.
  private func note(_ shown: ShownState, before id: AppID) throws {
    try database.run(
      """
      UPDATE command SET previous = ?, previous_enforcement = ?
      WHERE peer = ? AND status = 'queued' AND supersede_key = ?
      """, [shown.state, shown.enforcement, peer.number, "app:" + id.text])
  }

  /// Whether a later command for the same thing is on its way or in force; a rule that is shown no more may have been taken back
  /// too late.
  private func isReplaced(_ command: CommandID) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM command JOIN command later ON later.peer = command.peer
        AND later.supersede_key = command.supersede_key AND later.command_id > command.command_id
        AND later.status IN ('queued', 'stored', 'executed')
      WHERE command.command_id = ? LIMIT 1
      """, [command.bytes], { _ in true }) ?? false
  }
}
