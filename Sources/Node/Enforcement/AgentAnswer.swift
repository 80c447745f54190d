import Glibc
import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// What the agent has said of orders that follow from an edit, and what the receipt makes of it.
///
/// Spec: Protocol/10-household.md §2, 13-agent.md §5.
struct AgentAnswer: Sendable {
  /// What else an answer depends on.
  struct Machine: Sendable {
    /// The accounts of each child for which the agent has orders.
    var accounts: [ChildID: Set<UInt32>]
    /// The applications with rules of which nothing is recognized.
    var unrecognized: Set<AppID> = []
    /// The applications that are blocked, by child.
    var blocked: [ChildID: Set<AppID>] = [:]
    /// What happened within a day of which parents are told.
    var noted: [String] = []
  }

  /// The agent that said that the orders are in force; `nil` if none did in time.
  var agent: AgentHello?
  /// What it is ordered.
  var orders: [AccountOrders] = []
  /// What it does not carry out, or what keeps the node from ordering it.
  var faults: [OrderFault] = []

  /// Returns what holds of registers, with what is carried out otherwise, or not at all.
  func state(of registers: [Register], on machine: Machine) -> RegistersInForce {
    var state = RegistersInForce(registers, degree)
    guard state.closes else { return state }
    guard let agent else {
      state.conditions = faults.isEmpty ? [MachineCondition("agent-silent")] : faults.map { $0.told(by: nil) }
      return state
    }
    var (open, other): ([MachineCondition], [MachineCondition]) = ([], [])
    let accounts = concerned(by: registers, machine)
    let missing = faults.filter { $0.kind.isOfWholeAccount && accounts.contains($0.account) }
    if accounts.isSubset(of: missing.map(\.account)) {
      open += missing.isEmpty ? [MachineCondition("rule-no-account")] : missing.map { $0.told(by: agent) }
    } else {
      other += missing.map { $0.told(by: agent) }
    }
    let rules = registers.filter { $0.value != nil }.map { (key: RuleKey($0.key), value: $0.value) }
    let apps = Set(rules.compactMap { if case .app(let app, _) = $0.key { app } else { nil } })
    for fault in faults where fault.app.map(apps.contains) == true && accounts.contains(fault.account) {
      if isUseless(fault) { open.append(fault.told(by: agent)) } else { other.append(fault.told(by: agent)) }
    }
    let unknown = machine.unrecognized.intersection(apps).sorted().map { app in
      MachineCondition("rule-unrecognized", detail: app.text.utf8.count <= 64 ? app.text : "")
    }
    if !apps.isEmpty, unknown.count == apps.count, rules.count == registers.count, rules.allSatisfy({ $0.key.isApp }) {
      open += unknown
    } else {
      other += unknown
    }
    for fault in faults where fault.account == 0 || accounts.contains(fault.account) {
      switch fault.kind {
      case .cannotPause:
        guard rules.contains(where: { $0.key.isStep && $0.value == "pause" }) else { continue }
      case .cannotCloseSession:
        guard rules.contains(where: { $0.key == .sessions && $0.value == "close" }) else { continue }
      case .notKept: guard !rules.isEmpty else { continue }
      case .noAccount, .otherAccount, .matchesEverything, .neededProgram, .badMatcher, .tooLarge: continue
      }
      other.append(fault.told(by: agent))
    }
    other += alwaysAllowed(registers, accounts, machine)
    if agent.isSystem, !agent.hasSessions, rules.contains(where: { $0.key == .sessions && $0.value == "close" }) {
      other.append(MachineCondition("no-sessions"))
    }
    if agent.isSystem, !agent.hasEvents, !rules.isEmpty { other.append(MachineCondition("no-process-events")) }
    if machine.noted.contains("orders-damaged") { other.append(MachineCondition("orders-damaged")) }
    if !open.isEmpty { state.enforcement = .recorded }
    // What is not carried out at all says enough.
    state = RegistersInForce(registers, state.enforcement ?? .recorded, but: Self.once(open.isEmpty ? other : open))
    return state
  }

  private var degree: Enforcement {
    guard let agent, !orders.isEmpty else { return .recorded }
    return agent.isSystem ? .enforced : .ownPrograms
  }

  /// Returns the accounts that rules are about.
  private func concerned(by registers: [Register], _ machine: Machine) -> Set<UInt32> {
    let children = Set(registers.compactMap { if case .child(let child) = $0.zone { child } else { nil } })
    let concerned = children.isEmpty ? Array(machine.accounts.values) : children.map { machine.accounts[$0] ?? [] }
    return concerned.reduce(into: []) { $0.formUnion($1) }
  }

  /// Returns what keeps applications closed that a rule always allows: that they are blocked, or end with a session.
  private func alwaysAllowed(
    _ registers: [Register], _ accounts: Set<UInt32>, _ machine: Machine
  ) -> [MachineCondition] {
    registers.flatMap { register -> [MachineCondition] in
      guard case .app(let app, .allowed) = RuleKey(register.key), register.value == "yes", app.text.utf8.count <= 64
      else { return [] }
      let blocked = machine.blocked.filter { child, _ in
        if case .child(let one) = register.zone { one == child } else { true }
      }
      if blocked.values.contains(where: { $0.contains(app) }) { return [MachineCondition("app-blocked", detail: app.text)] }
      let ends = orders.contains { account in
        accounts.contains(account.account) && account.sessions != nil
          && account.programs.contains { $0.app == app && !$0.matchers.contains(where: \.isStrong) }
      }
      return ends ? [MachineCondition("ends-with-session", detail: app.text)] : []
    }
  }

  /// Returns whether the agent refuses every matcher of the application that a fault is about.
  private func isUseless(_ fault: OrderFault) -> Bool {
    let order = orders.first { $0.account == fault.account }?.programs.first { $0.app == fault.app }
    guard let order else { return true }
    return order.matchers.allSatisfy { matcher in
      faults.contains { $0.account == fault.account && $0.app == fault.app && $0.detail == matcher.value }
    }
  }

  private static func once(_ conditions: [MachineCondition]) -> [MachineCondition] {
    var known: Set<MachineCondition> = []
    return conditions.filter { $0.fault == nil && known.insert($0).inserted }
  }
}

extension RuleKey? {
  fileprivate var isApp: Bool { if case .app = self { true } else { false } }
  fileprivate var isStep: Bool { if case .app(_, .step) = self { true } else { false } }
}

extension OrderFault.Kind {
  /// A Boolean value that indicates whether nothing of an account's orders is carried out.
  fileprivate var isOfWholeAccount: Bool { self == .noAccount || self == .otherAccount }
}

extension OrderFault {
  /// Returns the condition that tells parents of the fault.
  func told(by agent: AgentHello?) -> MachineCondition {
    let text = app?.text ?? ""
    let isOwn = agent?.isSystem == false
    let detail =
      switch kind {
      case .cannotPause: isOwn ? Shortfall.ownPrograms : Shortfall.noControlGroups
      case .cannotCloseSession: isOwn ? Shortfall.ownPrograms : account == geteuid() ? Shortfall.nodeAccount : ""
      case .noAccount, .otherAccount, .matchesEverything, .neededProgram, .badMatcher, .tooLarge, .notKept:
        text.utf8.count <= 64 ? text : ""
      }
    return MachineCondition(condition, account: account == 0 ? nil : account, detail: detail)
  }
}
