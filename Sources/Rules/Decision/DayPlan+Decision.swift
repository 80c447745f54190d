import LatchkeyModel

extension DayPlan {
  /// Decides about every application of a child that has rules or runs, and about unknown programs.
  ///
  /// The result depends only on the arguments. The plan must serve the situation.
  public func decide(_ situation: Situation) -> ChildVerdicts {
    let moment = Moment(self, situation)
    var verdicts: [Subject: Verdict] = [:]
    verdicts.reserveCapacity(rules.apps.count + 1)
    // A new plan is due at the end of the day, and at the end of the date.
    var again = min(moment.toEnd, max(1, dateEnd - situation.time))
    func decide(_ subject: Subject) {
      guard verdicts[subject] == nil else { return }
      let verdict = self.verdict(subject, moment)
      if let until = verdict.until, until > situation.boot { again = min(again, until - situation.boot) }
      verdicts[subject] = verdict
    }
    decide(.unknown)
    decide(.app(.otherPrograms))
    for id in rules.apps.keys { decide(.app(id)) }
    if rules.sessions != .leave, let until = sessions(moment).until, until > situation.boot {
      again = min(again, until - situation.boot)
    }
    var closures: [ChildVerdicts.Closure] = []
    for (account, subjects) in situation.running {
      for subject in subjects {
        decide(subject)
        guard let verdict = verdicts[subject], !verdict.isAllowed else { continue }
        closures.append(.init(account: account, subject: subject, reason: verdict.reason))
      }
    }
    closures.sort { ($0.account, $0.subject) < ($1.account, $1.subject) }
    return ChildVerdicts(
      verdicts: verdicts, closures: closures, decideAgain: Self.instant(situation.boot, again))
  }

  /// Decides about one program, and lists the standing of each rule that was considered.
  public func explain(
    _ subject: Subject, in situation: Situation
  ) -> (verdict: Verdict, considered: [(reason: Reason, standing: Standing)]) {
    let moment = Moment(self, situation)
    var considered: [(reason: Reason, standing: Standing)] = []
    consider(subject, moment) { considered.append(($0, $1)) }
    return (verdict(subject, moment), considered)
  }

  /// Returns whether a rule that closes a program now leaves it no time to save.
  public func leavesNoTime(to subject: Subject, in situation: Situation) -> Bool {
    let app = rules.app(subject.app)
    guard !rules.isRemoved, app.block != .now else { return !rules.isRemoved }
    return !app.isAlwaysAllowed && rules.lock.leavesNoTime(at: situation.time)
  }

  /// Returns the unused screen time that earlier days of the week left for this day, in
  /// milliseconds.
  public func carried(in situation: Situation) -> Int64 { Moment(self, situation).carried }

  /// Decides whether sessions may be open: they close while only always-allowed applications may
  /// run.
  public func decideSessions(_ situation: Situation) -> Verdict { sessions(Moment(self, situation)) }

  /// Returns the instant at which sessions open again after they close at `closing`; `nil` if only
  /// a parent opens them.
  ///
  /// `closing` is an instant after the situation, in which the sessions are open. A time of the day
  /// and a lock have their own ends. A limit ends with its day.
  public func sessionsOpen(after closing: BootInstant, _ situation: Situation) -> BootInstant? {
    let ahead = closing - situation.boot
    var then = situation
    then.boot = closing
    then.time = Moment.sum(situation.time, ahead)
    then.dayTime = Moment.sum(situation.dayTime, ahead)
    then.presence.insert(situation.time..<max(situation.time, then.time))
    let verdict = decideSessions(then)
    if !verdict.isAllowed { return verdict.until }
    let toEnd = end - situation.dayTime
    return Self.instant(situation.boot, ahead < toEnd ? toEnd : max(ahead + 1, horizon - situation.dayTime))
  }

  private func sessions(_ moment: Moment) -> Verdict {
    verdict(moment) { visit in
      guard !rules.isRemoved else { return .learning }
      // Sessions stay open while learning alone is allowed, so school time does not close them.
      considerLock(moment, visit)
      if !bedtime.spans.isEmpty { visit(.bedtime, moment.left(outside: bedtime)) }
      if let breaks = moment.breaks { visit(.breaks, breaks) }
      // Any grant keeps sessions open, whatever it was for.
      if dailyLimits != (nil, nil) {
        visit(
          .dailyLimit,
          moment.left(
            moment.screenLimits(), extra: rules.grantedForAnything(on: day), used: moment.today.screen))
      }
      if let weekly = rules.weeklyLimit {
        visit(.weeklyLimit, moment.left(week: weekly, used: \.screen, extra: rules.grantedForAnything))
      }
      return .neutral
    }
  }

  private func verdict(_ subject: Subject, _ moment: Moment) -> Verdict {
    verdict(moment) { consider(subject, moment, $0) }
  }

