import LatchkeyModel

/// The rules about one program on one day.
final class Terms: Sendable {
  let subject: Subject
  let category: AppCategory
  let rate: PointsRate
  /// A Boolean value that indicates whether it is blocked itself, not by a group.
  let isBlocked: Bool
  /// A Boolean value that indicates whether it may run although only listed applications may.
  let isListed: Bool
  let isAlwaysAllowed: Bool
  /// A Boolean value that indicates whether it costs points or redeemed minutes while it runs.
  let isPaid: Bool
  /// When it may be used; `nil` for always.
  let hours: Intervals?
  let limit: TimeLimit?
  let groups: [GroupTerms]
  let categoryLimit: TimeLimit?
  let categoryWeekly: Int64?
  let granted: GrantedTime

  /// Creates the terms of a program on a day; times of the day are those of `date`.
  init(_ subject: Subject, _ rules: RuleSet, day: FamilyDay, date: FamilyDay) {
    let app = rules.app(subject.app)
    let own = rules.apps[subject.app]
    let isEnabled = own?.isEnabled ?? true
    let use = app.use ?? AppUse(category: .neutral)
    let granted = GrantedTime(day) { rules.granted(subject, use.category, on: $0) }
    func limit(_ limits: DayLimits?, _ scope: GrantScope) -> TimeLimit? {
      limits.map {
        TimeLimit($0, extra: granted.today - rules.taken(from: scope, on: day), rules, day: day, date: date)
      }
    }
    func hours(_ windows: WeekWindows?) -> Intervals? {
      windows.map { Intervals($0, exceptions: { _ in nil }, around: date, rules.boundary) }
    }
    (self.subject, category, self.granted) = (subject, use.category, granted)
    rate = rules.rate(of: use)
    isBlocked = subject == .unknown ? app.isBlocked : isEnabled && own?.isBlocked == true
    isListed = rules.programs == .all || rules.isListed(subject)
    isAlwaysAllowed = app.isAlwaysAllowed
    isPaid = rules.mode == .points && use.category == .reward && !rules.isRemoved && !app.isAlwaysAllowed
    self.hours = hours(app.hours)
    self.limit = limit(app.limit, .app(subject.app))
    groups =
      subject == .unknown || !isEnabled
      ? []
      : rules.groups(of: subject.app).map { name, group in
        GroupTerms(
          name: name, isBlocked: group.isBlocked, limit: limit(group.limit, .app(subject.app)), weekly: group.weekly,
          hours: hours(group.hours))
      }
    categoryLimit = limit(rules.categories[use.category]?.limit, .category(use.category))
    categoryWeekly = rules.categories[use.category]?.weekly
  }
}

/// The rules about one group of applications on one day.
struct GroupTerms: Sendable {
  var name: GroupName
  var isBlocked: Bool
  var limit: TimeLimit?
  var weekly: Int64?
  /// When they may be used; `nil` for always.
  var hours: Intervals?
}

/// A limit of time on a day and on the next one.
struct TimeLimit: Sendable {
  /// The milliseconds on the day, with what was granted and taken away; `nil` for no limit.
  var today: Int64?
  /// The milliseconds on the next day; `nil` for no limit.
  var tomorrow: Int64?
  /// The hours within which use counts on each day; `nil` for the whole day.
  var hours: (today: Intervals?, tomorrow: Intervals?) = (nil, nil)
}

extension TimeLimit {
  /// Creates the limits of a day and of the next one; `extra` milliseconds are added to the day's.
  init(_ limits: DayLimits, extra: Int64, _ rules: RuleSet, day: FamilyDay, date: FamilyDay) {
    let (first, second) = (limits[day.weekday], limits[day.advanced(byDays: 1).weekday])
    let hours = { (limit: DayLimit?) in limit?.hours.map { Intervals($0, around: date, rules.boundary) } }
    self.init(
      today: first.map { $0.milliseconds + extra }, tomorrow: second?.milliseconds,
      hours: (hours(first), hours(second)))
  }
}

/// The time that was granted on a day and on the days of its week before it, in milliseconds.
struct GrantedTime: Sendable {
  let earlier: [Int64]
  let today: Int64

  /// Creates the time of a day from what `granted` returns for each day.
  init(_ day: FamilyDay, _ granted: (FamilyDay) -> Int64) {
    (earlier, today) = (day.earlierInWeek.map(granted), granted(day))
  }
}

extension FamilyDay {
  /// The days of its week before it.
  var earlierInWeek: [FamilyDay] { (0..<weekday.rawValue).map { startOfWeek.advanced(byDays: $0) } }
}
