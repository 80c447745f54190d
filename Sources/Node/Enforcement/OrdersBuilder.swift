import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// The orders for an account that follow from what holds for its child.
///
/// Spec: Protocol/13-agent.md §4.
struct OrdersBuilder {
  let standing: ChildStanding
  let state: EnforcementState
  /// What recognizes the applications that are installed here, where no parent has said it.
  var installed: [AppID: InstalledMatchers] = [:]
  /// What tells which accounts are meant, by their numbers.
  var identities: [UInt32: AccountIdentity] = [:]
  /// The programs of `usage track` that run here, by account and application.
  var tracked: [UInt32: [AppID: [ProcessIdentity]]] = [:]

  /// Returns the orders for an account that is no child's: its programs of `usage track` are
  /// watched, and nothing is closed.
  static func watching(_ tracked: [AppID: [ProcessIdentity]], in account: UInt32) -> AccountOrders {
    let programs = tracked.map { app, processes in
      ProgramOrder(
        app: app, category: .neutral, isAlwaysAllowed: true, countsLaunches: false, terms: ProgramTerms(),
        matchers: [], processes: Array(processes.sorted().prefix(AgentOrders.maximumProcesses)))
    }
    return AccountOrders(account: account, programs: programs.sorted { $0.precedes($1) })
  }

  /// Returns the orders for an account of the child.
  func orders(for account: UInt32) -> AccountOrders {
    let rules = standing.rules
    var programs: [ProgramOrder] = []
    let tracked = tracked[account] ?? [:]
    // What is well known has a category without a rule of its own.
    let wellKnown = installed.keys.filter { rules.categoryByDefault($0) != nil }
    for id in Set(rules.apps.keys).union(tracked.keys).union(wellKnown)
    where id != .unknownPrograms {
      let app = rules.app(id)
      let matchers = app.matchers.isEmpty ? installed[id]?.used(for: id, in: rules) ?? [] : app.matchers
      let processes = (tracked[id] ?? []).sorted().prefix(AgentOrders.maximumProcesses)
      guard !matchers.isEmpty || !processes.isEmpty else { continue }
      let verdict =
        standing.verdicts.verdicts[.app(id)] ?? standing.plan.explain(.app(id), in: standing.situation).verdict
      programs.append(
        ProgramOrder(
          app: id, category: verdict.category, isAlwaysAllowed: app.isAlwaysAllowed && !app.isBlocked,
          countsLaunches: app.launches == .counted,
          terms: terms(
            verdict, of: .app(id), name: standing.name(of: id), account: account,
            step: app.step == .pause ? .pause : .close, grace: app.grace * 1_000),
          matchers: matchers, processes: Array(processes)))
    }
    if state.agent?.isSystem == true { programs.append(others(besides: programs, in: account)) }
    programs.sort { $0.precedes($1) }
    func told(_ text: String?) -> String {
      text.flatMap { TextRule.accountPlace.fault(in: $0) == nil ? $0 : nil } ?? ""
    }
    let identity = identities[account]
    return AccountOrders(
      account: account, name: told(identity?.name), home: told(identity?.home),
      screen: screen, sessions: sessions(of: account), unknown: unknown(in: account),
      programs: programs)
  }

