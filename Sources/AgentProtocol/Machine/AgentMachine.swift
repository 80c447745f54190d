import LatchkeyModel

/// The decisions of an agent: which process is which application, and what is done about it.
///
/// It gets what the kernel shows, orders and the time, and returns effects. It never touches a process of an account that
/// no order names, one that is no application that an order closes, or one that is protected.
///
/// Spec: Protocol/13-agent.md §9.
public struct AgentMachine: Sendable {
  /// The time between asking a program to end and killing it, in milliseconds.
  public static let graceMilliseconds: Int64 = 5_000
  /// The time after which a killed program that is still there is killed again, in milliseconds.
  static let againMilliseconds: Int64 = 1_000
  /// The time between two reports of activity, in milliseconds.
  public static let heartbeatMilliseconds: Int64 = 5_000
  /// The age up to which a program that is seen for the first time counts from its start, in milliseconds.
  static let lateMilliseconds: Int64 = 10_000
  /// The time for which orders that were made after a sleep are waited for, in milliseconds.
  static let wakeMilliseconds: Int64 = 2_000
  /// The most faults of orders that the node is told.
  static let toldFaults = 1_024
  /// The most processes that are followed at the same time; those to which orders apply find room beside as many others.
  static let capacity = 16_384

  struct WarnedKey: Hashable {
    var account: UInt32
    var app: AppID?
  }

  let abilities: AgentAbilities
  /// The orders that hold; `nil` without orders.
  public private(set) var orders: AgentOrders?
  /// What is not carried out of the orders, but for matchers.
  private var faults: [OrderFault] = []
  /// What is wrong with matchers.
  private var matcherFaults: [OrderFault] = []
  var accounts: [UInt32: Supervised] = [:]
  var followed = FollowedProcesses()
  private var log = ReportLog()
  var lineages = Lineages()
  /// What an earlier run of the agent knew of processes that were not seen in this one.
  var inheritedBefore: [ProcessIdentity: AppID] = [:]
  /// How often it has changed which processes have inherited an application.
  public internal(set) var inheritedChanges = 0
  /// The processes that an earlier run of the agent froze, and that were not seen in this one.
  var frozenBefore: Set<ProcessIdentity> = []
  var lastLook: BootInstant?
  var nextHeartbeat: BootInstant?
  var closedSessions: [UInt32: ClosedSessions] = [:]
  /// When the node was last told of a refused log-in of an account.
  var refusals: [UInt32: BootInstant] = [:]
  var warned: [WarnedKey: (level: Int64, closesAt: BootInstant)] = [:]
  /// The last warning before the sessions of an account close.
  var warnedOfSessions: [UInt32: (level: Int64, closesAt: BootInstant)] = [:]
  var activity = ActivityClocks()
  /// The screen time of each account as it was told last, in milliseconds.
  var toldScreenTime: [UInt32: Int64] = [:]
  /// The accounts whose screens do not lock although they were asked to.
  var unlockable: Set<UInt32> = []
  /// The last return from sleep, until orders that were made after it arrive.
  var wake: Wake?
  /// Whether sessions and input could be seen when people were last looked for; `nil` before that.
  var senses: (hasSessions: Bool, hasInput: Bool)?

  /// Creates a machine without orders, which touches nothing.
  public init(abilities: AgentAbilities) {
    self.abilities = abilities
  }

  /// The number of the orders that hold; `nil` without orders.
  public var ordersInForce: UInt64? { orders?.number }
  public var supervisedAccounts: Set<UInt32> { Set(accounts.keys) }
  /// Returns what has to be known of an account's processes to recognize its programs.
  public func needs(of account: UInt32) -> RecognitionNeeds { accounts[account]?.table.needs ?? [] }
  public var packages: Set<String> { accounts.values.reduce(into: []) { $0.formUnion($1.table.packages) } }
  /// The paths of programs of which copies have to be known.
  public var paths: Set<String> { accounts.values.reduce(into: []) { $0.formUnion($1.table.paths) } }
  /// The reports that the node has not stored.
  public var waitingReports: [AgentReport] { log.waiting }
  /// The numbers of the processes that were asked to end or killed and are still there.
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

  /// Returns whether a process was killed and has not been seen to end.
  public func isKilled(_ process: ProcessIdentity) -> Bool {
    if case .killed = followed[process]?.closing { true } else { false }
  }

  // MARK: Orders

