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
  /// The most processes that are followed at the same time.
  static let capacity = 16_384

  /// A process of a supervised account.
  fileprivate struct Followed: Sendable {
    var facts: ProcessFacts
    var match: MatchTable.Match?
    /// When it was first seen to be what it is, after the last look at everything before.
    var seenAt: BootInstant
    var lookBefore: BootInstant?
    /// When its use began; `nil` while it is no use.
    var began: BootInstant?
    var closing: Closing?
  }

  fileprivate enum Closing: Hashable, Sendable {
    case asked(killAt: BootInstant)
    case killed(againAt: BootInstant)
    case paused
  }

  fileprivate struct Supervised: Sendable {
    var orders: AccountOrders
    var table: MatchTable
    var programs: [AppID: ProgramOrder]
  }

  private struct WarnedKey: Hashable {
    var account: UInt32
    var app: AppID?
  }

  private let abilities: AgentAbilities
  private var orders: AgentOrders?
  private var accounts: [UInt32: Supervised] = [:]
  private var followed: [ProcessIdentity: Followed] = [:]
  private var log = ReportLog()
  private var lastLook: BootInstant?
  private var nextHeartbeat: BootInstant?
  private var warned: [WarnedKey: (level: Int64, closesAt: BootInstant)] = [:]

  /// Creates a machine without orders, which touches nothing.
  public init(abilities: AgentAbilities) {
    self.abilities = abilities
  }

  /// The number of the orders that hold; `nil` without orders.
  public var ordersInForce: UInt64? { orders?.number }
  /// The numbers of the accounts that are supervised.
  public var supervisedAccounts: Set<UInt32> { Set(accounts.keys) }
  /// Returns whether the SHA-256 of an account's files is needed to recognize its programs.
  public func needsHashes(of account: UInt32) -> Bool { accounts[account]?.table.needsHashes ?? false }
  /// The packages whose files have to be known.
  public var packages: Set<String> { accounts.values.reduce(into: []) { $0.formUnion($1.table.packages) } }
  /// The reports that the node has not stored.
  public var waitingReports: [AgentReport] { log.waiting }
  /// The processes that are followed.
  public var processes: Set<ProcessIdentity> { Set(followed.keys) }

  /// Returns the facts of a process that is followed, as they were last seen.
  public func facts(of process: ProcessIdentity) -> ProcessFacts? { followed[process]?.facts }

  // MARK: Orders

  /// Takes orders, in the place of all earlier ones.
  ///
  /// `boot` is the present boot's ID, and `exists` tells whether the machine has an account. If the orders were kept from
  /// before this run, `isKept` is true, and they are not to be kept again.
  public mutating func received(
    _ orders: AgentOrders, boot: String, isKept: Bool = false, at now: BootInstant, exists: (UInt32) -> Bool
  ) -> [AgentEffect] {
    var effects: [AgentEffect] = isKept ? [] : [.keep(orders)]
    var faults: [OrderFault] = []
    let before = accounts
    accounts = [:]
    self.orders = orders
    for var account in orders.accounts {
      if let fault = fault(of: account.account, exists: exists) {
        faults.append(fault)
        continue
      }
      if !account.mayBeOpen, !abilities.canCloseSessions {
        faults.append(OrderFault(.cannotCloseSession, account: account.account))
      }
      if orders.boot != boot { account.move(from: orders.at) }
      if let before = before[account.account] { account.keep(closed: before, at: now) }
      let table = MatchTable(account, faults: &faults)
      accounts[account.account] = Supervised(
        orders: account, table: table,
        programs: Dictionary(account.programs.map { ($0.app, $0) }) { first, _ in first })
      let pauses = account.programs.contains { $0.terms.step == .pause } || account.unknown?.step == .pause
      if pauses, !abilities.canPause { faults.append(OrderFault(.cannotPause, account: account.account)) }
    }
    for fault in faults { effects.append(tell(.refused(orders: orders.number, fault), now)) }
    effects.append(tell(.inForce(orders: orders.number), now))
    for process in followed.keys.sorted() { effects += look(at: process, now) }
    warned = warned.filter { accounts[$0.key.account] != nil }
    return effects + warn(now)
  }

  /// Notes that the orders file was damaged; `hasOlder` tells whether the one before it holds.
  public mutating func foundDamage(hasOlder: Bool, at now: BootInstant) -> [AgentEffect] {
    [tell(.ordersDamaged(hasOlder: hasOlder), now)]
  }

  private func fault(of account: UInt32, exists: (UInt32) -> Bool) -> OrderFault? {
    if let only = abilities.onlyAccount, account != only { return OrderFault(.otherAccount, account: account) }
    // Nobody supervises root.
    return account != 0 && exists(account) ? nil : OrderFault(.noAccount, account: account)
  }

  // MARK: Processes

  /// Takes what the kernel shows of a process: one that is new, or one that runs another program since.
  public mutating func saw(_ facts: ProcessFacts, at now: BootInstant) -> [AgentEffect] {
    guard accounts[facts.account] != nil else { return ended(facts.identity, at: now) }
    if var known = followed[facts.identity] {
      let isOther = known.facts.images != facts.images || known.facts.arguments != facts.arguments
      known.facts = facts
      if isOther { (known.seenAt, known.lookBefore) = (now, lastLook) }
      followed[facts.identity] = known
    } else {
      guard followed.count < Self.capacity else { return [] }
      followed[facts.identity] = Followed(facts: facts, match: nil, seenAt: now, lookBefore: lastLook)
    }
    return look(at: facts.identity, now)
  }

  /// Notes that a process has ended.
  public mutating func ended(_ process: ProcessIdentity, at now: BootInstant) -> [AgentEffect] {
    guard let known = followed.removeValue(forKey: process) else { return [] }
    return end(known, now)
  }

  /// Notes that all processes were looked at, of which those given were there.
  public mutating func looked(present: Set<ProcessIdentity>, at now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for process in followed.keys.filter({ !present.contains($0) }).sorted() { effects += ended(process, at: now) }
    lastLook = now
    return effects
  }

  /// Notes that the kernel's events were lost, after which all processes were looked at.
  public mutating func rescanned(at now: BootInstant) -> [AgentEffect] { [tell(.rescanned, now)] }

  /// Works out what a process is and whether it may run.
  private mutating func look(at process: ProcessIdentity, _ now: BootInstant) -> [AgentEffect] {
    guard var known = followed[process] else { return [] }
    guard let supervised = accounts[known.facts.account] else {
      followed[process] = nil
      return end(known, now)
    }
    var effects: [AgentEffect] = []
    var match = supervised.table.match(known.facts)
    if match == nil, known.facts.isFromWritablePlace, supervised.orders.unknown != nil, !known.facts.isProtected {
      match = MatchTable.Match(app: nil, isWeak: true)
    }
    if match != known.match {
      effects += end(known, now)
      (known.match, known.began, known.closing) = (match, nil, nil)
    }
    if known.match != nil, known.began == nil, !isToBeKilledAtOnce(known, supervised, now) {
      let start = known.facts.startedAt
      let began = now - start <= Self.lateMilliseconds ? max(start, BootInstant(milliseconds: 0)) : known.seenAt
      known.began = min(began, now)
      if let use = known.use { effects.append(tell(.began(use, since: min(began, now)), now)) }
    }
    effects += enforce(&known, supervised, now)
    followed[process] = known
    return effects
  }

  /// Returns whether a process became what it is when that was closed already, which is no use of it.
  private func isToBeKilledAtOnce(_ known: Followed, _ supervised: Supervised, _ now: BootInstant) -> Bool {
    guard let use = known.use, let terms = supervised.terms(of: use.app), let closesAt = terms.closesAt else {
      return false
    }
    let pauses = terms.step == .pause && abilities.canPause
    return closesAt <= now && !pauses && !known.facts.isProtected && known.beganClosed(since: closesAt)
  }

  private mutating func end(_ known: Followed, _ now: BootInstant) -> [AgentEffect] {
    guard let use = known.use, let began = known.began else { return [] }
    return [tell(.ended(use, milliseconds: max(0, now - began)), now)]
  }

  // MARK: Enforcing

  private mutating func enforce(
    _ known: inout Followed, _ supervised: Supervised, _ now: BootInstant
  ) -> [AgentEffect] {
    guard let use = known.use, let terms = supervised.terms(of: use.app), let closesAt = terms.closesAt,
      closesAt <= now,
      !known.facts.isProtected
    else {
      // What was allowed again in its grace, or was never closed.
      known.closing = nil
      return []
    }
    if terms.step == .pause, abilities.canPause {
      guard known.closing != .paused else { return [] }
      known.closing = .paused
      return [.pause(use.process), tell(.closed(use, .paused, reason: terms.reason), now)]
    }
    switch known.closing {
    case nil, .paused:
      if known.beganClosed(since: closesAt) {
        known.closing = .killed(againAt: now + Self.againMilliseconds)
        return [.kill(use.process), tell(.closed(use, .killed, reason: terms.reason), now)]
      }
      known.closing = .asked(killAt: now + Self.graceMilliseconds)
      return [.ask(use.process), tell(.closed(use, .asked, reason: terms.reason), now)]
    case .asked(let killAt):
      guard killAt <= now else { return [] }
      known.closing = .killed(againAt: now + Self.againMilliseconds)
      return [.kill(use.process), tell(.closed(use, .killed, reason: terms.reason), now)]
    case .killed(let againAt):
      guard againAt <= now else { return [] }
      known.closing = .killed(againAt: now + Self.againMilliseconds)
      return [.kill(use.process)]
    }
  }

  // MARK: Time

  /// The next instant at which something is due; `nil` if nothing is.
  public func nextTimer(after now: BootInstant) -> BootInstant? {
    var next = nextHeartbeat
    func add(_ instant: BootInstant) { next = next.map { min($0, instant) } ?? instant }
    for known in followed.values {
      switch known.closing {
      case .asked(let killAt): add(killAt)
      case .killed(let againAt): add(againAt)
      case .paused: break
      case nil:
        guard let use = known.use, let terms = accounts[use.account]?.terms(of: use.app) else { continue }
        if let closesAt = terms.closesAt, !known.facts.isProtected, closesAt > now { add(closesAt) }
        for warning in terms.warnings where warning > now { add(warning) }
      }
      if known.began != nil, nextHeartbeat == nil { add(now + Self.heartbeatMilliseconds) }
    }
    return next
  }

  /// Does what is due.
  public mutating func timerFired(at now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for process in followed.keys.sorted() {
      guard var known = followed[process], let supervised = accounts[known.facts.account] else { continue }
      effects += enforce(&known, supervised, now)
      followed[process] = known
    }
    effects += warn(now)
    let isDue = nextHeartbeat.map { $0 <= now } ?? true
    guard isDue else { return effects }
    let running = followed.keys.sorted().compactMap { process -> (ProgramUse, BootInstant)? in
      guard let known = followed[process], let use = known.use, let began = known.began else { return nil }
      return (use, began)
    }
    for (use, began) in running { effects.append(tell(.active(use, milliseconds: max(0, now - began)), now)) }
    nextHeartbeat = running.isEmpty ? nil : now + Self.heartbeatMilliseconds
    return effects
  }

  /// Notes that the machine slept until now, for so many milliseconds: use is cut.
  public mutating func slept(_ milliseconds: Int64, at now: BootInstant) -> [AgentEffect] {
    var effects = [tell(.slept(milliseconds: milliseconds), now)]
    let asleep = now + -max(0, milliseconds)
    for process in followed.keys.sorted() {
      guard var known = followed[process], let use = known.use, let began = known.began else { continue }
      effects.append(tell(.ended(use, milliseconds: max(0, asleep - began)), max(began, asleep)))
      known.began = now
      followed[process] = known
      effects.append(tell(.began(use, since: now), now))
    }
    return effects
  }

  /// Notes that the wall clock was set by so many milliseconds, which changes nothing else.
  public mutating func clockWasSet(_ milliseconds: Int64, at now: BootInstant) -> [AgentEffect] {
    [tell(.clockSet(milliseconds: milliseconds), now)]
  }

  private mutating func warn(_ now: BootInstant) -> [AgentEffect] {
    var running: Set<WarnedKey> = []
    for known in followed.values {
      if let use = known.use, !known.facts.isProtected { running.insert(WarnedKey(account: use.account, app: use.app)) }
    }
    var effects: [AgentEffect] = []
    for key in running.sorted(by: { ($0.account, $0.app?.text ?? "") < ($1.account, $1.app?.text ?? "") }) {
      guard let terms = accounts[key.account]?.terms(of: key.app), let closesAt = terms.closesAt, closesAt > now,
        let due = terms.warnings.last(where: { $0 <= now })
      else { continue }
      let level = closesAt - due
      // Said once, even if the end moves a little with each decision.
      if let said = warned[key], said.level <= level, abs(said.closesAt - closesAt) < 30_000 { continue }
      warned[key] = (level, closesAt)
      effects.append(tell(.warned(account: key.account, app: key.app, left: closesAt - now), now))
    }
    return effects
  }

  // MARK: The node

  /// Returns what a node that has just connected is told: what runs, and what it has not stored.
  ///
  /// `stored` is the number of the last report of this run that it has stored.
  public mutating func connected(stored: UInt64, at now: BootInstant) -> [AgentEffect] {
    log.forget(through: stored)
    let told = Set(
      log.waiting.compactMap { report -> ProgramUse? in
        if case .began(let use, _) = report.event { use } else { nil }
      })
    var effects = log.waiting.map { AgentEffect.tell($0) }
    for process in followed.keys.sorted() {
      guard let known = followed[process], let use = known.use, let began = known.began, !told.contains(use) else {
        continue
      }
      effects.append(tell(.began(use, since: began), now))
    }
    if let orders { effects.append(tell(.inForce(orders: orders.number), now)) }
    return effects
  }

  /// Notes that the node has stored the reports up to a number.
  public mutating func stored(_ number: UInt64) { log.forget(through: number) }

  private mutating func tell(_ event: AgentReport.Event, _ now: BootInstant) -> AgentEffect {
    .tell(log.add(event, at: now))
  }
}

