import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeySystem
import Synchronization

/// A service that decides for the children of a child's machine, logs each thing that is due once,
/// and orders the agent to carry out what holds.
///
/// Spec: Protocol/11-rules.md §5, 13-agent.md §4.
struct RulesService: Sendable {
  let context: NodeContext
  let usage: UsageService
  /// The longest time between two decisions, in milliseconds.
  private static let pause: Int64 = 3_600_000
  /// The bounds of the shortest time between two decisions, in milliseconds.
  private static let rest: ClosedRange<Int64> = 50...500
  /// The milliseconds by which a decision is made early, so that the agent has the next orders in
  /// time: what has not been used closes later then.
  private static let ahead: Int64 = 3_000
  /// The longest wait for the agent's news of a sleep, in milliseconds: it looks every 5 seconds.
  private static let sleepNews: Int64 = 6_000

  func run() async {
    var said: [ChildID: Set<ChildStanding.Notice>] = [:]
    var week: FamilyDay?
    // Many changes in a row are looked at together, and deciding takes a fifth of the time at most.
    await context.changes.follow(
      retry: Self.pause, "the rules could not be looked at", context.logger, rest: Self.rest
    ) {
      guard context.profile.role == .child else { return nil }
      defer { context.firstLooks.made(.rules) }
      await awaitSleepNews()
      return try await look(&said, &week)
    }
  }

  /// Waits until the agent has told of a sleep, so that nothing closes for time slept away.
  private func awaitSleepNews() async {
    let (sleep, end) = (context.enforcementState.sleep, context.now() + Self.sleepNews)
    await context.changes.first(until: end) {
      sleep.isAwaited && context.enforcementState.agent != nil ? nil : ()
    }
    sleep.told()
  }

  /// Returns the edits that wait for the agent.
  private func pendingEdits() async throws(StoreError) -> [CommandID] {
    try await context.store.pendingEffects().filter { $0.payload.kind == Edit.kind }.map(\.commandID)
  }

  /// Decides for each child; returns for how many milliseconds that holds.
  private func look(
    _ said: inout [ChildID: Set<ChildStanding.Notice>], _ week: inout FamilyDay?
  ) async throws(StoreError) -> Int64 {
    // Before whose the accounts are: a new account with an old number is never ordered what was the
    // other one's.
    let identities = try await context.store.accountIdentities()
    // The list has exactly the edits that are decided here. By the next decision, the program that
    // an edit closes may have ended, and the edit would seem to close nothing.
    var (edits, household): ([CommandID], Household)
    repeat {
      edits = try await pendingEdits()
      household = try await context.readHousehold()
    } while try await edits != pendingEdits()
    try await usage.handOverShared()
    try await usage.cutUnknown(household)
    var wait = Self.pause
    var kept: [ChildID: Set<ChildStanding.Notice>] = [:]
    var orders: [AccountOrders] = []
    var builders: [ChildID: OrdersBuilder] = [:]
    let accounts = try await supervisedAccounts()
    let tracked = context.sessions.tracked
    let installed = accounts == nil ? [:] : try await context.store.installedMatchers()
    for child in household.children(of: context.own) {
      let standing = try await context.standing(of: child, household)
      try await note(standing)
      let due = max(0, standing.verdicts.decideAgain - context.now())
      wait = min(wait, due > Self.ahead + 2 * Self.rest.upperBound ? due - Self.ahead : due)
      if let ends = standing.loanEnds { wait = min(wait, max(0, ends - context.now())) }
      let builder = OrdersBuilder(
        standing: standing, state: context.enforcementState, installed: installed, identities: identities,
        tracked: tracked)
      builders[child] = builder
      for account in accounts ?? [] where household.user(of: account, on: context.own) == .child(child) {
        orders.append(builder.orders(for: account))
      }
      // A warning is due again at each of its times.
      for warning in standing.verdicts.verdicts.values.flatMap(\.warnings) {
        let left = warning - context.now()
        if left > 0 { wait = min(wait, left) }
      }
      kept[child] = []
      for notice in standing.notices() {
        kept[child, default: []].insert(notice.unspoken)
        guard said[child]?.contains(notice.unspoken) != true else { continue }
        // What was taken away before the node started was told then, and `latchkey me` shows it.
        if notice.rule.hasPrefix("less/"), said[child] != nil {
          context.notices.post(.lessTime, key: notice.rule, notice.sentence, to: .child(child), at: context.now())
        }
        let isOrdered = notice.app != .unknownPrograms || builder.unknownVerdict != nil
        context.logger.notice(
          context.enforcement == .recorded || !isOrdered
            ? "recorded, not enforced" : "enforced where programs are recognized",
          metadata: ["what": "\(notice.sentence.worded())", "rule": "\(notice.rule)"])
      }
      let monday = standing.situation.day.startOfWeek
      if week != monday {
        let start = standing.rules.boundary.start(of: monday.advanced(byDays: -7))
        try await context.store.forgetSharedUse(before: start)
        week = monday
      }
    }
    for (child, notices) in kept where said[child] != notices { context.feed.post(ChangeEvent(.today, child: child)) }
    said = kept
    for account in accounts ?? [] {
      guard case .together(let children) = household.user(of: account, on: context.own) else { continue }
      let shared = children.compactMap { builders[$0]?.unnamed(household.title(of: $0).text) }
      if let ordered = SharedOrdersBuilder(builders: shared).orders(for: account) { orders.append(ordered) }
    }
    // Without an agent, nothing is ordered: one that comes goes on by its last orders until there
    // are new ones.
    if accounts != nil {
      let watched = tracked.filter {
        context.enforcementState.agent?.watches($0.key) == true
          && household.user(of: $0.key, on: context.own) == .nobody
      }
      context.enforcementState.order(
        orders.sorted { $0.account < $1.account },
        watching: watched.map { OrdersBuilder.watching($0.value, in: $0.key) }.sorted { $0.account < $1.account },
        following: edits, at: context.now())
      let rules = household.children(of: context.own).map { household.rules(for: $0) }
      context.enforcementState.decided(UnorderedApps(rules, installed, running: Set(context.sessions.all.map(\.appID))))
    }
    return wait
  }

