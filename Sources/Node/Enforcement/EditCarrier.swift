import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeySystem

/// The carrier of edits, which answers them once the agent has said that what follows from them is
/// in force.
///
/// Spec: Protocol/06-messages.md §4, 13-agent.md §5.
struct EditCarrier: EffectCarrier {
  let context: NodeContext
  /// The longest time for which an edit waits for the agent, in milliseconds.
  private static let patience: Int64 = 2_000

  var kind: CommandKind { Edit.kind }

  /// Waits for the agent, also while it is starting, and answers that the edit is recorded only if
  /// it does not say in time that it is in force.
  func carryOut(_ effect: PendingEffect) async -> EffectOutcome {
    guard let held = effect.wait.held else { return .underWay(effect.wait) }
    guard var state = held.as(RegistersInForce.self) else { return .done(held) }
    await context.enforcementState.agentHasStarted()
    let confirmation = await context.enforcementState.confirmation(
      of: effect.commandID, until: context.now() + Self.patience)
    guard state.closesSomething else { return .done(held.with(confirmation.degree)) }
    let exceptions = await exceptions(state.registers, recognized: confirmation.apps)
    state.exceptions = exceptions.names.sorted()
    state.enforcement = exceptions.leavesOpen ? .recorded : confirmation.degree
    return .done(StateInForce(state))
  }

  private func exceptions(_ registers: [Register], recognized: Set<AppID>) async -> EditExceptions {
    let state = context.enforcementState
    var orders = state.orderedAccounts
    var isAbsent = false
    var unordered = UnorderedApps()
    var held: [HeldRules] = []
    do {
      unordered = try await context.unorderedApps().subtracting(recognized)
      let household = try await context.readHousehold()
      var children = Set(household.children(of: context.own))
      let named = Set(registers.compactMap { if case .child(let child) = $0.zone { child } else { nil } })
      if !named.isEmpty {
        children = named
        // In a shared account the rules hold of the child who is there.
        isAbsent = orders.contains { !household.absent(in: $0.account, on: context.own).isDisjoint(with: named) }
        orders = orders.filter { !named.isDisjoint(with: household.user(of: $0.account, on: context.own).children) }
      }
      held = children.map { child in
        let rules = household.rules(for: child)
        return HeldRules(child, rules, household.rules(of: child), on: context.time.moment(rules.boundary).day)
      }
    } catch {
      context.logger.error("what weakens an edit could not be read", metadata: ["reason": "\(error)"])
    }
    return EditExceptions(
      registers, faults: state.faults, orders: orders, isAbsent: isAbsent, agent: state.agent, held: held,
      unrecognized: unordered.unrecognized, ofOwnEntries: unordered.ofOwnEntries, hasLoginGate: LoginGateLine.isThere())
  }
}
