import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeySystem

/// The carrier of edits, which answers them once the agent has said that they are in force.
///
/// Spec: Protocol/06-messages.md §4, 13-agent.md §5.
struct EditCarrier: EffectCarrier {
  let context: NodeContext
  /// The longest time for which an edit waits for the agent, in milliseconds.
  private static let patience: Int64 = 2_000

  var kind: CommandKind { Edit.kind }

  /// Waits for the agent, also while it is starting; the edit is only recorded if it does not say
  /// in time that it is in force.
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

/// What an agent carries out otherwise than an edit asks, or not at all, for the edit's receipt.
///
/// Spec: Protocol/06-messages.md §4.
struct EditExceptions {
  private(set) var names: Set<String> = []
  /// A Boolean value that indicates whether nothing of what the edit asks is carried out.
  private(set) var leavesOpen = false

  /// Works them out for registers in force, with the orders for the accounts that they concern.
  ///
  /// `isAbsent` says whether another child is there in a shared account of a child for whom they
  /// count. `ofOwnEntries` are applications of which an account's own entry alone says what they
  /// are, where that does not count. `hasLoginGate` says whether PAM asks before a session begins.
  init(
    _ registers: [Register], faults: [OrderFault], orders: [AccountOrders], isAbsent: Bool = false, agent: AgentHello?,
    held: [HeldRules] = [], unrecognized: Set<AppID>, ofOwnEntries: Set<AppID> = [], hasLoginGate: Bool = true
  ) {
    guard let agent else {
      names = ["agent-silent"]
      return
    }
    if isAbsent { names.insert("not-there") }
    if orders.isEmpty {
      if !isAbsent { names.insert("no-account") }
      leavesOpen = true
      return
    }
    let accounts = Set(orders.map(\.account))
    let faults = faults.filter { $0.account == 0 || accounts.contains($0.account) }
    let rules = registers.compactMap { register in
      register.value == nil ? nil : RuleKey(register.key).map { (key: $0, register: register) }
    }
    let keys = rules.map(\.key)
    func applications(_ key: RuleKey) -> Set<AppID> {
      Set(held.compactMap { $0.applications(of: key) }.joined()).union(key.application.map { [$0] } ?? [])
    }
    let apps = Set(keys.flatMap(applications))
    let step = registers.contains { AppRule.step.value(in: $0) == .pause }
    for fault in faults {
      switch (MachineCondition.reach(of: fault.condition), fault.kind) {
      case (.application, .noProgram): break
      case (.application, _): if let app = fault.app, apps.contains(app) { add(fault, leavesOpen: true) }
      case (.account, _):
        // The rule holds in other accounts that the machine has.
        let refused = faults.filter { MachineCondition.reach(of: $0.condition) == .account }.map(\.account)
        add(fault, leavesOpen: accounts.isSubset(of: refused))
      case (.machine, _): add(fault, leavesOpen: true)
      case (.nothing, .sharedMatcher): if let app = fault.app, apps.contains(app) { add(fault) }
      case (.nothing, .cannotPause): if step { add(fault) }
      case (.nothing, .cannotCloseSession): if keys.contains(ScreenTimeRule.sessions.key) { add(fault) }
      case (.nothing, _): add(fault)
      }
    }
    let missing = unrecognized.union(faults.filter { $0.kind == .noProgram }.compactMap(\.app))
    let unordered = UnorderedApps(unrecognized: missing, ofOwnEntries: ofOwnEntries)
    // What an application is called, and how it is recognized, closes nothing by itself.
    let open = rules.map { key, register in
      // An agent of one account counts no unknown programs.
      if !agent.isSystem, ScreenTimeRule.unknownPrograms.value(in: register) == .count {
        return (key: key, isOpen: true)
      }
      let children = held.filter { register.zone == .family || register.zone == .child($0.child) }
      let open = children.map { isOpen(key, register, $0, unordered) }
      return (key: key, isOpen: open.isEmpty ? isOpen(key, register, nil, unordered) : open.allSatisfy(\.self))
    }
    let closing = open.filter { ![AppRule.name.entry, AppRule.matchers.entry].contains($0.key.entry) }
    if !open.isEmpty, (closing.isEmpty ? open : closing).allSatisfy(\.isOpen) { leavesOpen = true }
    for register in registers
    where AppRule.allowed.value(in: register) == true || GroupRule.allowed.value(in: register) == true {
      for app in RuleKey(register.key).map(applications) ?? [] {
        if held.contains(where: { $0.rules.app(app).isBlocked }) {
          names.insert("app-blocked")
        } else if orders.contains(where: { $0.sessions != nil && $0.programs.contains { $0.app == app && $0.isWeak } })
        {
          names.insert("ends-with-session")
        }
      }
    }
    guard agent.isSystem else {
      if registers.contains(where: { ScreenTimeRule.unknownPrograms.value(in: $0) == .count }) {
        names.insert("unknown-not-counted")
      }
      let isListed = registers.contains { ScreenTimeRule.programs.value(in: $0) == .listed }
      if isListed { names.insert("unlisted-left-open") }
      let others = keys.filter { !isListed || $0.entry != ScreenTimeRule.programs.entry }
      if others.contains(where: { $0.entry.effects.contains(.everything) }) { names.insert("others-left-open") }
      return
    }
    if !agent.hasEvents { names.insert("no-process-events") }
    let sessions = registers.lazy.compactMap { ScreenTimeRule.sessions.value(in: $0) }.first
    if keys.contains(where: { $0.entry.effects.contains(.measured) }) {
      if !agent.hasSessions { names.insert("no-sessions") } else if !agent.hasInput { names.insert("no-input") }
    }
    guard let sessions, sessions != .leave else { return }
    if !agent.hasSessions { names.insert("no-sessions") }
    if sessions == .close, !hasLoginGate { names.insert("no-login-gate") }
  }

  private mutating func add(_ fault: OrderFault, leavesOpen: Bool = false) {
    names.insert(fault.condition)
    if leavesOpen { self.leavesOpen = true }
  }

  /// Returns whether a rule closes nothing for a child, and names why.
  ///
  /// Without the child's rules, it is only known whether its application is recognized.
  private mutating func isOpen(
    _ key: RuleKey, _ register: Register, _ held: HeldRules?, _ unordered: UnorderedApps
  ) -> Bool {
    if let rival = held?.rival(of: register) {
      names.insert(rival.rawValue)
      return true
    }
    guard
      let apps = held.map({ $0.applications(of: key) }) ?? key.application.map({ [$0] })
        ?? (key.group == nil ? nil : [])
    else { return false }
    var isOpen = true
    for app in apps {
      if let obstacle = held?.obstacle(to: key, of: app, as: register.value) {
        names.insert(obstacle.rawValue)
      } else if unordered.unrecognized.contains(app) {
        names.insert("rule-unrecognized")
      } else if unordered.ofOwnEntries.contains(app) {
        names.insert("rule-own-entry")
      } else {
        isOpen = false
      }
    }
    return isOpen
  }
}

extension ProgramOrder {
  /// A Boolean value that indicates whether a child can meet all matchers with another program.
  fileprivate var isWeak: Bool { !matchers.isEmpty && !matchers.contains(where: \.isStrong) }
}
