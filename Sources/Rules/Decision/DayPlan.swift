import LatchkeyModel

/// The use on one family day, in milliseconds, with each instant counted once.
///
/// It covers the child's use on all machines, as far as this machine knows it.
public struct DayUse: Hashable, Sendable {
  /// The time for which anything was in use.
  public var screen: Int64
  /// The time for which anything of a category was in use.
  public var categories: [AppCategory: Int64]
  /// The time for which each application was in use.
  public var apps: [AppID: Int64]
  /// The time for which anything of each group was in use.
  public var groups: [GroupName: Int64]
  /// The time of applications within the hours of their limits, where these have any.
  public var appsWithin: [AppID: Int64]
  /// The time for which anything of each group was in use within the hours of its limit.
  public var groupsWithin: [GroupName: Int64]

  public init(
    screen: Int64 = 0, categories: [AppCategory: Int64] = [:], apps: [AppID: Int64] = [:],
    groups: [GroupName: Int64] = [:], appsWithin: [AppID: Int64] = [:], groupsWithin: [GroupName: Int64] = [:]
  ) {
    (self.screen, self.categories, self.apps) = (screen, categories, apps)
    (self.groups, self.appsWithin, self.groupsWithin) = (groups, appsWithin, groupsWithin)
  }

  /// Returns the time that counts for an application's limit.
  public func used(_ app: AppID, for limit: DayLimit?) -> Int64 {
    (limit?.hours == nil ? apps[app] : appsWithin[app]) ?? 0
  }

  /// Returns the time that counts for a group's limit.
  public func used(group: GroupName, for limit: DayLimit?) -> Int64 {
    (limit?.hours == nil ? groups[group] : groupsWithin[group]) ?? 0
  }
}

/// Minutes that a child has redeemed and not used yet.
public struct RedeemedTime: Hashable, Sendable {
  public var milliseconds: Int64
  /// The last family day on which they can be used.
  public var lastDay: FamilyDay

  public init(milliseconds: Int64, lastDay: FamilyDay) { (self.milliseconds, self.lastDay) = (milliseconds, lastDay) }
}

/// The state of a child that a decision depends on at one instant, besides the rules.
public struct Situation: Hashable, Sendable {
  public var boot: BootInstant
  /// The time that decides about times of the day, in Unix milliseconds (`HouseholdClock`).
  public var time: Int64
  /// The time that decides about days, in Unix milliseconds (`HouseholdClock`).
  ///
  /// It is in `day` or before it.
  public var dayTime: Int64
  /// The family day (`HouseholdClock`).
  public var day: FamilyDay
  /// The use by family day, up to this instant.
  public var use: [FamilyDay: DayUse]
  /// The times since the previous day from which breaks follow, in Unix milliseconds.
  public var presence: SpanSet
  /// The milli-points that may be spent on this machine after all use up to this instant.
  public var spendable: Int64
  /// The redeemed minutes that are left at this instant.
  public var redeemed: [RedeemedTime]
  /// The programs that run, by the number of the child's account in which they run.
  public var running: [UInt32: Set<Subject>]
  /// A Boolean value that indicates whether no child is named in a shared account, so none can pay.
  public var isUnnamed = false

  public init(
    boot: BootInstant, time: Int64, dayTime: Int64? = nil, day: FamilyDay, use: [FamilyDay: DayUse] = [:],
    presence: SpanSet = SpanSet(), spendable: Int64 = 0, redeemed: [RedeemedTime] = [],
    running: [UInt32: Set<Subject>] = [:]
  ) {
    (self.boot, self.time, self.dayTime, self.day, self.use) = (boot, time, dayTime ?? time, day, use)
    (self.presence, self.spendable, self.redeemed, self.running) = (presence, spendable, redeemed, running)
  }

  /// The use of the day, and of later days that a wrong clock had reached.
  public var today: DayUse { use(counting: day) }

  func use(counting day: FamilyDay) -> DayUse {
    var today = use[day] ?? DayUse()
    for (later, use) in use where later > day { today.add(use) }
    return today
  }
}

