import LatchkeyModel

/// The decisions of an agent: which application each process is, and what to do about it.
///
/// Its input is the facts of processes, orders and the time. Its output is effects. It never acts
/// on a process of an account that no order names, on a process that no order closes, or on a
/// protected process. Spec: Protocol/13-agent.md §9.
public struct AgentMachine: Sendable {
  /// The time after which a killed program that is still there is killed again, in milliseconds.
  static let againMilliseconds: Int64 = 1_000
  /// The time between two reports of activity, in milliseconds.
  static let heartbeatMilliseconds: Int64 = 5_000
  /// The age up to which a newly seen program counts from its start, in milliseconds.
  static let lateMilliseconds: Int64 = 10_000
  /// How long it waits for new orders after a sleep, in milliseconds.
  static let wakeMilliseconds: Int64 = 2_000
  /// The most faults of orders that are reported to the node.
  static let toldFaults = 1_024
  /// The most processes that are followed at the same time.
  ///
  /// Processes to which orders apply have the same limit again.
  static let capacity = 16_384

  struct WarnedKey: Hashable {
    var account: UInt32
    var app: AppID?
  }

  let abilities: AgentAbilities
  public private(set) var orders: AgentOrders?
  /// The faults of the orders, except those of matchers.
  private var faults: [OrderFault] = []
  private var matcherFaults: [OrderFault] = []
  var accounts: [UInt32: Supervised] = [:]
  var followed = FollowedProcesses()
  private(set) var log = ReportLog()
  var lineages = Lineages()
  /// The inherited applications from an earlier run, of processes not seen in this one.
  var inheritedBefore: [ProcessIdentity: AppID] = [:]
  /// How often the set of processes with an inherited application has changed.
  public internal(set) var inheritedChanges = 0
  /// The processes that an earlier run of the agent froze and that were not seen in this one.
  var frozenBefore: Set<ProcessIdentity> = []
  /// The processes that orders name and whose end the node was told.
  var toldGone: Set<ProcessIdentity> = []
  var lastLook: BootInstant?
  var nextHeartbeat: BootInstant?
  var closedSessions: [UInt32: ClosedSessions] = [:]
  /// When a refused log-in of an account was last reported to the node.
  var refusals: [UInt32: BootInstant] = [:]
  var warned: [WarnedKey: ClosingWarning] = [:]
  /// The last warning before the sessions of an account close.
  var warnedOfSessions: [UInt32: ClosingWarning] = [:]
  var activity = ActivityClocks()
  /// The screen time of each account in the last report, in milliseconds.
  var toldScreenTime: [UInt32: Int64] = [:]
  /// The accounts whose screens do not lock when asked to.
  var unlockable: Set<UInt32> = []
  /// The last return from sleep, until newer orders arrive.
  var wake: Wake?
  /// Whether sessions and input could be seen at the last check; `nil` before the first one.
  var senses: (hasSessions: Bool, hasInput: Bool)?

  /// Creates a machine without orders, which closes nothing.
  public init(abilities: AgentAbilities) { self.abilities = abilities }

  public var ordersInForce: UInt64? { orders?.number }
  public var supervisedAccounts: Set<UInt32> { Set(accounts.keys) }
  /// Returns what must be known of an account's processes to recognize its programs.
  public func needs(of account: UInt32) -> RecognitionNeeds { accounts[account]?.table.needs ?? [] }
  public var packages: Set<String> { accounts.values.reduce(into: []) { $0.formUnion($1.table.packages) } }
  /// The paths of programs whose copies must be recognized.
  public var paths: Set<String> { accounts.values.reduce(into: []) { $0.formUnion($1.table.paths) } }
  /// The numbers of processes that were asked to end or killed and still exist.
  public var closing: Set<Int32> {
    let closing = followed.ruled.values.filter { known in
      switch known.closing {
      case .asked, .killed: true
      case .paused, nil: false
      }
    }
    return Set(closing.map(\.facts.identity.processID))
  }
  public var processes: Set<ProcessIdentity> { Set(followed.identities) }

  public func facts(of process: ProcessIdentity) -> ProcessFacts? { followed[process]?.facts }

  public func isKilled(_ process: ProcessIdentity) -> Bool {
    if case .killed = followed[process]?.closing { true } else { false }
  }

  // MARK: Orders

  /// Takes orders, which replace all earlier ones.
  ///
  /// The caller has saved them. If saving failed, `isDurable` is false: the orders still apply, and
  /// the node gets a fault. `boot` is the present boot's ID. `exists` returns whether the machine
  /// has an account. `here` returns the fault of a matcher on this machine.
  public mutating func received(
    _ orders: AgentOrders, boot: String, isDurable: Bool = true, at now: BootInstant,
    here: (AppMatcher) -> OrderFault.Kind? = { _ in nil }, exists: (AccountOrders) -> Bool
  ) -> [AgentEffect] {
    advance(to: now)
    (faults, matcherFaults) = (isDurable ? [] : [OrderFault(.notKept, account: 0)], [])
    let before = accounts
    accounts = [:]
    self.orders = orders
    if let wake, orders.boot != boot || orders.at >= wake.awake { self.wake = nil }
    for var account in orders.accounts {
      if let fault = fault(of: account, exists: exists) {
        faults.append(fault)
        continue
      }
      if account.sessions != nil, !abilities.canClose(sessionsOf: account.account) {
        faults.append(OrderFault(.cannotCloseSession, account: account.account))
      }
      if orders.boot != boot { account.move(from: orders.at) }
      if let before = before[account.account] { account.keep(closed: before, at: now) }
      let table = MatchTable(account, check: { MatcherCheck.fault(of: $0) ?? here($0) }, faults: &matcherFaults)
      accounts[account.account] = Supervised(
        orders: account, table: table,
        programs: Dictionary(account.programs.map { ($0.app, $0) }) { first, _ in first })
      let pauses = account.programs.contains { $0.terms.step == .pause } || account.unknown?.step == .pause
      if pauses, !abilities.canPause { faults.append(OrderFault(.cannotPause, account: account.account)) }
    }
    var effects = tellOrders(now)
    for process in followed.identities.sorted() { effects += look(at: process, now, isNewlyOrdered: true) }
    effects += inheritLate(now)
    toldGone = toldGone.filter { isNamed($0) }
    warned = warned.filter { accounts[$0.key.account] != nil }
    closedSessions = closedSessions.filter { accounts[$0.key] != nil }
    refusals = refusals.filter { accounts[$0.key] != nil }
    unlockable = unlockable.filter { accounts[$0] != nil }
    toldScreenTime = toldScreenTime.filter { accounts[$0.key] != nil }
    warnedOfSessions = warnedOfSessions.filter { accounts[$0.key] != nil }
    // The first reading that the node receives is where its count begins.
    return effects + tellScreenTime(now) + closeSessions(now) + warnOfSessions(now) + warn(now)
  }

