import LatchkeyHousehold
import LatchkeyModel

/// Receipts at the parent. Spec: Protocol/06-messages.md §4.
extension ModelStore {
  /// Applies a child's receipt to the command that it answers.
  mutating func applyReceipt(
    _ item: DeliveryItem, _ place: Int, _ wall: Int64, _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    var outcome = CommandReceipt.Outcome.superseded(nil)
    if let receipt = try? coding.receipt(item.body) {
      if receipt.commandID.bytes == item.itemID {
        outcome = receipt.outcome
      } else {
        passOver(item, .receipt, .wrongID, &result)
      }
    } else {
      passOver(item, .receipt, .unreadable, &result)
    }
    let device = peers[place].device
    guard let index = commands.firstIndex(where: { $0.id.bytes == item.itemID && $0.target == device }) else { return }
    switch commands[index].status {
    case .queued, .stored: break
    case .cancelled, .expired: if commands[index].hasState { return }
    case .executed, .failed, .superseded: return
    }
    if case .underWay(let what) = outcome {
      if !commands[index].status.isFinal { commands[index].waitsFor = what.english }
      return
    }
    let payload = commands[index].payload
    guard let verdict = ReceiptVerdict(outcome, of: payload) else { return }
    commands[index].status = verdict.status
    commands[index].hasState = outcome.state != nil
    commands[index].waitsFor = nil
    switch verdict {
    case .inForce, .overtaken:
      guard let state = outcome.state else { return }
      witness(state.as(RegistersInForce.self)?.registers ?? [], at: wall)
      holdings.begin(author: device, at: wall, usage: usage.count)
      inMemory { try payload.value.answered(with: state, by: device, in: &holdings) }
      try tellFacts(&result)
    case .refused, .expired, .contradicts: break
    }
  }
}
