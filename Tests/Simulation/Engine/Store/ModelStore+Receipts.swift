import LatchkeyModel

/// What a child says that it holds of one thing, where it is not what this parent set.
package struct ModelDiscrepancy: Hashable, Sendable {
  package let command: CommandID
  package let state: StateInForce?
  package let reason: String?
  package let isFarAhead: Bool
}

/// Receipts at the parent. Spec: Protocol/06-messages.md §4.
extension ModelStore {
  /// Applies a child's receipt to the command that it answers.
  mutating func applyReceipt(
    _ item: DeliveryItem, _ place: Int, _ wall: Int64, _ result: inout ModelInboxResult
  ) {
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
    let verdict = ReceiptVerdict(outcome, of: commands[index].payload)
    commands[index].status = verdict.status
    commands[index].hasState = outcome.state != nil
    switch verdict {
    case .inForce: showInForce(commands[index])
    case .overtaken(let later):
      if let (reading, counter) = later.setAt, HybridTimestamp.mayWitness(reading, at: wall) {
        witness(reading, counter)
      }
    case .refused, .expired, .contradicts: break
    }
    noteDiscrepancy(commands[index], verdict, outcome.state, wall)
  }

  /// Shows what a command set, now that the child has confirmed it, unless a newer rule is shown.
  private mutating func showInForce(_ command: ModelCommand) {
    let device = command.target
    switch command.payload {
    case .setApp(let rule):
      guard rules[device]?[rule.appID].map({ $0.modified <= rule.modified }) ?? !isReplaced(command) else {
        return note(rule, before: rule.appID, device)
      }
      rules[device, default: [:]][rule.appID] = rule
    case .removeApp(let app, let modified?):
      guard let shown = rules[device]?[app] else { return note(nil, before: app, device) }
      if shown.modified <= modified { rules[device]?[app] = nil } else { note(nil, before: app, device) }
    case .removeApp, .setFamilySettings, .requestReport, .message, .unpair: return
    }
  }

  /// Whether a later command for the same thing is on its way or in force.
  private func isReplaced(_ command: ModelCommand) -> Bool {
    commands.contains {
      $0.target == command.target && $0.supersedeKey == command.supersedeKey && $0.id > command.id
        && [.queued, .stored, .executed].contains($0.status)
    }
  }

  /// Sets what is shown again if the newer command that waits is taken back.
  private mutating func note(_ rule: AppConfiguration?, before app: AppID, _ device: DeviceID) {
    for index in commands.indices
    where commands[index].target == device && commands[index].status == .queued && commands[index].payload.app == app {
      commands[index].previous = rule
    }
  }

  private mutating func noteDiscrepancy(
    _ command: ModelCommand, _ verdict: ReceiptVerdict, _ state: StateInForce?, _ wall: Int64
  ) {
    guard let thing = command.supersedeKey, let app = command.payload.app else { return }
    let isOld = commands.contains {
      $0.target == command.target && $0.supersedeKey == thing && $0.id > command.id
        && ([.executed, .failed].contains($0.status) || $0.status == .superseded && $0.hasState)
    }
    if isOld { return }
    var reason: String?
    switch verdict {
    case .inForce: return forgetDiscrepancy(command.target, thing)
    case .overtaken(let later):
      if later.agrees(with: rules[command.target]?[app]) { return forgetDiscrepancy(command.target, thing) }
    case .refused(let word): reason = word
    case .expired, .contradicts: break
    }
    let isFarAhead = state?.setAt.map { !HybridTimestamp.mayWitness($0.wall, at: wall) } ?? false
    discrepancies[command.target, default: [:]][thing] = ModelDiscrepancy(
      command: command.id, state: state, reason: reason, isFarAhead: isFarAhead)
  }

  /// What is shown of it: a thing for which a newer command is on its way is left out.
  package func shownDiscrepancies(_ device: DeviceID) -> [String: ModelDiscrepancy] {
    (discrepancies[device] ?? [:]).filter { thing, discrepancy in
      !commands.contains {
        $0.target == device && $0.supersedeKey == thing && $0.id > discrepancy.command
          && [.queued, .stored].contains($0.status)
      }
    }
  }

  private mutating func forgetDiscrepancy(_ device: DeviceID, _ thing: String) {
    discrepancies[device]?[thing] = nil
  }
}