  /// Makes a verdict from the standings that `consider` passes to its argument; `consider` returns
  /// the category.
  private func verdict(_ moment: Moment, _ consider: ((Reason, Standing) -> Void) -> AppCategory) -> Verdict {
    var closing: Reason?
    var closedFor: Int64? = 0
    var limiting: Reason?
    var left = Int64.max
    let category = consider { reason, standing in
      switch standing {
      case .open(nil): break
      case .open(let time?):
        if time < left { (left, limiting) = (time, reason) }
      case .closed(let time):
        closing = closing ?? reason
        // It may open again once the last of the rules that close it does.
        if let soFar = closedFor, let time { closedFor = max(soFar, time) } else { closedFor = nil }
      }
    }
    let now = moment.situation.boot
    if let closing {
      return Verdict(
        category: category, isAllowed: false, reason: closing, until: closedFor.map { Self.instant(now, $0) },
        decidedAt: now)
    }
    return Verdict(
      category: category, isAllowed: true, reason: limiting,
      until: limiting == nil ? nil : Self.instant(now, left), decidedAt: now)
  }

  /// Calls `visit` for each rule that is considered for a program, in the order of `Reason`, and
  /// returns its category.
  @discardableResult
  private func consider(_ subject: Subject, _ moment: Moment, _ visit: (Reason, Standing) -> Void) -> AppCategory {
    let terms = terms(of: subject)
    let category = terms.use.category
    guard !rules.isRemoved else { return category }
    if terms.isBlocked { visit(subject == .unknown ? .unknownProgram : .blocked, .closed(nil)) }
    for group in terms.groups where group.isBlocked { visit(.groupBlocked(group.name), .closed(nil)) }
    if !terms.isListed { visit(.notListed, .closed(nil)) }
    // Only a block closes an always-allowed application.
    if terms.isAlwaysAllowed { return category }
    considerTimes(category, moment, visit)
    if let hours = terms.hours { visit(.appHours, moment.left(inside: hours)) }
    for group in terms.groups {
      if let hours = group.hours { visit(.groupHours(group.name), moment.left(inside: hours)) }
    }
    considerLimits(subject, terms, moment, visit)
    guard terms.isPaid else { return category }
    let isUnnamed = moment.situation.isUnnamed
    switch rules.points.use {
    case .payAsYouGo:
      guard terms.rate.milliPointsPerHour > 0 else { break }
      visit(isUnnamed ? .unnamed : .points, isUnnamed ? .closed(nil) : moment.left(points: terms.rate, of: subject))
    case .redeemFirst:
      visit(isUnnamed ? .unnamed : .redeemedTime, isUnnamed ? .closed(nil) : moment.leftOfRedeemed())
    }
    return category
  }

  private func considerLock(_ moment: Moment, _ visit: (Reason, Standing) -> Void) {
    switch rules.lock {
    case .off: break
    case .on, .onNow: visit(.lock, .closed(nil))
    case .until(let end), .untilNow(let end):
      if end > moment.situation.time { visit(.lock, .closed(end - moment.situation.time)) }
    }
  }

  private func considerTimes(_ category: AppCategory, _ moment: Moment, _ visit: (Reason, Standing) -> Void) {
    considerLock(moment, visit)
    if !bedtime.spans.isEmpty { visit(.bedtime, moment.left(outside: bedtime)) }
    if let breaks = moment.breaks { visit(.breaks, breaks) }
    if category != .learning, !school.spans.isEmpty { visit(.school, moment.left(outside: school)) }
    if category == .reward, let rewardTimes { visit(.rewardTimes, moment.left(inside: rewardTimes)) }
  }

  private func considerLimits(
    _ subject: Subject, _ terms: Terms, _ moment: Moment, _ visit: (Reason, Standing) -> Void
  ) {
    let category = terms.use.category
    func daily(
      _ reason: Reason, _ limits: DayLimits?, within hours: (Intervals?, Intervals?) = (nil, nil),
      from scope: GrantScope, _ used: (DayLimit?) -> Int64
    ) {
      guard let limits else { return }
      let extra = terms.granted - rules.taken(from: scope, on: day)
      visit(
        reason,
        moment.left(
          (limits[weekday]?.milliseconds, limits[nextWeekday]?.milliseconds), within: hours, extra: extra,
          used: used(limits[weekday])))
    }
    let own = GrantScope.app(subject.app)
    if case .app(let id) = subject {
      daily(.appLimit, terms.limit, within: terms.limitHours, from: own) { moment.today.used(id, for: $0) }
    }
    for group in terms.groups {
      daily(.groupLimit(group.name), group.limit, within: group.limitHours, from: own) {
        moment.today.used(group: group.name, for: $0)
      }
    }
    daily(.categoryLimit(category), terms.categoryLimit, from: .category(category)) { _ in
      moment.today.categories[category] ?? 0
    }
    if dailyLimits != (nil, nil) {
      visit(.dailyLimit, moment.left(moment.screenLimits(), extra: terms.granted, used: moment.today.screen))
    }
    let grantedOn = { (day: FamilyDay) in self.rules.granted(subject, category, on: day) }
    for group in terms.groups {
      guard let weekly = group.weekly else { continue }
      let used = { (use: DayUse) in use.groups[group.name] ?? 0 }
      visit(.groupWeekly(group.name), moment.left(week: weekly, used: used, extra: grantedOn))
    }
    if let weekly = terms.categoryWeekly {
      let used = { (use: DayUse) in use.categories[category] ?? 0 }
      visit(.categoryWeekly(category), moment.left(week: weekly, used: used, extra: grantedOn))
    }
    if let weekly = rules.weeklyLimit {
      visit(.weeklyLimit, moment.left(week: weekly, used: \.screen, extra: grantedOn))
    }
  }

  private static func instant(_ now: BootInstant, _ milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: Moment.sum(now.milliseconds, milliseconds))
  }
}
