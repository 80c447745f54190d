import LatchkeyModel

/// The rule that closes an application or leaves it time, in the order in which rules are named.
public enum Reason: Hashable, Sendable {
  /// A parent blocked the application.
  case blocked
  /// A parent blocked a group that the application is in.
  case groupBlocked(GroupName)
  case unknownProgram
  /// Only applications that a parent has listed may run.
  case notListed
  case lock
  case bedtime
  /// It is time for a break from the screen.
  case breaks
  case school
  case rewardTimes
  /// The application is allowed only at its hours.
  case appHours
  /// The group is allowed only at its hours.
  case groupHours(GroupName)
  /// The application's limit a day.
  case appLimit
  /// The group's limit a day.
  case groupLimit(GroupName)
  /// The category's limit a day.
  case categoryLimit(AppCategory)
  /// The limit on all screen time a day.
  case dailyLimit
  /// The group's limit a week.
  case groupWeekly(GroupName)
  /// The category's limit a week.
  case categoryWeekly(AppCategory)
  /// The limit on all screen time a week.
  case weeklyLimit
  /// The points that the child may spend on this machine.
  case points
  /// The minutes that the child has redeemed.
  case redeemedTime
  /// It costs points or redeemed minutes, several children share the account, and none has said who
  /// is there.
  case unnamed

  /// The word for the rule in reports: the key of its register where there is one.
  public var word: String {
    switch self {
    case .blocked: "blocked"
    case .groupBlocked(let name): "groupBlocked \(name.text)"
    case .unknownProgram: "unknownPrograms"
    case .notListed: "programs"
    case .lock: "lock"
    case .bedtime: "bedtime"
    case .breaks: "breaks"
    case .school: "school"
    case .rewardTimes: "rewardTimes"
    case .appHours: "appHours"
    case .groupHours(let name): "groupHours \(name.text)"
    case .appLimit: "appLimit"
    case .groupLimit(let name): "groupLimit \(name.text)"
    case .categoryLimit(let category): "\(category.rawValue)Limit"
    case .dailyLimit: "dailyLimit"
    case .groupWeekly(let name): "groupWeekly \(name.text)"
    case .categoryWeekly(let category): "\(category.rawValue)Weekly"
    case .weeklyLimit: "weeklyLimit"
    case .points: "points"
    case .redeemedTime: "redeemedTime"
    case .unnamed: "unnamed"
    }
  }
}

/// The words in which people read why something is open or closed.
public enum ReasonText {
  /// Returns a rule in words, such as "2 h of screen time a day", "4 h of screen time on
  /// 2026-12-23..2027-01-06 (Christmas)" or "bedtime".
  ///
  /// `rules` are the child's, `subject` is what the rule is applied to, `day` is the family's, and
  /// `name` is that of the application, and `carried` the unused screen time of earlier days, in
  /// milliseconds. With `isToday`, `day` is the present one for whoever reads the words, so that it
  /// is called today.
  public static func words(
    _ reason: Reason, _ rules: RuleSet, of subject: Subject, on day: FamilyDay, name: String, carried: Int64 = 0,
    isToday: Bool = false
  ) -> String {
    switch reason {
    case .blocked: return "\(name) is blocked"
    case .groupBlocked(let group): return "group \(group.text) is blocked"
    case .unknownProgram: return "unknown programs are blocked"
    case .notListed: return "only listed applications may run"
    case .lock: return "locked by a parent"
    case .bedtime: return "bedtime"
    case .breaks: return rules.breaks?.words ?? "a break"
    case .school: return "school time"
    case .rewardTimes: return "reward times"
    case .appHours: return "the hours of \(name)"
    case .groupHours(let group): return "the hours of group \(group.text)"
    case .groupLimit(let group):
      guard let limit = rules.groups[group]?.limit?[day.weekday] else { return "a limit a day" }
      return limitText(limit, "of group \(group.text)", rules, subject, day, from: .app(subject.app))
    case .groupWeekly(let group):
      guard let limit = rules.groups[group]?.weekly else { return "a limit a week" }
      return weekText(limit, "of group \(group.text)", rules, subject, day)
    case .appLimit:
      guard case .app(let id) = subject, let limit = rules.app(id).limit?[day.weekday] else { return "a limit a day" }
      return limitText(limit, "of \(name)", rules, subject, day, from: .app(subject.app))
    case .categoryLimit(let category):
      guard let limit = rules.categories[category]?.limit?[day.weekday] else { return "a limit a day" }
      return limitText(limit, "of \(plural(category))", rules, subject, day, from: .category(category))
    case .dailyLimit:
      guard let limit = rules.dailyLimit(on: day) else { return "a limit a day" }
      let when = rules.daysOfLimit(on: day, isToday: isToday) ?? "a day"
      let text = limitText(DayLimit(limit), "of screen time", rules, subject, day, from: .all, when)
      guard carried >= 60_000 else { return text }
      let unused = SpanText.minutes(Int(clamping: carried / 60_000))
      return text.hasPrefix("0 min of ")
        ? "\(unused) of screen time from earlier days" : "\(text) and \(unused) from earlier days"
    case .categoryWeekly(let category):
      guard let limit = rules.categories[category]?.weekly else { return "a limit a week" }
      return weekText(limit, "of \(plural(category))", rules, subject, day)
    case .weeklyLimit:
      guard let limit = rules.weeklyLimit else { return "a limit a week" }
      return weekText(limit, "of screen time", rules, subject, day)
    case .points: return "points"
    case .redeemedTime: return "redeemed minutes"
    case .unnamed: return "nobody has said who is here; type `latchkey me --i-am` and your name"
    }
  }

