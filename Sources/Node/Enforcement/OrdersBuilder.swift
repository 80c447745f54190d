import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules

/// The orders for an account that follow from what holds for its child.
///
/// Spec: Protocol/13-agent.md §4.
struct OrdersBuilder {
  private(set) var standing: ChildStanding
  let state: EnforcementState
  /// What recognizes the applications that are installed here, where no parent has said it.
  var installed: [AppID: InstalledMatchers] = [:]
  /// What tells which accounts are meant, by their numbers.
  var identities: [UInt32: AccountIdentity] = [:]
  var tracked: [UInt32: [AppID: [ProcessIdentity]]] = [:]
  /// The child's name, if the reasons have to say whose rule it is.
  var whose: String?

  /// Returns the builder of the child's part in a shared account while none has said who is there.
  func unnamed(_ name: String) -> OrdersBuilder {
    var builder = self
    (builder.standing, builder.whose) = (standing.unnamed, name)
    return builder
  }

  /// Returns the orders for an account of no child: programs of `usage track` are watched.
  static func watching(_ tracked: [AppID: [ProcessIdentity]], in account: UInt32) -> AccountOrders {
    let programs = tracked.map { app, processes in
      ProgramOrder(
        app: app, category: .neutral, isAlwaysAllowed: true, countsLaunches: false, terms: ProgramTerms(),
        matchers: [], processes: Array(processes.sorted().prefix(AgentOrders.maximumProcesses)))
    }
    return AccountOrders(account: account, programs: programs.sorted { $0.precedes($1) })
  }

  func orders(for account: UInt32) -> AccountOrders {
    var programs: [ProgramOrder] = []
    for id in apps(in: account) {
      let app = standing.rules.app(id)
      let matchers = matchers(of: id)
      let processes = processes(of: id, in: account)
      guard !matchers.isEmpty || !processes.isEmpty else { continue }
      let verdict = strictestVerdict(of: id)
      programs.append(
        ProgramOrder(
          app: id, category: verdict.category, isAlwaysAllowed: app.isAlwaysAllowed && !app.isBlocked,
          countsLaunches: app.launches == .counted,
          terms: terms(
            verdict, of: .app(id), name: standing.name(of: id), account: account,
            step: app.step == .pause ? .pause : .close, grace: app.grace * 1_000),
          matchers: matchers, processes: processes))
    }
    if isSystem {
      let subject = Subject(.otherPrograms)
      let verdict = verdict(of: subject)
      programs.append(
        others(verdict, terms(verdict, of: subject, name: Self.otherName, account: account), besides: programs))
    }
    return orders(
      for: account, screen: screen, sessions: sessionVerdict.map { sessions($0, of: account) },
      unknown: unknownVerdict.map { terms($0, of: .unknown, name: Self.unknownName, account: account) },
      programs: programs)
  }

  static let otherName = "Other programs"
  static let unknownName = "An unknown program"

  var isSystem: Bool { state.agent?.isSystem == true }

  func orders(
    for account: UInt32, screen: ScreenTerms, sessions: SessionTerms?, unknown: ProgramTerms?, programs: [ProgramOrder]
  ) -> AccountOrders {
    func told(_ text: String?) -> String {
      text.flatMap { TextRule.accountPlace.fault(in: $0) == nil ? $0 : nil } ?? ""
    }
    let identity = identities[account]
    return AccountOrders(
      account: account, name: told(identity?.name), home: told(identity?.home), screen: screen, sessions: sessions,
      unknown: unknown, programs: programs.sorted { $0.precedes($1) })
  }

  func apps(in account: UInt32) -> Set<AppID> {
    // What is well known has a category without a rule of its own.
    let wellKnown = installed.keys.filter { standing.rules.categoryByDefault($0) != nil }
    return Set(standing.rules.apps.keys).union((tracked[account] ?? [:]).keys).union(wellKnown)
      .subtracting([.unknownPrograms])
  }

  /// Returns what recognizes an application by the rules, or by the look at what is installed.
  func matchers(of id: AppID) -> [AppMatcher] {
    let matchers = standing.rules.app(id).matchers
    let found = installedMatchers(of: id).filter { !matchers.contains($0) }
    return matchers + found.prefix(max(0, Self.mostMatchers - matchers.count))
  }

  static let mostMatchers = 64

  /// Returns what recognizes an installed application, unless a parent has named its matchers.
  ///
  /// A file that a parent allows by its content takes nothing from the application: it may be
  /// installed on another machine, and its next version has another content.
  private func installedMatchers(of id: AppID) -> [AppMatcher] {
    guard standing.rules.app(id).isRecognizedByContent else { return [] }
    return installed[id]?.used(for: id, in: standing.rules) ?? []
  }

  func processes(of id: AppID, in account: UInt32) -> [ProcessIdentity] {
    Array((tracked[account]?[id] ?? []).sorted().prefix(AgentOrders.maximumProcesses))
  }

  func verdict(of subject: Subject) -> Verdict { standing.verdict(of: subject) }

