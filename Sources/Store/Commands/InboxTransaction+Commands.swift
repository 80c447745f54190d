import Foundation
import GRDB
import LatchkeyModel

/// The execution of commands on the child's machine. Spec: Protocol/06-messages.md §3.
extension InboxTransaction {
  /// Executes a command and queues its receipt; a repeated command gets the same receipt and has no
  /// effect.
  mutating func applyCommand(_ item: DeliveryItem, _ body: Result<CommandBody, BodyFault>) throws {
    guard let id = CommandID(bytes: item.itemID) else { return }
    let known = try group.statement(
      .applied, "SELECT receipt FROM applied_command WHERE command_id = ?", database)
    if try group.mayBeApplied(item.itemID, database),
      let receipt = try database.first(known, { $0.add(item.itemID) }, { $0.bytes(0) })
    {
      return try queue(id, receipt)
    }
    do {
      guard peerRole == .parent else { throw BodyFault(phrase: Phrase("Only a parent's device may send commands.")) }
      let command = try body.get()
      guard command.commandID == id else { throw BodyFault("The command has another ID than its item.") }
      guard command.author == peer.device
      else { throw BodyFault("The command's author is not the device that sent it.") }
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
    let context = CommandContext(commandID: command.commandID, author: command.author, createdAt: command.createdAt)
    let outcome = try command.payload.value.execute(context, in: &effects)
    if !effects.told.isEmpty || !effects.toldAuthor.isEmpty {
      // Parents' control streams change in the database itself.
      try group.settle(database)
      for parent in try database.addresses(role: .parent) {
        let told = parent.device == peer.device ? effects.toldAuthor : effects.told
        guard !told.isEmpty else { continue }
        result.changes += try database.queue(told, for: parent, store, at: wall)
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

  private mutating func answer(_ receipt: CommandReceipt) throws {
    try queue(receipt.commandID, coding.encode(receipt))
  }

  private mutating func queue(_ id: CommandID, _ body: [UInt8]) throws {
    result.changes.append(try database.queueReceipt(id, body, to: peer, isNew: false, caps: caps, in: group, at: wall))
  }
}

extension Database {
  /// Queues a receipt, and stores it under the command's ID to answer a repetition of the command.
  ///
  /// `isNew` says whether the receipt replaces the note that the command is under way.
  func queueReceipt(
    _ id: CommandID, _ body: [UInt8], to peer: OutboxAddress, isNew: Bool, caps: QueueCaps, in group: WriteGroup,
    at wall: Int64
  ) throws -> OutboxChange {
    // Commands of one window are answered together; otherwise a cap below a window would refuse the
    // same commands forever.
    let room = QueueCaps(
      items: caps.items.addingReportingOverflow(Int64(Limits.windowItems)).partialValue,
      bytes: caps.bytes.addingReportingOverflow(Int64(Limits.windowItems * Limits.itemBodyBytes)).partialValue)
    let bytes = id.bytes
    let change = try enqueue(
      peer, .receipt, kind: .receipt, itemID: bytes, body: body, caps: room, in: group, at: wall)
    let statement = try group.statement(
      .apply,
      """
      INSERT INTO applied_command VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET peer = excluded.peer,
        receipt = iif(?7, excluded.receipt, receipt), receipt_epoch = excluded.receipt_epoch,
        receipt_seq = excluded.receipt_seq
      """, self)
    try run(statement) {
      $0.add(bytes)
      $0.add(body)
      $0.add(wall)
      $0.add(peer.number)
      $0.add(Int64(bitPattern: change.epoch))
      $0.add(Int64(bitPattern: change.last))
      $0.add(isNew)
    }
    group.noteApplied(bytes)
    return change
  }
}

/// The handling of receipts on the parent's machine, which compares them with its commands and does
/// not rely on them. Spec: Protocol/06-messages.md §4.
extension InboxTransaction {
  /// Applies a child's receipt to this device's command.
  ///
  /// A receipt that cannot be used has no content, but ends the command, since no other receipt
  /// will arrive.
  mutating func applyReceipt(_ item: DeliveryItem, _ body: Result<CommandReceipt, BodyFault>) throws {
    var outcome = CommandReceipt.Outcome.superseded(nil)
    do {
      let receipt = try body.get()
      guard receipt.commandID.bytes == item.itemID
      else { throw BodyFault("The receipt has another ID than its item.", .wrongID) }
      outcome = receipt.outcome
    } catch let fault as BodyFault { passOver(item, .receipt, fault) }
    guard let command = CommandID(bytes: item.itemID) else { return }
    // Most answers are plain, and the first ones to their commands.
    if case .executed(let state) = outcome, state.kind == Done.kind, let verdict = ReceiptVerdict(plain: outcome),
      try keep(verdict, state, of: item, command, ifPlain: true)
    {
      return
    }
    guard let asked = try asked(item.itemID) else { return }
    if case .underWay(let what) = outcome { return try noteUnderWay(command, what) }
    let judged =
      switch asked {
      case .plain: ReceiptVerdict(plain: outcome)
      case .command(let payload): ReceiptVerdict(outcome, of: payload)
      }
    guard let verdict = judged else { return }
    guard try keep(verdict, outcome.state, of: item, command, ifPlain: false) else { return }
    switch verdict {
    case .inForce, .overtaken:
      guard let state = outcome.state, case .command(let payload) = asked else { return }
      var effects = effects()
      try payload.value.answered(with: state, by: peer.device, in: &effects)
      try tellFacts(effects)
    case .refused, .expired, .contradicts: break
    }
  }

  /// Stores the outcome of a command of the peer, and returns whether it changes its status.
  ///
  /// With `ifPlain`, a command of a kind without a plain answer stays as it is.
  private mutating func keep(
    _ verdict: ReceiptVerdict, _ state: StateInForce?, of item: DeliveryItem, _ command: CommandID, ifPlain: Bool
  ) throws -> Bool {
    let state = state.map { coding.encode($0) }
    // A cancellation may be too late or overtaken; the child's report is then correct.
    let statement = try group.statement(
      .answer,
      """
      UPDATE command SET status = ?, status_at = ?, reason = ?, reason_phrase = ?, state = ?, waits_for = NULL,
        wait_phrase = NULL
      WHERE command_id = ? AND peer = ? AND (NOT ? OR kind IN (\(store.plainKinds)))
        AND (status IN ('queued', 'stored') OR status IN ('cancelled', 'expired') AND state IS NULL)
      """, database)
    try database.run(statement) {
      $0.add(verdict.status.rawValue)
      $0.add(wall)
      $0.add(verdict.reason?.english)
      $0.add(verdict.reason?.storedPhrase)
      $0.add(state)
      $0.add(item.itemID)
      $0.add(peer.number)
      $0.add(ifPlain)
    }
    guard database.changesCount > 0 else { return false }
    group.answered[peer.number, default: []].append(item.itemID)
    result.commands.append(command)
    return true
  }

  /// The command that a receipt answers.
  private enum Asked {
    /// A command of a kind with a plain answer, which is judged without it.
    case plain
    case command(CommandPayload)
  }

  /// Returns the command that was given to the peer; `nil` if it was given no such command.
  private func asked(_ id: [UInt8]) throws -> Asked? {
    let statement = try group.statement(
      .asked, "SELECT kind, body FROM command WHERE command_id = ? AND peer = ?", database)
    let bind = { (parameters: inout Parameters) in
      parameters.add(id)
      parameters.add(peer.number)
    }
    return try database.first(statement, bind) { row in
      let definition = CommandKind(rawValue: row.text(0)).flatMap { coding.commands.definition($0) }
      return definition?.hasPlainAnswer == true ? .plain : .command(try coding.command(row.bytes(1)).payload)
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

  func effects() -> DatabaseEffects { DatabaseEffects(database, coding, own: own, author: peer.device, at: wall) }
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

/// The pending effects, which something outside the database carries out. Spec:
/// Protocol/05-delivery.md §7.
extension Store {
  /// Returns the effects that have no outcome yet, in the order of their commands.
  ///
  /// Each must be carried out again after a start of the process, since its progress is unknown.
  public func pendingEffects() async throws(StoreError) -> [PendingEffect] {
    let age = age()
    return try await read { [coding] database in
      try database.rows("SELECT * FROM pending_effect ORDER BY command_id").map { row in
        let command = try coding.command(row.bytes("body"))
        return PendingEffect(
          commandID: command.commandID, author: command.author, payload: command.payload,
          wait: EffectWait(
            row.told("waits_for", "wait_phrase") ?? "", within: max(0, row["due_age"] - age),
            held: try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }))
      }
    }
  }

  /// Records the outcome of an effect, queues its receipt in the same transaction, and returns the
  /// stream that got the receipt; `nil` if the effect has an outcome already.
  public func finishEffect(
    _ id: CommandID, _ outcome: EffectOutcome, at wall: Int64
  ) async throws(StoreError) -> OutboxChange? {
    if case .underWay = outcome { return nil }
    return try await commits.commitTogether { database, group in
      try database.finishEffect(id, outcome, self, in: group, at: wall)
    }
  }

  /// Ends the effects without an outcome in time, at most 256.
  public func expireEffects(at wall: Int64) async throws(StoreError) -> [OutboxChange] {
    let age = age()
    return try await commits.commitTogether { [coding, clock] database, group in
      let due = try database.rows(
        "SELECT command_id, waits_for, wait_phrase, state FROM pending_effect WHERE due_age <= ? ORDER BY command_id LIMIT 256",
        [age]
      )
      if !due.isEmpty { group.noteAge(clock) }
      return try due.compactMap { row in
        guard let id = CommandID(bytes: row["command_id"] as Data) else { return nil }
        let held = try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }
        let wait = EffectWait(row.told("waits_for", "wait_phrase") ?? "", within: 0, held: held)
        let late = PendingEffect.late(wait)
        return try database.finishEffect(id, late, self, in: group, at: wall)
      }
    }
  }
}

extension Database {
  fileprivate func finishEffect(
    _ id: CommandID, _ outcome: EffectOutcome, _ store: Store, in group: WriteGroup,
    at wall: Int64
  ) throws -> OutboxChange? {
    let peer = try row(
      "SELECT e.peer, p.device_id FROM pending_effect e JOIN peer p ON p.number = e.peer WHERE command_id = ?",
      [Data(id.bytes)])
    guard let peer else { return nil }
    try run("DELETE FROM pending_effect WHERE command_id = ?", [id.bytes])
    let receipt = CommandReceipt(commandID: id, outcome: .init(outcome), at: wall)
    return try queueReceipt(
      id, store.coding.encode(receipt), to: OutboxAddress(number: peer["peer"], device: try peer.deviceID("device_id")),
      isNew: true, caps: store.caps, in: group, at: wall)
  }
}