  /// Returns what the rule means for what it closes, such as "2 h of screen time a day are used".
  public static func closed(_ reason: Reason, _ words: String) -> String {
    switch reason {
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit:
      // A limit of nothing cannot be used.
      words.hasPrefix("0 min of ") ? "no \(words.dropFirst(9))" : "\(words) are used"
    case .rewardTimes, .appHours, .groupHours: "outside of \(words)"
    case .points: "no points are left"
    case .redeemedTime: "no redeemed minutes are left"
    case .blocked, .groupBlocked, .unknownProgram, .notListed, .lock, .bedtime, .breaks, .school, .unnamed: words
    }
  }

  /// Returns what the rule of one of several children who share an account means for what it
  /// closes, such as "Ben's bedtime".
  public static func closed(_ reason: Reason, _ words: String, of child: String) -> String {
    open(reason, closed(reason, words), of: child)
  }

  /// Returns the rule of one of several children who share an account in words, such as "Ben's 2 h
  /// of screen time a day".
  public static func open(_ reason: Reason, _ words: String, of child: String) -> String {
    switch reason {
    case .unnamed: words
    case .bedtime, .school: "\(child)'s \(words)"
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit:
      words.hasPrefix("no ") ? "\(words) for \(child)" : "\(child)'s \(words)"
    default: "\(words) for \(child)"
    }
  }

  /// Returns the milliseconds that were granted for something on a day.
  public static func granted(_ rules: RuleSet, to subject: Subject, on day: FamilyDay) -> Int64 {
    let category: AppCategory =
      if case .app(let id) = subject { rules.app(id).use?.category ?? .neutral } else { .neutral }
    return rules.granted(subject, category, on: day)
  }

  private static func weekText(
    _ minutes: Int64, _ what: String, _ rules: RuleSet, _ subject: Subject, _ day: FamilyDay
  ) -> String {
    // What was granted on earlier days of the week was for those days.
    let extra = granted(rules, to: subject, on: day) / 60_000
    let granted = extra > 0 ? " and \(SpanText.minutes(Int(clamping: extra))) more" : ""
    return "\(SpanText.minutes(Int(clamping: minutes)))\(granted) \(what) a week"
  }

  private static func limitText(
    _ limit: DayLimit, _ what: String, _ rules: RuleSet, _ subject: Subject, _ day: FamilyDay, from scope: GrantScope,
    _ when: String = "a day"
  ) -> String {
    let extra = (granted(rules, to: subject, on: day) - rules.taken(from: scope, on: day)) / 60_000
    let granted =
      extra == 0
      ? ""
      : extra > 0
        ? " and \(SpanText.minutes(Int(clamping: extra))) more" : " less \(SpanText.minutes(Int(clamping: -extra)))"
    return "\(SpanText.minutes(limit.minutes))\(granted) \(what) \(limit.hoursInWords ?? when)"
  }

  /// Returns what the applications of a category are called together.
  public static func plural(_ category: AppCategory) -> String {
    switch category {
    case .learning: "learning"
    case .reward: "rewards"
    case .neutral: "neutral applications"
    }
  }
}
