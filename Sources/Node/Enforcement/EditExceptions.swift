import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// What an agent carries out otherwise than an edit asks, or not at all, for the edit's receipt.
///
/// Spec: Protocol/06-messages.md §4.
struct EditExceptions {
  private(set) var names: Set<String> = []
  /// A Boolean value that indicates whether the agent does nothing of what the edit asks.
  private(set) var leavesOpen = false

  /// Works them out for registers in force.
  ///
  /// - Parameters:
  ///   - registers: What is in force.
  ///   - faults: What the agent has refused.
  ///   - orders: What is ordered for the accounts for which the registers count.
  ///   - isAbsent: Whether a child for whom the registers count shares an account in which another
  ///     child is there.
  ///   - agent: The agent; `nil` if none has answered.
  ///   - members: The applications of each group, by the rules of the children for whom the
  ///     registers count.
  ///   - unrecognized: The applications that nothing on the machine is recognized as.
  ///   - blocked: The applications that the rules of a child block for whom the registers count.
  ///   - hasLoginGate: Whether PAM asks before a session begins.
  init(
    _ registers: [Register], faults: [OrderFault], orders: [AccountOrders], isAbsent: Bool = false, agent: AgentHello?,
    members: [GroupName: Set<AppID>] = [:],
    unrecognized: Set<AppID>, blocked: Set<AppID>, hasLoginGate: Bool = true
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
    var unrecognized = unrecognized
    let keys = registers.filter { $0.value != nil }.compactMap { RuleKey($0.key) }
    /// Returns the applications that a rule is about; `nil` for a rule of anything else.
    func applications(_ key: RuleKey) -> Set<AppID>? {
      key.application.map { [$0] } ?? key.group.map { members[$0] ?? [] }
    }
    let apps = Set(keys.compactMap(applications).joined())
    let step = registers.contains { AppRule.step.value(in: $0) == .pause }
    for fault in faults {
      switch fault.kind {
      case .matchesEverything, .neededProgram, .badMatcher:
        guard let app = fault.app, apps.contains(app) else { continue }
        add(fault, leavesOpen: true)
      case .noProgram: if let app = fault.app { unrecognized.insert(app) }
      case .sharedMatcher: if let app = fault.app, apps.contains(app) { add(fault) }
      case .cannotPause: if step { add(fault) }
      case .notLocked: add(fault)
      case .cannotCloseSession: if keys.contains(ScreenTimeRule.sessions.key) { add(fault) }
      case .noAccount, .otherAccount:
        // The rule holds in other accounts that the machine has.
        let refused = faults.filter { $0.kind == .noAccount || $0.kind == .otherAccount }.map(\.account)
        add(fault, leavesOpen: accounts.isSubset(of: refused))
      case .tooLarge: add(fault, leavesOpen: true)
      case .notKept: add(fault)
      }
    }
    if !apps.isEmpty, !apps.isDisjoint(with: unrecognized) {
      names.insert("rule-unrecognized")
    }
    if !keys.isEmpty, keys.allSatisfy({ applications($0)?.isSubset(of: unrecognized) == true }) { leavesOpen = true }
    for register in registers
    where AppRule.allowed.value(in: register) == true || GroupRule.allowed.value(in: register) == true {
      for app in RuleKey(register.key).flatMap(applications) ?? [] {
        if blocked.contains(app) {
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
      if keys.contains(where: { $0.entry.effects.contains(.everything) }) { names.insert("others-left-open") }
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
    names.insert(fault.condition ?? "rule-other-account")
    if leavesOpen { self.leavesOpen = true }
  }
}

extension ProgramOrder {
  /// A Boolean value that indicates whether it has matchers that a child can meet with another
  /// program, and no others.
  fileprivate var isWeak: Bool { !matchers.isEmpty && !matchers.contains(where: \.isStrong) }
}
