import LatchkeyModel

/// A situation together with the plan of its day.
struct Moment {
  let plan: DayPlan
  let situation: Situation
  /// The time until the end of the day, in milliseconds; at least 1.
  let toEnd: Int64
  /// The length of the next day, in milliseconds.
  let next: Int64
  /// The use that counts for this day, including that of later days that a wrong clock had reached.
  let today: DayUse
  /// The use on the earlier days of the week.
  let earlier: [DayUse]
  /// The total cost of the running rewards, in milli-points per hour.
  let runningRate: Int64
  /// The running rewards that cost points.
  let paying: Set<Subject>
  /// The standing according to the breaks; `nil` without breaks.
  let breaks: Standing?
  /// The limit on all screen time, without granted time; `nil` for none.
  private(set) var screenLimit: TimeLimit?

  init(_ plan: DayPlan, _ situation: Situation) {
    (self.plan, self.situation) = (plan, situation)
    toEnd = max(1, plan.end - situation.dayTime)
    next = max(0, plan.horizon - plan.end)
    today = situation.use(counting: plan.day)
    earlier = plan.earlierInWeek.map { situation.use[$0] ?? DayUse() }
    let breaks = plan.rules.breaks?.standing(situation.presence.ranges, from: plan.breaksStart, to: situation.time)
    // Nothing is decided beyond the end of the next day.
    if case .open(let left?) = breaks, left >= toEnd + next { self.breaks = .open(nil) } else { self.breaks = breaks }
    var paying: Set<Subject> = []
    var rate: Int64 = 0
    for subject in situation.running.values.joined() where !paying.contains(subject) {
      let terms = plan.terms(of: subject)
      guard terms.isPaid else { continue }
      paying.insert(subject)
      rate = Self.sum(rate, terms.rate.milliPointsPerHour)
    }
    self.paying = paying
    runningRate = rate
    screenLimit = limitWithCarried()
  }

  /// Returns the standing according to a daily limit; `extra` milliseconds are added to today's
  /// limit.
  func left(_ limit: TimeLimit, extra: Int64 = 0, used: Int64) -> Standing {
    if let today = limit.today {
      let left = Self.difference(Self.sum(today, extra), max(0, used))
      if let end = usedUp(left, in: 0..<toEnd, within: limit.hours.today) { return end }
    }
    guard let tomorrow = limit.tomorrow else { return .open(nil) }
    return usedUp(tomorrow, in: toEnd..<Self.sum(toEnd, next), within: limit.hours.tomorrow) ?? .open(nil)
  }

  /// Returns the standing if the program is used from now on within a day or its hours; `nil` if
  /// the time is not used up.
  private func usedUp(_ left: Int64, in day: Range<Int64>, within hours: Intervals?) -> Standing? {
    var left = max(0, left)
    func usedUp(in stretch: Range<Int64>) -> Standing? {
      let length = stretch.upperBound - stretch.lowerBound
      if left == 0, length > 0, stretch.lowerBound == 0 { return .closed(stretch.upperBound) }
      if left < length { return .open(stretch.lowerBound + left) }
      left -= length
      return nil
    }
    guard let hours else { return usedUp(in: day) }
    for span in hours.spans {
      let from = Self.difference(span.lowerBound, situation.time)
      let to = Self.difference(span.upperBound, situation.time)
      if let end = usedUp(in: (from..<max(from, to)).clamped(to: day)) { return end }
    }
    return nil
  }

  /// The unused screen time that is carried over from earlier days of the week, in milliseconds.
  var carried: Int64 {
    earlier.indices.reduce(0) { carried, day in
      unused(
        plan.screenLimits.earlier[day], carried, most: plan.carryOver.earlier[day],
        granted: plan.granted.earlier[day], used: earlier[day].screen)
    }
  }

  /// Returns the limit on screen time with the time that is carried over; `nil` for none.
  private func limitWithCarried() -> TimeLimit? {
    let limits = plan.screenLimits
    guard limits.today != nil || limits.tomorrow != nil else { return nil }
    let carried = carried
    let used = Self.sum(today.screen, toEnd)
    let left = unused(limits.today, carried, most: plan.carryOver.today, granted: plan.granted.today, used: used)
    return TimeLimit(today: limits.today.map { $0 + carried }, tomorrow: limits.tomorrow.map { $0 + left })
  }

