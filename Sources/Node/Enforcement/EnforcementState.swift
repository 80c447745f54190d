import LatchkeyAgentProtocol
import LatchkeyModel
import Synchronization

/// What the parts of a node know of its agent: what it is ordered, and whether that is in force.
final class EnforcementState: Sendable {
  /// What an agent has said of the orders that follow from an edit.
  struct Confirmation: Equatable {
    var degree = Enforcement.recorded
    /// The applications that these orders recognize, also if none of their programs runs any more.
    var apps: Set<AppID> = []
  }

  private struct State {
    /// The degree to which the agent enforces what it has confirmed.
    var degree: Enforcement {
      guard let hello, !accounts.isEmpty else { return .recorded }
      return hello.isSystem ? .enforced : .ownPrograms
    }
    /// The degree to which the newest orders are enforced.
    var confirmed: Enforcement { inForce == number ? degree : .recorded }
    /// A Boolean value that indicates whether the connected agent has said what it does not carry
    /// out of orders of this run, or is given none, since they are too large.
    var isHeard: Bool { hello != nil && (inForce != nil || areTooLarge) }

    var accounts: [AccountOrders] = []
    /// The orders for accounts that are no child's: their programs are watched and never closed.
    var watched: [AccountOrders] = []
    var number: UInt64 = 0
    var hello: AgentHello?
    /// The number of the last orders of this run that the agent said are in force.
    var inForce: UInt64?
    /// The edits that wait for the agent, with the first orders that follow from each.
    var answers: [CommandID: (number: UInt64, apps: Set<AppID>)] = [:]
    /// What the agent does not carry out of the orders in force.
    var faults: [OrderFault] = []
    /// The applications that orders recognize nothing as, as it was decided last.
    var unordered = UnorderedApps()
    /// A Boolean value that indicates whether the newest orders are larger than an agent takes.
    var areTooLarge = false
    /// When something last happened that parents are told of for a day, by its condition.
    var noted: [String: BootInstant] = [:]
    var orderedAt = BootInstant(milliseconds: 0)
    /// The phrases of the reasons in orders, by the words that the agent reports.
    var phrases: [String: Phrase] = [:]
    /// The instant until which an agent that is not connected counts as starting.
    var startingUntil: BootInstant?
  }

  private let state = Mutex(State())
  /// The language of the reasons, in which the log-in gate and the agent say them.
  private let language: Language
  /// Signals that the agent is to be ordered something else.
  let changes = ChangeSignal()
  let sleep = SleepNews()
  /// Signals that the agent has said something of its orders, or is another one.
  private let answers = ChangeSignal()
  /// The number of the first orders of this run: no agent knows it from an earlier run.
  private let first = UInt64.random(in: 1..<UInt64.max / 2)

  /// Milliseconds within which an agent is there again after it or the node was started.
  static let startMilliseconds: Int64 = 10_000

  private static let mostPhrases = 512

  init(language: Language = .english) { self.language = language }

  /// Changes what is known, and signals it if `make` says that it is other than before.
  private func change(_ make: (inout State) -> Bool) { if state.withLock({ make(&$0) }) { changes.notify() } }

  /// Returns the words of a reason for orders, and keeps its phrase.
  func words(for phrase: Phrase) -> String {
    let words = phrase.worded(in: language)
    state.withLock { state in
      if state.phrases.count >= Self.mostPhrases, state.phrases[words] == nil { state.phrases = [:] }
      state.phrases[words] = phrase
    }
    return words
  }

  /// Returns the phrase of a reason that an agent reports, or its words.
  func phrase(of words: String) -> Phrase { state.withLock { $0.phrases[words] } ?? Phrase(verbatim: words) }

  /// Notes that an agent is about to connect, as when the node starts.
  func expectAgent(at now: BootInstant) { state.withLock { $0.startingUntil = now + Self.startMilliseconds } }

  func awaitsAgent(at now: BootInstant) -> Bool {
    state.withLock { $0.hello != nil || $0.startingUntil.map { now < $0 } ?? false }
  }

  func agentHasStarted() async {
    guard let end = state.withLock({ $0.startingUntil }) else { return }
    _ = await answers.first(until: end) { agent }
  }

  /// Notes which agent is connected; one that left at `now` counts as starting for a while.
  func connected(_ hello: AgentHello?, at now: BootInstant? = nil) {
    state.withLock { state in
      state.hello = hello
      state.inForce = nil
      if hello == nil, let now { state.startingUntil = now + Self.startMilliseconds }
    }
    changes.notify()
    answers.notify()
  }

  func sees(sessions: Bool, input: Bool) {
    change { state in
      guard var hello = state.hello else { return false }
      (hello.hasSessions, hello.hasInput) = (sessions, input)
      return exchange(&state.hello, with: hello) != hello
    }
  }

