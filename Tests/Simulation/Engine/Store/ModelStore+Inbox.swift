import LatchkeyModel

/// The effects of one transaction with received items.
package struct ModelInboxResult {
  package var changes: [ModelChange] = []
  package var wasRemoved = false
  package var hasNewKeys = false
  package var hasCompletedPairing = false
  package var faults = 0
  /// A Boolean value that indicates whether there are facts that this machine did not have.
  package var hasNewFacts = false
  /// A Boolean value that indicates whether a removal leaves a later, incomplete pairing unchanged.
  var keepsPending = false
  /// The ignored items that have no receipt.
  var refused: [RefusedItem] = []

  /// Adds the effects of a later transaction.
  mutating func add(_ other: ModelInboxResult) {
    changes += other.changes
    wasRemoved = wasRemoved || other.wasRemoved
    hasNewKeys = hasNewKeys || other.hasNewKeys
    hasCompletedPairing = hasCompletedPairing || other.hasCompletedPairing
    faults += other.faults
    hasNewFacts = hasNewFacts || other.hasNewFacts
  }
}

/// The transaction with received items.
///
/// Spec: Protocol/05-delivery.md §6.
extension ModelStore {
  /// Brings items into force, with effects, receipts and watermarks in one transaction.
  package mutating func receive(
    _ runs: [ItemRun], from device: DeviceID, role: DeviceRole, in sessionKey: [UInt8]? = nil, at wall: Int64
  ) throws(ModelStoreFault) -> ModelInboxResult {
    let place = try place(device)
    var result = ModelInboxResult()
    // Items in flight while a device was removed are not accepted.
    guard sources.fault == .takeFromRemoved || peers[place].state == .active || peers[place].state == .pending else {
      throw .noSuchPeer
    }
    if let sessionKey, runs.contains(where: { $0.items.contains { $0.kind == .removal } }) {
      // A removal from a session of an earlier pairing does not end the present one.
      guard peers[place].callingKeys.contains(sessionKey) else { throw .noSuchPeer }
      result.keepsPending = peers[place].pendingKey.map { $0 != sessionKey } ?? false
    }
    for run in runs where !result.wasRemoved { try apply(run, place, role, wall, &result) }
    try tellRefusals(place, &result)
    return result
  }

  private mutating func apply(
    _ run: ItemRun, _ place: Int, _ role: DeviceRole, _ wall: Int64, _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    guard let last = run.items.last?.skipThrough else { return }
    let present = peers[place].incoming[run.streamClass]
    var watermark: UInt64 = 0
    var held: DeliveryItem?
    if let present, present.epoch == run.epoch || sources.fault == .keepWatermarkAcrossEpochs {
      watermark = present.watermark
    }
    for item in run.items where item.skipThrough > watermark {
      guard item.sequence <= watermark + 1 || sources.fault == .takeGaps else { throw .unexpected("a gap") }
      watermark = item.skipThrough
      guard item.kind != .skip else { continue }
      held = item
      try apply(item, run, place, role, wall, &result)
      if result.wasRemoved { return }
    }
    guard watermark >= last else { throw .unexpected("a watermark that fell back") }
    if sources.fault == .watermarkInItsOwnTransaction { return }
    advance(place, run, through: watermark, held: held)
    if run.streamClass == .control, let present, present.epoch != run.epoch, present.watermark > 0 {
      result.changes += try returnFacts(to: place)
    }
  }

  /// Raises the watermark of a stream.
  private mutating func advance(_ place: Int, _ run: ItemRun, through: UInt64, held: DeliveryItem?) {
    let present = peers[place].incoming[run.streamClass]
    var stream = ModelPeer.Incoming(epoch: run.epoch, watermark: through)
    if let held {
      (stream.item, stream.itemID) = (held.sequence, held.itemID)
    } else if let present, present.epoch == run.epoch {
      (stream.item, stream.itemID) = (present.item, present.itemID)
    }
    peers[place].incoming[run.streamClass] = stream
  }

