import LatchkeyModel

/// A child's rules, worked out for one family day.
///
/// It is created once a day, and when the rules change. Decisions with it are cheap.
///
/// Spec: Protocol/11-rules.md §5.
public struct DayPlan: Sendable {
  public let rules: RuleSet
  /// The family day, which decides about limits.
  public let day: FamilyDay
  /// The family day whose times of the day apply: `day`, unless a clock was set back.
  public let date: FamilyDay

  /// The end of the day in Unix milliseconds.
  let end: Int64
  /// The end of the next day in Unix milliseconds, beyond which nothing is decided.
  let horizon: Int64
  /// The end of `date` in Unix milliseconds.
  let dateEnd: Int64
  let bedtime: Intervals
  let school: Intervals
  /// The times at which rewards are allowed; `nil` for always.
  let rewardTimes: Intervals?
  /// The start of the day before `date` in Unix milliseconds, from which breaks are counted.
  let breaksStart: Int64
  let earlierInWeek: [FamilyDay]
  /// A Boolean value that indicates whether the next day begins a week.
  let isLastOfWeek: Bool
  let weekday: Weekday
  let nextWeekday: Weekday
  /// The minutes of screen time on the day and on the next one; `nil` for no limit.
  let dailyLimits: (today: Int?, tomorrow: Int?)
  /// The terms of each application that has rules, and of unknown programs.
  private var prepared: [Subject: Terms] = [:]

  /// Creates the plan of a day.
  ///
  /// Without `date`, the times of the day are those of `day`.
  public init(_ rules: RuleSet, day: FamilyDay, date: FamilyDay? = nil) {
    let boundary = rules.boundary
    let date = date ?? day
    (self.rules, self.day, self.date) = (rules, day, date)
    dateEnd = boundary.end(of: date)
    end = boundary.end(of: day)
    horizon = max(end, boundary.end(of: day.advanced(byDays: 1)))
    bedtime = Intervals(rules.bedtime, exceptions: { rules.exception(\.bedtime, on: $0) }, around: date, boundary)
    school = Intervals(rules.school, exceptions: { rules.exception(\.school, on: $0) }, around: date, boundary)
    rewardTimes = Self.rewardTimes(rules, date, boundary)
    breaksStart = boundary.start(of: date.advanced(byDays: -1))
    earlierInWeek = (0..<day.weekday.rawValue).map { day.startOfWeek.advanced(byDays: $0) }
    isLastOfWeek = day.weekday == .sunday
    let next = day.advanced(byDays: 1)
    (weekday, nextWeekday) = (day.weekday, next.weekday)
    dailyLimits = (rules.dailyLimit(on: day), rules.dailyLimit(on: next))
    for subject in rules.apps.keys.map({ Subject.app($0) }) + [.unknown] { prepared[subject] = prepare(subject) }
  }

  private static func rewardTimes(_ rules: RuleSet, _ day: FamilyDay, _ boundary: DayBoundary) -> Intervals? {
    let days = (-2...2).map { day.advanced(byDays: $0) }
    let hasException = days.contains { rules.exception(\.rewardTimes, on: $0) != nil }
    guard rules.rewardTimes != nil || hasException else { return nil }
    let planned = Intervals(
      rules.rewardTimes, exceptions: { rules.exception(\.rewardTimes, on: $0) }, around: day, boundary)
    guard rules.rewardTimes == nil else { return planned }
    // Without a schedule, rewards are allowed on all days except those with an exception.
    let free = days.filter { rules.exception(\.rewardTimes, on: $0) == nil }
    return Intervals(
      planned.spans + free.map { boundary.start(of: $0)..<max(boundary.start(of: $0), boundary.end(of: $0)) })
  }

  public init(_ rules: RuleSet, for situation: Situation) {
    let date = rules.boundary.day(containing: situation.time)
    self.init(rules, day: situation.day, date: situation.time == situation.dayTime ? max(date, situation.day) : date)
  }

  /// Returns whether the plan can be used for a situation; otherwise a new one must be created.
  public func serves(_ situation: Situation) -> Bool {
    situation.day == day && situation.time < dateEnd && situation.dayTime < end
  }

  /// Returns the terms of a program on this day.
  func terms(of subject: Subject) -> Terms { prepared[subject] ?? prepare(subject) }

  /// Returns the hours within which the limits of the day and of the next one hold; `nil` for the
  /// whole day.
  private func hours(of limit: DayLimits?) -> (today: Intervals?, tomorrow: Intervals?) {
    let hours = { (day: Weekday) in limit?[day]?.hours.map { Intervals($0, around: date, rules.boundary) } }
    return (hours(weekday), hours(nextWeekday))
  }

  private func prepare(_ subject: Subject) -> Terms {
    let app = rules.app(subject.app)
    let isEnabled = rules.apps[subject.app]?.isEnabled ?? true
    let use = app.use ?? AppUse(category: .neutral)
    let category = rules.categories[use.category]
    return Terms(
      use: use, rate: rules.rate(of: use),
      isBlocked: subject == .unknown ? app.isBlocked : isEnabled && rules.apps[subject.app]?.isBlocked == true,
      isListed: rules.programs == .all || rules.isListed(subject), isAlwaysAllowed: app.isAlwaysAllowed,
      isPaid: rules.mode == .points && use.category == .reward && !rules.isRemoved && !app.isAlwaysAllowed,
      hours: app.hours.map { Intervals($0, exceptions: { _ in nil }, around: date, rules.boundary) },
      limit: app.limit, limitHours: hours(of: app.limit),
      groups: subject == .unknown || !isEnabled
        ? []
        : rules.groups(of: subject.app).map { name, group in
          GroupTerms(
            name: name, isBlocked: group.isBlocked, limit: group.limit, limitHours: hours(of: group.limit),
            weekly: group.weekly,
            hours: group.hours.map { Intervals($0, exceptions: { _ in nil }, around: date, rules.boundary) })
        }, categoryLimit: category?.limit, categoryWeekly: category?.weekly,
      granted: rules.granted(subject, use.category, on: day))
  }
}

/// What the rules say about one program on one day.
struct Terms: Sendable {
  var use: AppUse
  var rate: PointsRate
  /// A Boolean value that indicates whether it is blocked itself, not by a group.
  var isBlocked: Bool
  /// A Boolean value that indicates whether it may run although only listed applications may.
  var isListed: Bool
  var isAlwaysAllowed: Bool
  /// A Boolean value that indicates whether it costs points or redeemed minutes while it runs.
  var isPaid: Bool
  /// When it may be used; `nil` for always.
  var hours: Intervals?
  var limit: DayLimits?
  /// The hours of the limit on the day and on the next one; `nil` for the whole day.
  var limitHours: (today: Intervals?, tomorrow: Intervals?)
  /// The groups that it is in.
  var groups: [GroupTerms]
  var categoryLimit: DayLimits?
  var categoryWeekly: Int64?
  /// The time granted for it on this day, in milliseconds.
  var granted: Int64
}

/// What the rules say about one group of applications on one day.
struct GroupTerms: Sendable {
  var name: GroupName
  var isBlocked: Bool
  var limit: DayLimits?
  /// The hours of the limit on the day and on the next one; `nil` for the whole day.
  var limitHours: (today: Intervals?, tomorrow: Intervals?)
  var weekly: Int64?
  /// When they may be used; `nil` for always.
  var hours: Intervals?
}