  /// Notes that orders are in force but for some parts.
  func inForce(_ number: UInt64, but faults: [OrderFault] = []) {
    let isNews = state.withLock { state in
      let (before, wasHeard) = (state.faults, state.isHeard)
      state.faults = faults
      // What an earlier run has ordered says nothing of this one's orders.
      if number >= first, number <= state.number { state.inForce = number }
      return Set(faults) != Set(before) || state.isHeard != wasHeard
    }
    answers.notify()
    if isNews { changes.notify() }
  }

  /// What the agent does not carry out of the orders in force, or of too large ones.
  var faults: [OrderFault] {
    state.withLock { $0.areTooLarge ? $0.faults + [OrderFault(.tooLarge, account: 0)] : $0.faults }
  }

  /// A Boolean value that indicates whether the connected agent has said what it leaves out.
  var isAgentHeard: Bool { state.withLock { $0.isHeard } }

  func setTooLarge(_ areTooLarge: Bool) { change { exchange(&$0.areTooLarge, with: areTooLarge) != areTooLarge } }

  /// Notes which applications orders recognize nothing as.
  ///
  /// A look at what is installed, and the end of a program, may change that alone.
  func decided(_ unordered: UnorderedApps) { change { exchange(&$0.unordered, with: unordered) != unordered } }

  /// Notes that something happened of which parents are told for a day.
  func note(_ condition: String, at now: BootInstant) { change { $0.noted.updateValue(now, forKey: condition) == nil } }

  /// Returns what happened within a day, by name.
  func noted(at now: BootInstant) -> [String] {
    state.withLock { state in
      state.noted = state.noted.filter { now - $0.value < 86_400_000 }
      return state.noted.keys.sorted()
    }
  }

  var orderedAccounts: [AccountOrders] { state.withLock { $0.accounts } }

  var agent: AgentHello? { state.withLock { $0.hello } }

  /// Returns the degree to which rules are enforced, to be shown.
  ///
  /// An agent that has confirmed earlier orders has a moment to say that the newest hold.
  func enforcement(at now: BootInstant) -> Enforcement {
    state.withLock { state in
      state.inForce != nil && now - state.orderedAt < Self.patience ? state.degree : state.confirmed
    }
  }

  /// The degree to which the newest orders are enforced by the agent's word.
  var confirmed: Enforcement { state.withLock { $0.confirmed } }

  /// Returns the agent's confirmation of an edit once it comes, or an empty one at an instant.
  func confirmation(of edit: CommandID, until end: BootInstant) async -> Confirmation {
    await answers.first(until: end) {
      state.withLock { state in
        guard let first = state.answers[edit], state.inForce.map({ $0 >= first.number }) ?? false else { return nil }
        return Confirmation(degree: state.degree, apps: first.apps)
      }
    } ?? Confirmation()
  }

  /// Milliseconds within which an agent says that orders hold.
  private static let patience: Int64 = 2_000

  /// Orders something if it is other than before, or if edits wait that no orders follow.
  ///
  /// `edits` are all that waited when this was decided. `watched` are accounts that are no child's.
  func order(
    _ accounts: [AccountOrders], watching watched: [AccountOrders] = [], following edits: [CommandID] = [],
    at now: BootInstant
  ) {
    change { state in
      let isAsked = edits.contains { state.answers[$0] == nil }
      let isNews = accounts != state.accounts || watched != state.watched || state.number == 0 || isAsked
      if isNews {
        (state.accounts, state.watched) = (accounts, watched)
        state.number = max(state.number + 1, first)
        state.orderedAt = now
      }
      let known = state.answers
      let apps = edits.isEmpty ? [] : Set(accounts.flatMap { $0.programs.map(\.app) })
      state.answers = Dictionary(uniqueKeysWithValues: Set(edits).map { ($0, known[$0] ?? (state.number, apps)) })
      return isNews
    }
  }

  func orders(boot: String, at now: BootInstant) -> AgentOrders? {
    state.withLock { state in
      state.number == 0
        ? nil
        : AgentOrders(
          number: state.number, boot: boot, at: now,
          accounts: (state.accounts + state.watched).sorted { $0.account < $1.account })
    }
  }

  /// Returns since when the last orders close the sessions of an account, if they do.
  func sessionsClosed(in account: UInt32, at now: BootInstant) -> BootInstant? {
    state.withLock { state in
      let terms = state.accounts.first { $0.account == account }?.sessions
      return terms.flatMap { $0.areClosed(at: now) ? $0.closesAt : nil }
    }
  }

  /// Returns since when the last orders close an application in an account, if they do.
  func closedSince(_ app: AppID?, in account: UInt32, at now: BootInstant) -> BootInstant? {
    terms(of: app, in: account)?.closesAt.flatMap { $0 <= now ? $0 : nil }
  }

  /// Returns the terms of an application by the last orders; without one, of unknown programs.
  func terms(of app: AppID?, in account: UInt32) -> ProgramTerms? {
    guard let orders = orderedAccounts.first(where: { $0.account == account }) else { return nil }
    return app.map { app in orders.programs.first { $0.app == app }?.terms } ?? orders.unknown
  }
}
