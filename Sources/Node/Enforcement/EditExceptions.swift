import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// What an agent carries out otherwise than an edit asks, or not at all, for the edit's receipt.
///
/// Spec: Protocol/06-messages.md §4.
struct EditExceptions {
  /// The names.
  private(set) var names: Set<String> = []
  /// A Boolean value that indicates whether the agent does nothing of what the edit asks.
  private(set) var leavesOpen = false

  /// Works them out for registers in force.
  ///
  /// - Parameters:
  ///   - registers: What is in force.
  ///   - faults: What the agent has refused.
  ///   - orders: What is ordered for the accounts for which the registers count.
  ///   - agent: The agent; `nil` if none has answered.
  ///   - unrecognized: The applications that nothing on the machine is recognized as.
  ///   - blocked: The applications that the rules of a child block for whom the registers count.
  ///   - hasLoginGate: Whether PAM asks before a session begins.
  init(
    _ registers: [Register], faults: [OrderFault], orders: [AccountOrders], agent: AgentHello?,
    unrecognized: Set<AppID>, blocked: Set<AppID>, hasLoginGate: Bool = true
  ) {
    guard let agent else {
      names = ["agent-silent"]
      return
    }
    if orders.isEmpty {
      names = ["no-account"]
      leavesOpen = true
      return
    }
    let accounts = Set(orders.map(\.account))
    let faults = faults.filter { $0.account == 0 || accounts.contains($0.account) }
    var unrecognized = unrecognized
    let keys = registers.filter { $0.value != nil }.compactMap { RuleKey($0.key) }
    let apps = Set(keys.compactMap { if case .app(let app, _) = $0 { app } else { nil } })
    let step = registers.contains { register in
      guard case .app(_, .step) = RuleKey(register.key) else { return false }
      return register.value == ClosingStep.pause.rawValue
    }
    for fault in faults {
      switch fault.kind {
      case .matchesEverything, .neededProgram, .badMatcher:
        guard let app = fault.app, apps.contains(app) else { continue }
        add(fault, leavesOpen: true)
      case .noProgram: if let app = fault.app { unrecognized.insert(app) }
      case .sharedMatcher: if let app = fault.app, apps.contains(app) { add(fault) }
      case .cannotPause: if step { add(fault) }
      case .notLocked: add(fault)
      case .cannotCloseSession: if keys.contains(.sessions) { add(fault) }
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
      let concernsNothing = keys.allSatisfy {
        if case .app(let app, _) = $0 { unrecognized.contains(app) } else { false }
      }
      if concernsNothing { leavesOpen = true }
    }
    for register in registers where register.value == "yes" {
      guard case .app(let app, .allowed) = RuleKey(register.key) else { continue }
      if blocked.contains(app) {
        names.insert("app-blocked")
      } else if orders.contains(where: { $0.sessions != nil && $0.programs.contains { $0.app == app && $0.isWeak } }) {
        names.insert("ends-with-session")
      }
    }
    guard agent.isSystem else {
      let isCounted = registers.contains {
        RuleKey($0.key) == .unknownPrograms && $0.value == UnknownPrograms.count.rawValue
      }
      if isCounted { names.insert("unknown-not-counted") }
      if keys.contains(where: \.holdsForEverything) { names.insert("others-left-open") }
      return
    }
    if !agent.hasEvents { names.insert("no-process-events") }
    let sessions = registers.first { RuleKey($0.key) == .sessions }?.value.flatMap(ClosedSessions.init)
    if keys.contains(where: \.measuresScreenTime) {
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

extension RuleKey {
  /// A Boolean value that indicates whether it closes or counts programs that no rule names.
  fileprivate var holdsForEverything: Bool {
    switch self {
    case .limits, .weekday(.screenTime, _), .schedule(.bedtime), .schedule(.school), .lock, .screenTime: true
    default: false
    }
  }

  /// A Boolean value that indicates whether what counts as screen time matters to it.
  fileprivate var measuresScreenTime: Bool {
    switch self {
    case .limits, .weekday(.screenTime, _), .screenTime: true
    default: false
    }
  }
}

extension ProgramOrder {
  /// A Boolean value that indicates whether it has matchers that a child can meet with another program, and no others.
  fileprivate var isWeak: Bool { !matchers.isEmpty && !matchers.contains(where: \.isStrong) }
}
