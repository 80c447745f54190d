import Foundation
import GRDB
import LatchkeyModel

/// The execution of commands on the child's machine. Spec: Protocol/06-messages.md §3.
extension InboxTransaction {
  /// Executes a command and queues its receipt; a repeated command gets the same receipt and has no
  /// effect.
  mutating func applyCommand(_ item: DeliveryItem, _ body: Result<CommandBody, BodyFault>) throws {
    guard let id = CommandID(bytes: item.itemID) else { return }
    if let receipt = try database.first(
      "SELECT receipt FROM applied_command WHERE command_id = ?", [item.itemID], { $0.bytes(0) })
    {
      return try queue(id, receipt)
    }
    do {
      guard peerRole == .parent else {
        throw BodyFault(phrase: Phrase("Only a parent's device may send commands."))
      }
      let command = try body.get()
      guard command.commandID == id else { throw BodyFault("The command has another ID than its item.") }
      guard command.author == peer.device else {
        throw BodyFault("The command's author is not the device that sent it.")
      }
      let outcome = try execute(command, item.body)
      result.appliedCommands += 1
      try answer(CommandReceipt(commandID: id, outcome: .init(outcome), at: wall))
    } catch let fault as BodyFault {
      result.faults.append(fault.description)
      try refuse(item, fault.told)
    }
  }

  private mutating func execute(_ command: CommandBody, _ body: [UInt8]) throws -> EffectOutcome {
    var effects = DatabaseEffects(
      database, coding, own: own, author: peer.device, enforcement: enforcement, awaitsAgent: awaitsAgent, at: wall)
    let context = CommandContext(
      commandID: command.commandID, author: command.author, createdAt: command.createdAt)
    let outcome = try command.payload.value.execute(context, in: &effects)
    if !effects.told.isEmpty || !effects.toldAuthor.isEmpty {
      // Parents' control streams change in the database itself.
      try group.settle(database)
      for parent in try database.addresses(role: .parent) {
        let told = parent.device == peer.device ? effects.toldAuthor : effects.told
        guard !told.isEmpty else { continue }
        result.changes += try database.queue(told, for: parent, keys, coding, at: wall)
      }
    }
    try tellFacts(effects)
    if case .underWay(let wait) = outcome {
      group.noteAge(clock)
      try database.run(
        "INSERT INTO pending_effect VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          command.commandID.bytes, peer.number, body, wait.what.english, wait.what.storedPhrase,
          age.addingReportingOverflow(max(0, wait.within)).partialValue, wait.held.map { coding.encode($0) },
        ])
      result.hasPendingEffects = true
    }
    return outcome
  }

  mutating func refuse(_ item: DeliveryItem, _ reason: ToldSentence) throws {
    guard let id = CommandID(bytes: item.itemID) else { return }
    try answer(CommandReceipt(commandID: id, outcome: .failed(reason: reason), at: wall))
  }

  /// Stores the receipt under the command's ID and queues it.
  private mutating func answer(_ receipt: CommandReceipt) throws {
    try queue(receipt.commandID, coding.encode(receipt))
  }

  private mutating func queue(_ id: CommandID, _ body: [UInt8]) throws {
    result.changes.append(
      try database.queueReceipt(id, body, to: peer, isNew: false, caps: caps, in: group, at: wall))
  }
}

extension Database {
  /// Queues a receipt, and stores it under the command's ID to answer a repetition of the command.
  ///
  /// - Parameters:
  ///   - id: The ID of the command.
  ///   - body: The encoded receipt.
  ///   - peer: The parent's machine that issued the command.
  ///   - isNew: Whether the receipt replaces the note that the command is under way.
  ///   - caps: The limits of the queue.
  ///   - group: The group of writes that the item joins.
  ///   - wall: The time in Unix milliseconds.
  /// - Returns: The change of the outbox.
  /// - Throws: The database's error.
  func queueReceipt(
    _ id: CommandID, _ body: [UInt8], to peer: OutboxAddress, isNew: Bool, caps: QueueCaps, in group: WriteGroup,
    at wall: Int64
  ) throws -> OutboxChange {
    // Commands of one window are answered together; otherwise a cap below a window would refuse the
    // same commands forever.
    let room = QueueCaps(
      items: caps.items.addingReportingOverflow(Int64(Limits.windowItems)).partialValue,
      bytes: caps.bytes.addingReportingOverflow(Int64(Limits.windowItems * Limits.itemBodyBytes)).partialValue)
    let change = try enqueue(
      peer, .receipt, kind: .receipt, itemID: id.bytes, body: body, caps: room, in: group, at: wall)
    try run(
      """
      INSERT INTO applied_command VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET peer = excluded.peer,
        receipt = iif(?7, excluded.receipt, receipt), receipt_epoch = excluded.receipt_epoch,
        receipt_seq = excluded.receipt_seq
      """,
      [
        id.bytes, body, wall, peer.number, Int64(bitPattern: change.epoch), Int64(bitPattern: change.last),
        isNew ? 1 : 0,
      ])
    return change
  }
}
