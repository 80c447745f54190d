import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// What holds for a child at one moment: rules, use, what runs, and the verdicts.
///
/// A child's node and a parent's work it out in the same way.
///
/// Spec: Protocol/11-rules.md §5.
struct ChildStanding: Sendable {
  /// Milliseconds for which told use is taken to go on: a machine tells again within a minute.
  static let beliefMilliseconds: Int64 = 60_000
  /// Milliseconds after which a silent machine's sessions may have ended.
  static let staleMilliseconds: Int64 = 90_000

  struct Session: Hashable, Sendable {
    var device: DeviceID
    var use: RunningUse
    /// A Boolean value that indicates whether it may have ended: its machine is silent.
    var isStale: Bool
    /// A Boolean value that indicates whether it waits for its next program.
    var isPaused = false
  }

  let child: ChildID
  let plan: DayPlan
  let situation: Situation
  let running: [Session]
  let verdicts: ChildVerdicts
  /// Where the child's points are, if this machine can spend none of them.
  var waitingPoints: Phrase?
  /// Where the child's redeemed time is, if none of it is on this machine.
  var waitingTime: Phrase?
  /// When the points of another machine are no longer expected, if rewards are open for their sake.
  var loanEnds: BootInstant?
  /// A Boolean value that indicates whether it is about the family's present day.
  var isToday = true
  /// The names that the child's machines have told, for applications that the family has not named.
  var installed: [AppID: String] = [:]
  /// The parents' words with the answers that granted time for the day, by request.
  var answerWords: [CommandID: String] = [:]

  var rules: RuleSet { plan.rules }

  /// The same in an account that several children share, while none has said who is there.
  var unnamed: ChildStanding {
    var situation = situation
    situation.isUnnamed = true
    var standing = ChildStanding(child: child, plan: plan, situation: situation, running: running)
    standing.installed = installed
    standing.isToday = isToday
    return standing
  }

  init(child: ChildID, plan: DayPlan, situation: Situation, running: [Session]) {
    self.child = child
    self.plan = plan
    self.situation = situation
    self.running = running
    verdicts = plan.decide(situation)
  }

  /// The use of the day, with the use of later days that a wrong clock had reached.
  var today: DayUse { situation.today }

  var weekMilliseconds: Int64 {
    situation.use.filter { $0.key >= situation.day.startOfWeek }.map(\.value.screen).limitedSum
  }

  /// Returns the words for the reason of a verdict on an application that people call `name`.
  ///
  /// `isToday` says whether they may speak of the present day; without it, they do if it is that.
  func words(_ reason: Reason, of subject: Subject, name: String, isToday: Bool? = nil) -> Phrase {
    ReasonText.words(
      reason, rules, of: subject, on: situation.day, name: name, carried: carried, isToday: isToday ?? self.isToday)
  }

  /// Returns the verdict on a program, also on one that has no rules and does not run.
  func verdict(of subject: Subject) -> Verdict {
    verdicts.verdicts[subject] ?? plan.explain(subject, in: situation).verdict
  }

  /// Returns Unix milliseconds at an instant of the boot clock.
  func time(at instant: BootInstant) -> Int64 { situation.time + (instant - situation.boot) }

  func name(of app: AppID) -> String {
    // A session of an application without a name has its ID.
    let told = running.first { $0.use.appID == app && $0.use.displayName != app.text }?.use.displayName
    return rules.app(app).name ?? told ?? installed[app] ?? app.text
  }

  /// The milliseconds of screen time that earlier days of the week left for the day.
  var carried: Int64 { plan.carried(in: situation) }

  /// Milliseconds of screen time of the day, granted and carried; `nil` without a limit.
  var limitMilliseconds: Int64? {
    rules.dailyLimit(on: situation.day).map {
      Int64($0) * 60_000 + carried + ReasonText.granted(rules, to: .unknown, on: situation.day)
        - rules.taken(from: .all, on: situation.day)
    }
  }

  /// Returns how many milliseconds of a limit can be taken away; `nil` without a limit.
  ///
  /// It is what is left for the program that was granted least: what was granted for others alone
  /// is not there to take from all, and time that is granted afterwards counts in full for each.
  func left(of scope: GrantScope) -> Int64? {
    let day = situation.day
    func left(_ limits: DayLimits?, _ granted: Int64, used: (DayLimit?) -> Int64) -> Int64? {
      limits?[day.weekday].map { $0.milliseconds + granted - rules.taken(from: scope, on: day) - used($0) }
    }
    func granted(_ app: AppID) -> Int64 { ReasonText.granted(rules, to: .app(app), on: day) }
    switch scope {
    case .all:
      return rules.dailyLimit(on: day).map {
        Int64($0) * 60_000 + carried + rules.grantedForAll(on: day) - rules.taken(from: .all, on: day) - today.screen
      }
    case .category(let category):
      return left(rules.categories[category]?.limit, rules.granted(category, on: day)) { _ in
        today.categories[category] ?? 0
      }
    case .app(let app):
      let groups = rules.usedGroups.filter { $0.value.members.contains(app) }.map { name, group in
        left(group.limit, group.members.map(granted).min() ?? 0) { today.used(group: name, for: $0) }
      }
      let own = left(rules.app(app).limit, granted(app)) { today.used(app, for: $0) }
      return ([own] + groups).compactMap(\.self).min()
    }
  }