  /// Records since when sessions run on although a rule has closed their programs.
  ///
  /// Learning of that kind earns nothing until a parent has reviewed it.
  private func note(_ standing: ChildStanding) async throws(StoreError) {
    var (closed, reopened): ([RecordID], [RecordID]) = ([], [])
    let now = context.now()
    for session in context.sessions.all where session.child == standing.child {
      let isOpen = standing.verdicts.verdicts[Subject(session.appID)]?.isAllowed ?? true
      if !isOpen, session.closedAt == nil { closed.append(session.recordID) }
      // What was closed for longer than a moment stays so until it ends.
      if isOpen, let since = session.closedAt, now - since < LearningEvidence.closedMilliseconds {
        reopened.append(session.recordID)
      }
    }
    guard !closed.isEmpty || !reopened.isEmpty else { return }
    try await usage.note(closed: closed, reopened: reopened, at: now)
  }

  /// Returns the accounts that the agent can act for; `nil` without an agent.
  private func supervisedAccounts() async throws(StoreError) -> [UInt32]? {
    guard let agent = context.enforcementState.agent else { return nil }
    return agent.isSystem ? try await context.store.accounts(of: context.own).map(\.uid) : [agent.user]
  }
}

extension ChildStanding.Notice {
  /// The notice without the sentence, whose minutes change while it is the same.
  var unspoken: Self {
    var notice = self
    notice.sentence = ""
    return notice
  }
}

/// Whether the agent still has to tell of a sleep of the machine, with what the sleep cut.
///
/// Until it has, what runs seems to have been used all the while.
///
/// Spec: Protocol/13-agent.md §9.
final class SleepNews: Sendable {
  /// The milliseconds of sleep from which on the agent tells of it, with some allowance.
  private static let toldMilliseconds: Int64 = 2_500

  private let slept: @Sendable () -> Int64
  private let known: Mutex<Int64>

  /// Creates news of nothing; `slept` returns the milliseconds of sleep in this boot.
  init(slept: @escaping @Sendable () -> Int64 = { SystemClock.boot.milliseconds - SystemClock.awake.milliseconds }) {
    self.slept = slept
    known = Mutex(slept())
  }

  var isAwaited: Bool { slept() - known.withLock { $0 } > Self.toldMilliseconds }

  /// Notes that the agent has told of all sleep so far, or will not.
  func told() {
    let slept = slept()
    known.withLock { $0 = slept }
  }
}
