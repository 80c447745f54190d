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

  /// Waits for the agent, and answers how far it carries out what follows from the edit.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    guard let held = effect.wait.held, let state = held.as(RegistersInForce.self) else { return .underWay(effect.wait) }
    let answer = await context.enforcementState.confirmation(
      of: effect.commandID, until: context.now() + Self.patience, now: context.now)
    do {
      let household = try await context.readHousehold()
      var machine = AgentAnswer.Machine(accounts: [:])
      for account in answer.orders.map(\.account) {
        if let child = household.child(of: account, on: context.own) {
          machine.accounts[child, default: []].insert(account)
        }
      }
      for child in household.children(of: context.own) {
        let apps = household.rules(for: child).apps
        machine.blocked[child] = Set(apps.filter { $0.value.isBlocked }.keys)
      }
      machine.unrecognized = try await context.unrecognizedApps()
      machine.noted = context.enforcementState.noted(at: context.now())
      return .done(StateInForce(answer.state(of: state.registers, on: machine)))
    } catch {
      context.logger.error("an edit could not be answered in full", metadata: ["reason": "\(error)"])
      return .done(held)
    }
  }
}