  /// Returns what decides which commands let an application run.
  ///
  /// `registers` are those of the family and the child, and `today` is the present family day.
  func opening(
    of app: AppID, _ registers: [Register], today: FamilyDay, _ closing: MachineClosing
  ) -> ChildExplanation.Opening {
    let isListedOnly = rules.programs == .listed
    let breaks = registers.filter { $0.key == ChildRule.breaks.key.registerKey && $0.value != nil }
    var enabled = rules
    enabled.apps[app]?.isEnabled = true
    return ChildExplanation.Opening(
      day: situation.day.description, today: today.description, dayStartHour: Int(clamping: rules.dayStartHour),
      missingMinutes: plan.missingMinutes(for: Subject(app), in: situation),
      enabledCategory: rules.apps[app]?.isEnabled == false ? enabled.app(app).category ?? .neutral : nil,
      hasOwnBreaks: breaks.contains { $0.zone != .family }, hasFamilysBreaks: breaks.contains { $0.zone == .family },
      isRefused: isListedOnly && closing.isRefused, isUnrecognized: closing.closedWords != nil,
      mayBeOwn: isListedOnly && !app.isOfMany && !closing.isRefused && rules.apps[app]?.matchers.isEmpty ?? true)
  }
}

/// Works out what holds for children from what is stored.
extension NodeContext {
  /// Returns what holds for a child, now or at a time in Unix milliseconds.
  ///
  /// At an earlier moment, what was used after it does not count: the rule about use of later days
  /// (§4) is about a clock that was wrong, and not about a moment that a person asks for.
  func standing(of child: ChildID, _ household: Household, at time: Int64? = nil) async throws(StoreError)
    -> ChildStanding
  {
    var rules = household.rules(for: child)
    let boundary = rules.boundary
    var moment = self.time.moment(boundary)
    let (present, today) = (moment.time, moment.day)
    if let time {
      moment.time = time
      moment.dayTime = time
      moment.day = boundary.day(containing: time)
    }
    let day = moment.day
    let end = time.flatMap { $0 < present ? $0 : nil } ?? .max
    // Breaks begin before the week as well.
    let first = rules.breaks == nil ? day.startOfWeek : min(day.startOfWeek, day.advanced(byDays: -1))
    let start = boundary.start(of: first)
    // Read first, so that a session that ends meanwhile is in at least one of both.
    let open = sessions.all
    let (running, points, totals) = try await store.look { [self, rules, moment] effects in
      // By the same reading of the clock as the moment: otherwise what runs would have less left,
      // and close a little early.
      let running = try Self.running(open, effects, self, at: moment.boot).filter { $0.use.child == child }
      let points = try ChildPoints.read(effects, self, of: child, rules, on: day, running, isPresent: time == nil)
      var totals = UseTotals(rules)
      let ran = running.map(\.use).map {
        UseSpan(app: $0.appID, category: $0.category, start: $0.since, milliseconds: $0.activeMilliseconds)
      }
      for use in try effects.use(of: child, since: start) + ran { use.before(end).map { totals.add($0) } }
      totals.forget(before: day.startOfWeek)
      return (running, points, totals)
    }
    rules.add(points.grants)
    // At another moment, what runs now says nothing.
    let present15 = time.map { abs($0 - present) < ChildStanding.beliefMilliseconds } ?? true
    var programs: [UInt32: Set<Subject>] = [:]
    for session in running
    where present15 && !session.isStale && !session.isPaused
      && session.use.appID != .screenTime
    {
      programs[session.use.account ?? 0, default: []].insert(Subject(session.use.appID))
    }
    let situation = Situation(
      boot: moment.boot, time: moment.time, dayTime: moment.dayTime, day: moment.day, use: totals.use,
      presence: totals.presence, spendable: points.spendable, redeemed: points.redeemed, running: programs)
    var standing = ChildStanding(
      child: child, plan: DayPlan(rules, for: situation), situation: situation, running: running)
    if let ledger = points.outOfReach {
      standing.waitingPoints = WaitingPoints.words(
        ledger, beside: own, names: try await FactNames.load(self), connected: members.connected)
    }
    if !points.redeemedElsewhere.isEmpty {
      standing.waitingTime = WaitingPoints.words(points.redeemedElsewhere, names: try await FactNames.load(self))
    }
    standing.loanEnds = points.loanEnds
    standing.answerWords = points.answerWords
    standing.isToday = day == today
    return standing
  }

  /// Returns what runs on all machines at an instant, as far as known here.
  func running(at now: BootInstant) async throws(StoreError) -> [ChildStanding.Session] {
    let open = sessions.all
    return try await store.look { [self] in try Self.running(open, $0, self, at: now) }
  }

  private static func running(
    _ open: [OpenUsageSession], _ effects: DatabaseEffects, _ context: NodeContext, at now: BootInstant
  ) throws -> [ChildStanding.Session] {
    var sessions = open.flatMap { open in
      RunningUse.of(open, at: now, isPaused: context.sessions.isQuiet(open, at: now)).map {
        ChildStanding.Session(device: context.own, use: $0, isStale: false, isPaused: open.isPaused)
      }
    }
    for (device, told) in try effects.runningLists() where device != context.own {
      // A machine that was heard of before this boot is silent.
      let silence = told.bootID == context.bootID ? max(0, now - told.toldBoot) : Int64.max / 2
      for var use in told.entries {
        let since = use.isPaused ? 0 : min(silence, ChildStanding.beliefMilliseconds)
        use.activeMilliseconds = min(use.activeMilliseconds + since, HybridTimestamp.wallLimit - 1)
        sessions.append(
          .init(device: device, use: use, isStale: silence > ChildStanding.staleMilliseconds, isPaused: use.isPaused))
      }
    }
    return sessions.sorted {
      ($0.use.since, $0.use.recordID.description) < ($1.use.since, $1.use.recordID.description)
    }
  }
}
