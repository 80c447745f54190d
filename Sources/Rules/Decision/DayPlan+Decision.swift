import LatchkeyModel

extension DayPlan {
  /// Decides about every application of a child that has rules or runs, and about unknown programs.
  ///
  /// The result depends only on the arguments. The plan must serve the situation.
  public func decide(_ situation: Situation) -> ChildVerdicts {
    let moment = Moment(self, situation)
    var verdicts = prepared.mapValues { verdict($0, moment) }
    var closures: [ChildVerdicts.Closure] = []
    for (account, subjects) in situation.running {
      for subject in subjects {
        let verdict = verdicts[subject] ?? self.verdict(terms(of: subject), moment)
        verdicts[subject] = verdict
        guard !verdict.isAllowed else { continue }
        closures.append(.init(account: account, subject: subject, reason: verdict.reason))
      }
    }
    closures.sort { ($0.account, $0.subject) < ($1.account, $1.subject) }
    // A new plan is due at the end of the day, and at the end of the date.
    var again = min(moment.toEnd, max(1, dateEnd - situation.time))
    func decideAgain(at instant: BootInstant?) {
      if let instant, instant > situation.boot { again = min(again, instant - situation.boot) }
    }
    for verdict in verdicts.values { decideAgain(at: verdict.until) }
    if rules.sessions != .leave { decideAgain(at: sessions(moment).until) }
    return ChildVerdicts(verdicts: verdicts, closures: closures, decideAgain: Self.instant(situation.boot, again))
  }

  /// Decides about one program, and lists the standing of each rule that was considered.
  public func explain(
    _ subject: Subject, in situation: Situation
  ) -> (verdict: Verdict, considered: [(reason: Reason, standing: Standing)]) {
    let moment = Moment(self, situation)
    let terms = self.terms(of: subject)
    var considered: [(reason: Reason, standing: Standing)] = []
    consider(terms, moment) { considered.append(($0, $1)) }
    return (verdict(terms, moment), considered)
  }

  /// Decides about one program by only the rules for which `counts` returns `true`.
  public func decide(_ subject: Subject, in situation: Situation, by counts: (Reason) -> Bool) -> Verdict {
    let (moment, terms) = (Moment(self, situation), terms(of: subject))
    return verdict(moment) { visit in consider(terms, moment) { if counts($0) { visit($0, $1) } } }
  }

  /// Returns whether a rule that closes a program now leaves it no time to save.
  public func leavesNoTime(to subject: Subject, in situation: Situation) -> Bool {
    let app = rules.app(subject.app)
    guard !rules.isRemoved, app.block != .now else { return !rules.isRemoved }
    return !app.isAlwaysAllowed && rules.lock.leavesNoTime(at: situation.time)
  }

  /// Returns the unused screen time of earlier days of the week, in milliseconds.
  public func carried(in situation: Situation) -> Int64 { Moment(self, situation).carried }

  /// Decides whether sessions may be open: they close while only always-allowed programs may run.
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
      if let limit = moment.screenLimit {
        visit(.dailyLimit, moment.left(limit, extra: granted.today, used: moment.today.screen))
      }
      if let weekly = rules.weeklyLimit { visit(.weeklyLimit, moment.left(week: weekly, granted, used: \.screen)) }
      return .neutral
    }
  }

  private func verdict(_ terms: Terms, _ moment: Moment) -> Verdict { verdict(moment) { consider(terms, moment, $0) } }

  /// Returns the verdict from the standings that `consider` visits; `consider` returns the
  /// category.
  private func verdict(_ moment: Moment, _ consider: ((Reason, Standing) -> Void) -> AppCategory) -> Verdict {
    var closing: Reason?
    var closedFor: Int64? = 0
    var limiting: Reason?
    var left = Int64.max
    let category = consider { reason, standing in
      switch standing {
      case .open(nil): break
      case .open(let time?): if time < left { (left, limiting) = (time, reason) }
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

  /// Visits each rule that is considered for a program, in order, and returns its category.
  @discardableResult
  private func consider(_ terms: Terms, _ moment: Moment, _ visit: (Reason, Standing) -> Void) -> AppCategory {
    let category = terms.category
    guard !rules.isRemoved else { return category }
    if terms.isBlocked { visit(terms.subject == .unknown ? .unknownProgram : .blocked, .closed(nil)) }
    for group in terms.groups where group.isBlocked { visit(.groupBlocked(group.name), .closed(nil)) }
    if !terms.isListed { visit(.notListed, .closed(nil)) }
    // Only a block closes an always-allowed application.
    if terms.isAlwaysAllowed { return category }
    considerTimes(category, moment, visit)
    if let hours = terms.hours { visit(.appHours, moment.left(inside: hours)) }
    for group in terms.groups {
      if let hours = group.hours { visit(.groupHours(group.name), moment.left(inside: hours)) }
    }
    considerLimits(terms, moment, visit)
    guard terms.isPaid else { return category }
    let isUnnamed = moment.situation.isUnnamed
    switch rules.points.use {
    case .payAsYouGo:
      guard terms.rate.milliPointsPerHour > 0 else { break }
      visit(
        isUnnamed ? .unnamed : .points, isUnnamed ? .closed(nil) : moment.left(points: terms.rate, of: terms.subject))
    case .redeemFirst: visit(isUnnamed ? .unnamed : .redeemedTime, isUnnamed ? .closed(nil) : moment.leftOfRedeemed())
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

  private func considerLimits(_ terms: Terms, _ moment: Moment, _ visit: (Reason, Standing) -> Void) {
    let (category, today) = (terms.category, moment.today)
    if let limit = terms.limit {
      let used = limit.hours.today == nil ? today.apps : today.appsWithin
      visit(.appLimit, moment.left(limit, used: used[terms.subject.app] ?? 0))
    }
    for group in terms.groups {
      guard let limit = group.limit else { continue }
      let used = limit.hours.today == nil ? today.groups : today.groupsWithin
      visit(.groupLimit(group.name), moment.left(limit, used: used[group.name] ?? 0))
    }
    if let limit = terms.categoryLimit {
      visit(.categoryLimit(category), moment.left(limit, used: today.categories[category] ?? 0))
    }
    if let limit = moment.screenLimit {
      visit(.dailyLimit, moment.left(limit, extra: terms.granted.today, used: today.screen))
    }
    for group in terms.groups {
      guard let weekly = group.weekly else { continue }
      visit(.groupWeekly(group.name), moment.left(week: weekly, terms.granted) { $0.groups[group.name] ?? 0 })
    }
    if let weekly = terms.categoryWeekly {
      visit(.categoryWeekly(category), moment.left(week: weekly, terms.granted) { $0.categories[category] ?? 0 })
    }
    if let weekly = rules.weeklyLimit { visit(.weeklyLimit, moment.left(week: weekly, terms.granted, used: \.screen)) }
  }

  private static func instant(_ now: BootInstant, _ milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: Moment.sum(now.milliseconds, milliseconds))
  }
}
