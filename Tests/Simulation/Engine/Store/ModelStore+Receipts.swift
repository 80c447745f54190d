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
    case .cancelled, .superseded, .expired: if commands[index].hasState { return }
    case .executed, .failed: return
    }
    if case .underWay(let what) = outcome {
      // The child holds the state of a command that was cancelled too late, whatever the outcome.
      if !commands[index].status.isFinal {
        commands[index].waitsFor = what
      } else if let desired = commands[index].payload.desired {
        showInForce(commands[index], desired, nil)
      }
      return
    }
    guard let verdict = ReceiptVerdict(outcome, of: commands[index].payload) else { return }
    commands[index].status = verdict.status
    commands[index].hasState = outcome.state != nil
    (commands[index].previous, commands[index].waitsFor, commands[index].replacedBy) = (nil, nil, nil)
    for other in commands.indices where commands[other].replacedBy == commands[index].id {
      commands[other].replacedBy = nil
    }
    guard let desired = commands[index].payload.desired else {
      switch verdict {
      case .inForce, .overtaken:
        guard let state = outcome.state else { return }
        witness(state.as(RegistersInForce.self)?.registers ?? [], at: wall)
        holdings.begin(author: device, at: wall, usage: usage.count)
        let payload = commands[index].payload
        inMemory { try payload.value.answered(with: state, by: device, in: &holdings) }
        try tellFacts(&result)
      case .refused, .expired, .contradicts: break
      }
      return
    }
    switch verdict {
    case .inForce(let enforcement): showInForce(commands[index], desired, enforcement)
    case .overtaken(let later):
      if let reading = later.setAt, HybridTimestamp.mayWitness(reading.wall, at: wall) {
        witness(reading.wall, reading.counter)
      }
    case .refused, .expired, .contradicts: break
    }
  }

  /// Shows what a command set, now that the child has confirmed it, unless a newer state is shown.
  private mutating func showInForce(_ command: ModelCommand, _ desired: DesiredState, _ enforcement: Enforcement?) {
    let present = shown(desired.thing, command.target).state
    let confirmed = ShownState(desired.state, enforcement)
    let isShown = present?.setAt.map { $0 <= desired.modified } ?? (confirmed.state != nil && !isReplaced(command))
    if isShown {
      show(confirmed, desired.thing, command.target)
    } else {
      note(confirmed, before: desired, command.target)
    }
  }

  /// Returns whether a later command for the same thing is waiting or in force.
  func isReplaced(_ command: ModelCommand) -> Bool {
    commands.contains {
      $0.target == command.target && $0.supersedeKey == command.supersedeKey && $0.id > command.id
        && [.queued, .stored, .executed].contains($0.status)
    }
  }
}