/// A child's rules, worked out for one family day.
///
/// It is created once a day, and when the rules change. Decisions with it are cheap; it is a class
/// so that they do not copy it.
///
/// Spec: Protocol/11-rules.md §5.
public final class DayPlan: Sendable {
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
  /// The days of the week before the day.
  let earlierInWeek: [FamilyDay]
  /// A Boolean value that indicates whether the next day begins a week.
  let isLastOfWeek: Bool
  /// The limits on screen time in milliseconds, less the time that was taken away; `nil` for none.
  let screenLimits: (earlier: [Int64?], today: Int64?, tomorrow: Int64?)
  /// The most unused screen time that is carried over to the next day, in milliseconds.
  let carryOver: (earlier: [Int64], today: Int64)
  /// The time that was granted, whatever it is for.
  let granted: GrantedTime
  /// The terms of each application that has rules, of other programs, and of unknown programs.
  let prepared: [Subject: Terms]

  /// Creates the plan of a day; without `date`, the times of the day are those of `day`.
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
    earlierInWeek = day.earlierInWeek
    isLastOfWeek = day.weekday == .sunday
    func screenLimit(_ day: FamilyDay) -> Int64? {
      rules.dailyLimit(on: day).map { Int64($0) * 60_000 - rules.taken(from: .all, on: day) }
    }
    let tomorrow = rules.dailyLimit(on: day.advanced(byDays: 1)).map { Int64($0) * 60_000 }
    screenLimits = (earlierInWeek.map(screenLimit), screenLimit(day), tomorrow)
    func goesOver(from day: FamilyDay) -> Int64 {
      let next = day.advanced(byDays: 1)
      return rules.hasOwnLimit(on: next) || next.weekday == .monday ? 0 : (rules.carryOver ?? 0) * 60_000
    }
    carryOver = (earlierInWeek.map(goesOver), goesOver(from: day))
    granted = GrantedTime(day, rules.grantedForAnything)
    let subjects = rules.apps.keys.map(Subject.app) + [.app(.otherPrograms), .unknown]
    prepared = Dictionary(subjects.map { ($0, Terms($0, rules, day: day, date: date)) }) { first, _ in first }
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

  public convenience init(_ rules: RuleSet, for situation: Situation) {
    let date = rules.boundary.day(containing: situation.time)
    self.init(rules, day: situation.day, date: situation.time == situation.dayTime ? max(date, situation.day) : date)
  }

  /// Returns whether the plan can be used for a situation; otherwise a new one must be created.
  public func serves(_ situation: Situation) -> Bool {
    situation.day == day && situation.time < dateEnd && situation.dayTime < end
  }

  func terms(of subject: Subject) -> Terms { prepared[subject] ?? Terms(subject, rules, day: day, date: date) }

  /// Returns the fewest minutes that would open the limits on a program; `nil` if none would.
  public func missingMinutes(for subject: Subject, in situation: Situation) -> Int? {
    guard let id = CommandID(bytes: [UInt8](repeating: 0, count: 16)) else { return nil }
    func isClosed(with minutes: Int) -> Bool {
      var rules = rules
      if minutes > 0 { rules.grants[day, default: [:]][id] = Grant(minutes: minutes, scope: .all) }
      return DayPlan(rules, day: day, date: date).explain(subject, in: situation).considered.contains {
        guard case .closed = $0.standing else { return false }
        return $0.reason.isLimit
      }
    }
    var (closed, open) = (0, 1_440)
    guard isClosed(with: closed), !isClosed(with: open) else { return nil }
    while open - closed > 1 {
      let middle = (closed + open) / 2
      if isClosed(with: middle) { closed = middle } else { open = middle }
    }
    return open
  }
}

extension Reason {
  /// A Boolean value that indicates whether it is a limit, which granted time raises.
  package var isLimit: Bool {
    switch self {
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit: true
    default: false
    }
  }
}
