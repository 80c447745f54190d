import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// An effect without an outcome.
package struct ModelPendingEffect: Sendable {
  package let id: CommandID
  /// The parent that issued the command.
  package let author: DeviceID
  package let payload: CommandPayload
  package let waitsFor: ToldSentence
  package let dueAt: Int64
}

/// Effects that something outside the store carries out. Spec: Protocol/05-delivery.md §7.
extension ModelStore {
  /// Executes a command, and stores its effect as pending if it waits for the agent.
  mutating func execute(_ command: CommandBody, _ place: Int, _ wall: Int64, _ result: inout ModelInboxResult)
    throws(ModelStoreFault) -> CommandReceipt.Outcome
  {
    holdings.begin(author: peers[place].device, at: wall, usage: usage.count)
    let context = CommandContext(
      commandID: command.commandID, author: command.author, createdAt: command.createdAt)
    let outcome: EffectOutcome
    do {
      outcome =
        try takeAll(of: command.payload) ?? command.payload.value.execute(context, in: &holdings)
    } catch { return .failed(reason: ToldSentence(english: "\(error)")) }
    spoil(command.payload)
    try tellParents(of: place, &result)
    try tellFacts(&result)
    guard case .underWay(let wait) = outcome else { return .init(outcome) }
    noteAge()
    pending.append(
      ModelPendingEffect(
        id: command.commandID, author: peers[place].device, payload: command.payload, waitsFor: wait.what,
        dueAt: age + wait.within))
    // The mistake of every system of this kind: it reports success before anything has happened.
    if sources.fault == .receiptBeforeOutcome, let lock = command.payload.as(SimulatedLock.self) {
      return .executed(StateInForce(lock.state))
    }
    return .init(outcome)
  }

  /// Accepts registers of any child; only a deliberate fault calls this.
  private mutating func takeAll(of payload: CommandPayload) -> EffectOutcome? {
    guard sources.fault == .tellSiblings, let registers = payload.as(Edit.self)?.registers else { return nil }
    for register in registers { inMemory { try holdings.save(register) } }
    return .done(StateInForce(RegistersInForce(registers, .recorded)))
  }

  /// Makes the deliberate mistakes in the effect of an edit.
  private mutating func spoil(_ payload: CommandPayload) {
    guard let registers = payload.as(Edit.self)?.registers else { return }
    switch sources.fault {
    // The register that arrives last wins, whatever its time.
    case .lastEditHolds: for register in registers { inMemory { try holdings.save(register) } }
    // A deletion leaves no trace, so that an earlier edit that arrives later is in force.
    case .forgetDeletions: holdings.forget(where: { $0.value == nil })
    default: break
    }
  }

  /// Makes the deliberate mistakes in the receipt of a fact.
  mutating func spoil(_ fact: Fact) throws(BodyFault) {
    switch sources.fault {
    // The answer that arrives last wins, whichever came first.
    case .lastAnswerHolds where fact.kind == .answer: holdings.facts.forgetOthers(than: fact)
    // The entry counts again, as another entry.
    case .applyEntryTwice where fact.kind == .ledger:
      guard var entry = LedgerEntry(fact.text), entry.milliPoints > 0,
        let source = RecordID(bytes: entry.id.source.bytes.map { ~$0 }),
        let definition = coding.factKinds.definition(.ledger)
      else { return }
      entry.id.source = source
      guard let reading = definition.read(entry.text) else { return }
      _ = try holdings.facts.keep(Fact(fact.child, .ledger, entry.text), reading, definition)
    default: break
    }
  }

  /// Records the outcome of an effect and queues its receipt.
  ///
  /// - Returns: The stream that got the receipt; `nil` if there is an outcome already.
  package mutating func finishEffect(
    _ id: CommandID, _ outcome: EffectOutcome, at wall: Int64
  ) throws(ModelStoreFault) -> ModelChange? {
    guard let effect = pending.first(where: { $0.id == id }) else { return nil }
    if sources.fault != .carryOutTwice { pending.removeAll { $0.id == id } }
    outcomes.append(id)
    return try answer(effect, .init(outcome), wall)
  }

  /// Ends the effects that had no outcome in time.
  package mutating func expireEffects(at wall: Int64) throws(ModelStoreFault) -> [ModelChange] {
    let age = age
    var changes: [ModelChange] = []
    for effect in pending.filter({ $0.dueAt <= age }).sorted(by: { $0.id < $1.id }) {
      noteAge()
      let late = PendingEffect.late(EffectWait(effect.waitsFor, within: 0))
      if let change = try finishEffect(effect.id, late, at: wall) { changes.append(change) }
    }
    return changes
  }

  private mutating func answer(
    _ effect: ModelPendingEffect, _ outcome: CommandReceipt.Outcome, _ wall: Int64
  ) throws(ModelStoreFault) -> ModelChange? {
    guard let place = try? place(effect.author) else { return nil }
    let body = coding.encode(CommandReceipt(commandID: effect.id, outcome: outcome, at: wall))
    let change = try enqueue(place, .receipt, kind: .receipt, itemID: effect.id.bytes, body: body, caps: receiptCaps)
    receipts[effect.id] = ModelReceipt(
      body: body, peer: effect.author, epoch: change.epoch, sequence: change.last)
    return change
  }
}