extension AgentMachine.Followed {
  /// The use of a process that is an application or an unknown program.
  fileprivate var use: ProgramUse? {
    match.map { ProgramUse(account: facts.account, app: $0.app, isWeak: $0.isWeak, process: facts.identity) }
  }

  /// Returns whether it became what it is when that was closed already, so that nobody loses work by its end.
  fileprivate func beganClosed(since closesAt: BootInstant) -> Bool {
    facts.startedAt >= closesAt || lookBefore.map { $0 >= closesAt } ?? false
  }
}

extension AgentMachine.Supervised {
  /// Returns the terms of an application; `nil` for what is always allowed.
  fileprivate func terms(of app: AppID?) -> ProgramTerms? {
    guard let app else { return orders.unknown }
    guard let program = programs[app], !program.isAlwaysAllowed else { return nil }
    return program.terms
  }
}

extension AccountOrders {
  /// Keeps the instants since when programs are closed by earlier orders, which a node that was restarted does not know.
  fileprivate mutating func keep(closed before: AgentMachine.Supervised, at now: BootInstant) {
    for index in programs.indices {
      programs[index].terms.keep(closed: before.programs[programs[index].app]?.terms, at: now)
    }
    unknown?.keep(closed: before.orders.unknown, at: now)
  }

  /// Moves instants of an earlier boot into this one: what was left when the orders were made is left at its start.
  fileprivate mutating func move(from at: BootInstant) {
    for index in programs.indices { programs[index].terms.move(from: at) }
    unknown?.move(from: at)
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

extension ProcessIdentity: Comparable {
  /// Returns whether `left` sorts before `right`, by number and then by start.
  public static func < (left: ProcessIdentity, right: ProcessIdentity) -> Bool {
    (left.processID, left.startTime) < (right.processID, right.startTime)
  }
}