  /// Raises only watermarks; only a deliberate fault calls this.
  mutating func advanceAlone(_ runs: [ItemRun], from device: DeviceID) {
    guard let place = try? place(device), peers[place].state == .active else { return }
    for run in runs {
      guard let last = run.items.last else { continue }
      advance(place, run, through: last.skipThrough, held: run.items.last { $0.kind != .skip })
    }
  }

  private mutating func apply(
    _ item: DeliveryItem, _ run: ItemRun, _ place: Int, _ role: DeviceRole, _ wall: Int64,
    _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    switch (run.streamClass, item.kind) {
    case (.command, .command): try applyCommand(item, run.epoch, place, role, wall, &result)
    case (.receipt, .receipt): try applyReceipt(item, place, wall, &result)
    case (.usage, .usageRecord):
      guard let record = try? coding.usageRecord(item.body) else {
        return passOver(item, .usage, .unreadable, &result)
      }
      guard record.device == peers[place].device else { return passOver(item, .usage, .foreign, &result) }
      guard record.recordID.bytes == item.itemID else { return passOver(item, .usage, .wrongID, &result) }
      if usage[record.recordID] == nil { usage[record.recordID] = record }
    case (.usage, .usageLoss):
      guard let loss = try? coding.usageLoss(item.body) else { return passOver(item, .usage, .unreadable, &result) }
      guard loss.device == peers[place].device else { return passOver(item, .usage, .foreign, &result) }
      guard loss.lossID.bytes == item.itemID else { return passOver(item, .usage, .wrongID, &result) }
      if losses[loss.lossID] == nil { losses[loss.lossID] = loss }
    case (.control, .removal):
      try takeRemoval(place, role, keepsPending: result.keepsPending, at: wall, &result)
      result.wasRemoved = true
    case (.control, .keyRotation): takeRotation(item, place, role, wall, &result)
    case (.control, .refusal): applyRefusal(item, place, &result)
    case (.control, .inventory): takeInventory(item, peers[place].device, role, &result)
    case (.control, .registers): takeRegisters(item, place, role, wall, &result)
    case (.control, .facts): try takeFacts(item, place, role, &result)
    case (.command, _):
      result.faults += 1
      guard let id = CommandID(bytes: item.itemID) else { return }
      let refusal = CommandReceipt(commandID: id, outcome: .failed(reason: "It is not known."), at: wall)
      try queueReceipt(id, coding.encode(refusal), place, &result)
    default: passOver(item, run.streamClass, .unknownKind, &result)
    }
  }

  private mutating func applyCommand(
    _ item: DeliveryItem, _ epoch: UInt64, _ place: Int, _ role: DeviceRole, _ wall: Int64,
    _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    guard let id = CommandID(bytes: item.itemID) else { return }
    if let known = receipts[id], sources.fault != .forgetCommandIDs {
      return try queueReceipt(id, known.body, place, &result)
    }
    guard role == .parent, let command = try? coding.command(item.body), command.commandID == id,
      command.author == peers[place].device
    else {
      result.faults += 1
      let refusal = CommandReceipt(commandID: id, outcome: .failed(reason: "It could not be used."), at: wall)
      return try queueReceipt(id, coding.encode(refusal), place, &result)
    }
    let receipt = CommandReceipt(commandID: id, outcome: try execute(command, place, wall, &result), at: wall)
    effects.append(
      ModelEffect(id: id, author: peers[place].device, epoch: epoch, pairing: peers[place].pairing))
    try queueReceipt(id, coding.encode(receipt), place, &result)
  }

  private mutating func queueReceipt(
    _ id: CommandID, _ body: [UInt8], _ place: Int, _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    let change = try enqueue(place, .receipt, kind: .receipt, itemID: id.bytes, body: body, caps: receiptCaps)
    let kept = receipts[id]?.body ?? body
    receipts[id] = ModelReceipt(body: kept, peer: peers[place].device, epoch: change.epoch, sequence: change.last)
    result.changes.append(change)
  }

  /// The caps that let a receiver answer all commands of one window together.
  package var receiptCaps: QueueCaps {
    QueueCaps(
      items: caps.items.addingReportingOverflow(Int64(Limits.windowItems)).partialValue,
      bytes: caps.bytes.addingReportingOverflow(Int64(Limits.windowItems * Limits.itemBodyBytes)).partialValue)
  }
}
