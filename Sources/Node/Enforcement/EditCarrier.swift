import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The carrier of edits, which answers them once the agent has said that what follows from them is in force.
///
/// Spec: Protocol/06-messages.md §4, 13-agent.md §5.
struct EditCarrier: EffectCarrier {
  let context: NodeContext
  /// The longest time for which an edit waits for the agent, in milliseconds.
  private static let patience: Int64 = 2_000

  var kind: CommandKind { Edit.kind }

  /// Waits for the agent, and answers that the edit is recorded only if it does not say in time that it is in force.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    guard let held = effect.wait.held else { return .underWay(effect.wait) }
    let enforcement = await context.enforcementState.confirmation(
      of: effect.commandID, until: context.now() + Self.patience, now: context.now)
    return .done(held.with(await isUnrecognized(held) ? .recorded : enforcement))
  }

  /// Returns whether rules are about applications alone of which nothing on this machine is recognized.
  private func isUnrecognized(_ held: StateInForce) async -> Bool {
    guard let registers = held.as(RegistersInForce.self)?.registers, !registers.isEmpty else { return false }
    var apps: Set<AppID> = []
    for register in registers {
      guard case .app(let app, _) = RuleKey(register.key), register.value != nil else { return false }
      apps.insert(app)
    }
    do {
      return try await context.unrecognizedApps().isSuperset(of: apps)
    } catch { return false }
  }
}