  /// Returns the unused screen time that a day carries over to the next one, in milliseconds.
  ///
  /// Use within granted time does not count. Time that was taken away is not carried over. A day
  /// without a limit carries nothing over.
  private func unused(_ limit: Int64?, _ carried: Int64, most: Int64, granted: Int64, used: Int64) -> Int64 {
    guard let limit else { return 0 }
    let counted = max(0, Self.difference(max(0, used), granted))
    return min(most, max(0, Self.difference(limit + carried, counted)))
  }

  /// Returns the standing according to a weekly limit.
  ///
  /// `limit` is in minutes. `used` returns the use of a day in milliseconds. Use within granted
  /// time does not count.
  func left(week limit: Int64, _ granted: GrantedTime, used: (DayUse) -> Int64) -> Standing {
    var base = limit * 60_000
    for day in earlier.indices {
      base = Self.difference(base, max(0, Self.difference(used(earlier[day]), granted.earlier[day])))
    }
    let usedToday = max(0, used(today))
    let left = Self.difference(Self.sum(base, granted.today), usedToday)
    if left <= 0 { return .closed(toEnd) }
    if left < toEnd { return .open(left) }
    if plan.isLastOfWeek { return beyond(limit * 60_000) }
    return beyond(Self.difference(base, max(0, Self.difference(Self.sum(usedToday, toEnd), granted.today))))
  }

  /// Returns the standing of a rule that lasts today and for `tomorrow` milliseconds of the next
  /// day.
  private func beyond(_ tomorrow: Int64) -> Standing { tomorrow < next ? .open(toEnd + max(0, tomorrow)) : .open(nil) }

  /// Returns the standing of a rule that is open for `left` milliseconds; from the horizon on,
  /// without an end.
  func limited(_ left: Int64) -> Standing { left < toEnd + next ? .open(left) : .open(nil) }

  /// Returns the standing of a program with a rate according to this machine's points.
  func left(points rate: PointsRate, of subject: Subject) -> Standing {
    let own = paying.contains(subject) ? 0 : rate.milliPointsPerHour
    let total = Int128(Self.sum(runningRate, own))
    guard total > 0 else { return .open(nil) }
    let left = Int128(max(0, situation.spendable)) * Int128(PointsRemainder.partsPerMilliPoint) / total
    if left == 0 { return .closed(nil) }
    return limited(Int64(min(left, Int128(HybridTimestamp.wallLimit))))
  }

  /// Returns the standing according to the redeemed minutes; those that expire first are used
  /// first.
  func leftOfRedeemed() -> Standing {
    var today: Int64 = 0
    var lasting: Int64 = 0
    for time in situation.redeemed where time.lastDay >= plan.day {
      let milliseconds = max(0, time.milliseconds)
      today = Self.sum(today, milliseconds)
      if time.lastDay > plan.day { lasting = Self.sum(lasting, milliseconds) }
    }
    if today == 0 { return .closed(nil) }
    if today < toEnd { return .open(today) }
    // Minutes that expire with the day are used before the others.
    return beyond(min(lasting, today - toEnd))
  }

  /// Returns the standing according to a schedule that closes within its windows.
  func left(outside intervals: Intervals) -> Standing {
    if let end = intervals.end(at: situation.time) { return .closed(end - situation.time) }
    return intervals.start(after: situation.time).map { limited($0 - situation.time) } ?? .open(nil)
  }

  /// Returns the standing according to a schedule that is open only within its windows.
  func left(inside intervals: Intervals) -> Standing {
    if let end = intervals.end(at: situation.time) { return limited(end - situation.time) }
    return .closed(intervals.start(after: situation.time).map { $0 - situation.time })
  }

  static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right > 0 ? .max : .min) : sum
  }

  static func difference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    return overflow ? (right > 0 ? .min : .max) : difference
  }
}

extension DayUse {
  mutating func add(_ other: DayUse) {
    screen = Moment.sum(screen, other.screen)
    for (category, time) in other.categories { categories[category] = Moment.sum(categories[category] ?? 0, time) }
    for (app, time) in other.apps { apps[app] = Moment.sum(apps[app] ?? 0, time) }
    for (group, time) in other.groups { groups[group] = Moment.sum(groups[group] ?? 0, time) }
    for (app, time) in other.appsWithin { appsWithin[app] = Moment.sum(appsWithin[app] ?? 0, time) }
    for (group, time) in other.groupsWithin { groupsWithin[group] = Moment.sum(groupsWithin[group] ?? 0, time) }
  }
}