  /// Returns what an application is by the child's rules; the strictest of their verdicts holds.
  ///
  /// What an account says of its own may be any program. As a neutral application it is one of the
  /// other programs as well, so that time that was granted for it opens no other one.
  func subjects(of id: AppID) -> [Subject] {
    let isOwn = installed[id]?.isOwn == true && (standing.rules.app(id).category ?? .neutral) == .neutral
    return isOwn && !installedMatchers(of: id).isEmpty ? [.app(id), .app(.otherPrograms)] : [.app(id)]
  }

  private func strictestVerdict(of id: AppID) -> Verdict {
    let subjects = subjects(of: id)
    guard subjects.count > 1 else { return verdict(of: .app(id)) }
    return SharedVerdict(strictest: subjects.map { verdict(of: $0) })?.verdict ?? verdict(of: .app(id))
  }

  /// Returns the order for what is installed or run from a terminal, and no rule names.
  ///
  /// Only the system's agent gets it: one user's runs in an account that is not the child's.
  func others(_ verdict: Verdict, _ terms: ProgramTerms, besides programs: [ProgramOrder]) -> ProgramOrder {
    let found = installed.values.filter { !$0.isOwn }.flatMap(\.matchers)
    // The argument by which a script is recognized is its path.
    let places = found.map {
      $0.kind == .argument && $0.value.hasPrefix("/") ? AppMatcher(kind: .path, value: $0.value) : $0
    }
    let matchers = Set(places).subtracting(programs.flatMap(\.matchers))
      .filter { [.package, .path].contains($0.kind) }
      .sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }
    return ProgramOrder(
      app: .otherPrograms, category: verdict.category, terms: terms,
      matchers: Array(matchers.prefix(AgentOrders.maximumOtherMatchers)))
  }

  /// The verdict on unknown programs; `nil` if they are neither closed nor counted.
  var unknownVerdict: Verdict? { isSystem || standing.rules.ordersUnknown ? standing.verdicts.verdicts[.unknown] : nil }

  var screen: ScreenTerms {
    let rules = standing.rules.screenTime
    let source: ScreenTerms.Source =
      switch (rules.source, rules.learning) {
      case (.programs, _): .programs
      case (.sessions, .counts): .sessions
      case (.sessions, .free): .sessionsWithoutLearning
      }
    return ScreenTerms(source, graceMilliseconds: rules.graceMinutes * 60_000)
  }

  /// The verdict on the child's sessions; `nil` if a parent leaves them open.
  var sessionVerdict: Verdict? {
    let rules = standing.rules
    guard rules.sessions != .leave, !rules.isRemoved else { return nil }
    return standing.plan.decideSessions(standing.situation)
  }

  func sessions(_ verdict: Verdict, of account: UInt32) -> SessionTerms {
    let rules = standing.rules
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
    var phrase = closed(reason, standing.words(reason, of: .unknown, name: "", isToday: false))
    if let opensAt {
      // To the nearest minute: what is left is counted in milliseconds.
      let end = standing.situation.time + (opensAt - verdict.decidedAt) + 30_000
      if let clock = rules.boundary.clock(at: end).split(separator: " ").last {
        phrase = Phrase("{rule} until {time}", ["rule": .phrase(phrase), "time": .text(String(clock))])
      }
    }
    let since =
      verdict.isAllowed
      ? verdict.until : state.sessionsClosed(in: account, at: verdict.decidedAt) ?? verdict.decidedAt
    return SessionTerms(
      step: step, closesAt: since, opensAt: opensAt, warnings: verdict.warnings, reason: state.words(for: phrase))
  }

  /// Returns what a rule means for what it closes, with whose rule it is if that has to be said.
  private func closed(_ reason: Reason, _ words: Phrase) -> Phrase {
    whose.map { ReasonText.closed(reason, words, of: $0) } ?? ReasonText.closed(reason, words)
  }

  func terms(
    _ verdict: Verdict, of subject: Subject, name: String, account: UInt32, step: ProgramTerms.Step = .close,
    grace: Int64 = ProgramTerms.usualGrace
  ) -> ProgramTerms {
    let app: AppID? = if case .app(let id) = subject { id } else { nil }
    guard let reason = verdict.reason else { return ProgramTerms(step: step, graceMilliseconds: grace) }
    let why = closed(reason, standing.words(reason, of: subject, name: name, isToday: false))
    let told = ClosingSentence.reason(name: name, why: state.words(for: why))
    guard verdict.isAllowed else {
      // Since when matters: what began later loses nothing by being killed at once.
      let since = state.closedSince(app, in: account, at: verdict.decidedAt) ?? verdict.decidedAt
      return standing.plan.leavesNoTime(to: subject, in: standing.situation)
        ? ProgramTerms(closesAt: since, graceMilliseconds: 0, reason: told)
        : ProgramTerms(closesAt: since, step: step, graceMilliseconds: grace, reason: told)
    }
    guard let until = verdict.until else { return ProgramTerms(step: step, graceMilliseconds: grace) }
    return ProgramTerms(closesAt: until, step: step, graceMilliseconds: grace, warnings: verdict.warnings, reason: told)
  }
}

extension RuleSet {
  /// A Boolean value that indicates whether the agent of one user has orders for unknown programs.
  ///
  /// It leaves alone what merely counts: Latchkey and all that is built there is unknown to it.
  var ordersUnknown: Bool { unknownPrograms != .count || programs != .all }
}