  /// Notes that the orders were saved after an earlier attempt had failed.
  public mutating func kept(at now: BootInstant) -> [AgentEffect] {
    faults.removeAll { $0.kind == .notKept }
    return tellOrders(now)
  }

  /// Checks the matchers again after programs were installed or removed.
  public mutating func programsChanged(at now: BootInstant, here: (AppMatcher) -> OrderFault.Kind?) -> [AgentEffect] {
    var found: [OrderFault] = []
    var changed = accounts
    for (account, supervised) in accounts.sorted(by: { $0.key < $1.key }) {
      changed[account]?.table = MatchTable(
        supervised.orders, check: { MatcherCheck.fault(of: $0) ?? here($0) }, faults: &found)
    }
    guard found != matcherFaults else { return [] }
    (accounts, matcherFaults) = (changed, found)
    var effects = tellOrders(now)
    for process in followed.identities.sorted() { effects += look(at: process, now, isNewlyOrdered: true) }
    return effects + inheritLate(now)
  }

  /// Reports the faults of the orders, and that the rest is in force.
  mutating func tellOrders(_ now: BootInstant) -> [AgentEffect] {
    guard let number = orders?.number else { return [] }
    // The most important faults come first, since only some are reported.
    let ordered =
      faults + unlockable.sorted().map { OrderFault(.notLocked, account: $0) }
      + matcherFaults.filter { !$0.kind.isNote } + matcherFaults.filter(\.kind.isNote)
    return ordered.prefix(Self.toldFaults).map { tell(.refused(orders: number, $0), now) }
      + [tell(.inForce(orders: number), now)]
  }

  /// Notes that the orders file was damaged, and whether the previous orders are in force.
  public mutating func foundDamage(hasOlder: Bool, at now: BootInstant) -> [AgentEffect] {
    [tell(.ordersDamaged(hasOlder: hasOlder), now)]
  }

  /// Notes that some processes of an account make every reader of their files wait.
  public mutating func cannotRead(_ count: UInt64, of account: UInt32, at now: BootInstant) -> [AgentEffect] {
    [tell(.unreadable(account: account, count: count), now)]
  }

  private func fault(of orders: AccountOrders, exists: (AccountOrders) -> Bool) -> OrderFault? {
    let account = orders.account
    if let only = abilities.onlyAccount, account != only { return OrderFault(.otherAccount, account: account) }
    // Root is never supervised.
    return account != 0 && exists(orders) ? nil : OrderFault(.noAccount, account: account)
  }

  // MARK: The node

  /// Returns the reports for a node that has just connected: what is in use or not stored.
  ///
  /// `stored` is the number of the last report of this run that the node has stored.
  public mutating func connected(stored: UInt64, at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    log.forget(through: stored)
    toldGone = []
    let told = Set(
      log.waiting.compactMap { report -> ProgramUse? in
        if case .began(let use, _, _) = report.event { use } else { nil }
      })
    var effects = log.waiting.map { AgentEffect.tell($0) }
    for process in followed.ruled.keys.sorted() {
      guard let known = followed[process], let use = known.use, let began = known.began, !told.contains(use) else {
        continue
      }
      effects.append(tell(.began(use, since: began, activity: activity.reading(of: use)), now))
    }
    return effects + tellScreenTime(now, ofAll: true) + tellOrders(now)
  }

  /// Notes that the node has stored the reports up to a number.
  public mutating func stored(_ number: UInt64) { log.forget(through: number) }
  mutating func tell(_ event: AgentReport.Event, _ now: BootInstant) -> AgentEffect { .tell(log.add(event, at: now)) }
}

extension AccountOrders {
  /// Keeps the instants at which earlier orders closed programs: a restarted node forgets them.
  fileprivate mutating func keep(closed before: AgentMachine.Supervised, at now: BootInstant) {
    for index in programs.indices {
      programs[index].terms.keep(closed: before.programs[programs[index].app]?.terms, at: now)
    }
    unknown?.keep(closed: before.orders.unknown, at: now)
    sessions?.keep(closed: before.orders.sessions, at: now)
  }

  /// Converts instants of an earlier boot: the time that was left when the orders were made is left
  /// at the start of this boot.
  fileprivate mutating func move(from at: BootInstant) {
    for index in programs.indices {
      programs[index].terms.move(from: at)
      // Their numbers now belong to other processes.
      programs[index].processes = []
    }
    unknown?.move(from: at)
    sessions?.move(from: at)
    if let opensAt = sessions?.opensAt { sessions?.opensAt = BootInstant(milliseconds: max(1, opensAt - at)) }
  }
}
