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
}