  /// Returns the order for everything that is installed, or run from a terminal, and that no rule
  /// names.
  ///
  /// Only the system's agent gets it: the agent of one user runs in an account that is not the
  /// child's alone.
  private func others(besides programs: [ProgramOrder], in account: UInt32) -> ProgramOrder {
    let found = installed.values.filter { !$0.isOwn }.flatMap(\.matchers)
    // The argument by which a script is recognized is its path.
    let places = found.map {
      $0.kind == .argument && $0.value.hasPrefix("/") ? AppMatcher(kind: .path, value: $0.value) : $0
    }
    let matchers = Set(places).subtracting(programs.flatMap(\.matchers))
      .filter { [.package, .path].contains($0.kind) }
      .sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }
    let subject = Subject(.otherPrograms)
    let verdict = standing.verdicts.verdicts[subject] ?? standing.plan.explain(subject, in: standing.situation).verdict
    return ProgramOrder(
      app: .otherPrograms, category: verdict.category,
      terms: terms(verdict, of: subject, name: "Other programs", account: account),
      matchers: Array(matchers.prefix(AgentOrders.maximumOtherMatchers)))
  }

  /// Returns the terms of unknown programs in an account; `nil` if they are neither closed nor
  /// counted.
  private func unknown(in account: UInt32) -> ProgramTerms? {
    // The agent of one user leaves alone what merely counts: Latchkey itself and all that is built
    // there is unknown to it.
    let (rules, isSystem) = (standing.rules, state.agent?.isSystem == true)
    if rules.unknownPrograms == .count, rules.programs == .all, !isSystem { return nil }
    return standing.verdicts.verdicts[.unknown].map {
      terms($0, of: .unknown, name: "An unknown program", account: account)
    }
  }

  private var screen: ScreenTerms {
    let rules = standing.rules.screenTime
    let source: ScreenTerms.Source =
      switch (rules.source, rules.learning) {
      case (.programs, _): .programs
      case (.sessions, .counts): .sessions
      case (.sessions, .free): .sessionsWithoutLearning
      }
    return ScreenTerms(source, graceMilliseconds: rules.graceMinutes * 60_000)
  }

  /// Returns when and why the sessions of an account close; `nil` if a parent leaves them open.
  private func sessions(of account: UInt32) -> SessionTerms? {
    let rules = standing.rules
    guard rules.sessions != .leave, !rules.isRemoved else { return nil }
    let verdict = standing.plan.decideSessions(standing.situation)
    let step: SessionTerms.Step =
      switch rules.sessions {
      case .lock: .lock
      case .lockUnlessAllowed: .lockUnlessAllowed
      case .leave, .close: .close
      }
    guard let reason = verdict.reason else { return SessionTerms(step: step) }
    let opensAt =
      verdict.isAllowed
      ? verdict.until.flatMap { standing.plan.sessionsOpen(after: $0, standing.situation) } : verdict.until
    var words = ReasonText.closed(
      reason,
      ReasonText.words(reason, rules, of: .unknown, on: standing.situation.day, name: "", carried: standing.carried))
    if let opensAt {
      // To the nearest minute: what is left is counted in milliseconds.
      let end = standing.situation.time + (opensAt - verdict.decidedAt) + 30_000
      if let clock = rules.boundary.clock(at: end).split(separator: " ").last { words += " until \(clock)" }
    }
    let since =
      verdict.isAllowed
      ? verdict.until : state.sessionsClosed(in: account, at: verdict.decidedAt) ?? verdict.decidedAt
    return SessionTerms(step: step, closesAt: since, opensAt: opensAt, warnings: verdict.warnings, reason: words)
  }

  private func terms(
    _ verdict: Verdict, of subject: Subject, name: String, account: UInt32, step: ProgramTerms.Step = .close,
    grace: Int64 = ProgramTerms.usualGrace
  ) -> ProgramTerms {
    let app: AppID? = if case .app(let id) = subject { id } else { nil }
    guard let reason = verdict.reason else { return ProgramTerms(step: step, graceMilliseconds: grace) }
    let words = ReasonText.words(
      reason, standing.rules, of: subject, on: standing.situation.day, name: name, carried: standing.carried)
    let told = ClosingSentence.reason(name: name, why: ReasonText.closed(reason, words))
    guard verdict.isAllowed else {
      // Since when matters: what began later loses nothing by being killed at once.
      let since = state.closedSince(app, in: account, at: verdict.decidedAt) ?? verdict.decidedAt
      let left = standing.plan.leavesNoTime(to: subject, in: standing.situation) ? 0 : grace
      return ProgramTerms(closesAt: since, step: step, graceMilliseconds: left, reason: told)
    }
    guard let until = verdict.until else { return ProgramTerms(step: step, graceMilliseconds: grace) }
    return ProgramTerms(
      closesAt: until, step: step, graceMilliseconds: grace, warnings: verdict.warnings, reason: told)
  }
}

extension InstalledMatchers {
  /// Returns the matchers as far as they are used for an application.
  ///
  /// What an account says of its own may close a program or charge for it, and opens nothing:
  /// neither what is always allowed, nor a program that is closed as an unknown one.
  ///
  /// Spec: Protocol/10-household.md §5.
  func used(for id: AppID, in rules: RuleSet) -> [AppMatcher] {
    guard isOwn else { return matchers }
    let app = rules.app(id)
    let isReward =
      app.use?.category == .reward && !app.isAlwaysAllowed && rules.unknownPrograms != .block && rules.programs == .all
    return app.isBlocked || isReward ? matchers : []
  }
}