  /// Takes orders, in the place of all earlier ones.
  ///
  /// They have been made durable before, unless `isDurable` is false because that failed: they hold all the same, and the node is
  /// told. `boot` is the present boot's ID, `exists` tells whether the machine has an account, and `here` what is wrong with a
  /// matcher on this machine.
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
    for process in followed.identities.sorted() { effects += look(at: process, now) }
    effects += inheritLate(now)
    warned = warned.filter { accounts[$0.key.account] != nil }
    closedSessions = closedSessions.filter { accounts[$0.key] != nil }
    refusals = refusals.filter { accounts[$0.key] != nil }
    unlockable = unlockable.filter { accounts[$0] != nil }
    toldScreenTime = toldScreenTime.filter { accounts[$0.key] != nil }
    warnedOfSessions = warnedOfSessions.filter { accounts[$0.key] != nil }
    // What the node is told first is where its count begins.
    return effects + tellScreenTime(now) + closeSessions(now) + warnOfSessions(now) + warn(now)
  }

  /// Notes that the orders were made durable after that had failed at first.
  public mutating func kept(at now: BootInstant) -> [AgentEffect] {
    faults.removeAll { $0.kind == .notKept }
    return tellOrders(now)
  }

  /// Looks again at what is wrong with matchers, after programs were installed or removed.
  public mutating func programsChanged(at now: BootInstant, here: (AppMatcher) -> OrderFault.Kind?) -> [AgentEffect] {
    var found: [OrderFault] = []
    var changed = accounts
    for (account, supervised) in accounts.sorted(by: { $0.key < $1.key }) {
      changed[account]?.table = MatchTable(
        supervised.orders, check: { MatcherCheck.fault(of: $0) ?? here($0) }, faults: &found)
    }
    guard found != matcherFaults else { return [] }
    (accounts, matcherFaults) = (changed, found)
    return tellOrders(now) + followed.identities.sorted().flatMap { look(at: $0, now) } + inheritLate(now)
  }

  /// Tells what is refused of the orders, and that the rest is in force.
  mutating func tellOrders(_ now: BootInstant) -> [AgentEffect] {
    guard let number = orders?.number else { return [] }
    // Those that matter most come first: only so many are told.
    let ordered =
      faults + unlockable.sorted().map { OrderFault(.notLocked, account: $0) }
      + matcherFaults.filter { !$0.kind.isNote } + matcherFaults.filter(\.kind.isNote)
    return ordered.prefix(Self.toldFaults).map { tell(.refused(orders: number, $0), now) }
      + [tell(.inForce(orders: number), now)]
  }

  /// Notes that the orders file was damaged; `hasOlder` tells whether the one before it holds.
  public mutating func foundDamage(hasOlder: Bool, at now: BootInstant) -> [AgentEffect] {
    [tell(.ordersDamaged(hasOlder: hasOlder), now)]
  }

  /// Notes that processes of an account make whoever reads their files wait.
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

  /// Returns what a node that has just connected is told: what runs, and what it has not stored.
  ///
  /// `stored` is the number of the last report of this run that it has stored.
  public mutating func connected(stored: UInt64, at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    log.forget(through: stored)
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

  mutating func tell(_ event: AgentReport.Event, _ now: BootInstant) -> AgentEffect {
    .tell(log.add(event, at: now))
  }
}

extension AccountOrders {
  /// Keeps the instants since when programs are closed by earlier orders, which a node that was restarted does not know.
  fileprivate mutating func keep(closed before: AgentMachine.Supervised, at now: BootInstant) {
    for index in programs.indices {
      programs[index].terms.keep(closed: before.programs[programs[index].app]?.terms, at: now)
    }
    unknown?.keep(closed: before.orders.unknown, at: now)
    sessions?.keep(closed: before.orders.sessions, at: now)
  }

  /// Moves instants of an earlier boot into this one: what was left when the orders were made is left at its start.
  fileprivate mutating func move(from at: BootInstant) {
    for index in programs.indices {
      programs[index].terms.move(from: at)
      // Their numbers are those of other processes now.
      programs[index].processes = []
    }
    unknown?.move(from: at)
    sessions?.move(from: at)
  }
}

extension ProgramTerms {
  fileprivate mutating func keep(closed before: ProgramTerms?, at now: BootInstant) {
    guard let old = before?.closesAt, let new = closesAt, old < new, new <= now else { return }
    closesAt = old
  }

  fileprivate mutating func move(from at: BootInstant) {
    closesAt = closesAt.map { BootInstant(milliseconds: max(0, $0 - at)) }
    warnings = warnings.filter { $0 > at }.map { BootInstant(milliseconds: $0 - at) }
  }
}
