import LatchkeyModel

/// The rule that closes an application, or leaves it the least time.
///
/// The cases are in the order in which rules are considered.
public enum Reason: Hashable, Sendable {
  case blocked
  /// A parent blocked a group that the application is in.
  case groupBlocked(GroupName)
  case unknownProgram
  /// Only applications that a parent has listed may run.
  case notListed
  case lock, bedtime
  /// It is time for a break from the screen.
  case breaks
  case school, rewardTimes
  /// The application is allowed only at its hours.
  case appHours
  /// The group is allowed only at its hours.
  case groupHours(GroupName)
  case appLimit
  case groupLimit(GroupName)
  case categoryLimit(AppCategory)
  case dailyLimit
  case groupWeekly(GroupName)
  case categoryWeekly(AppCategory)
  /// The limit on all screen time a week.
  case weeklyLimit
  /// The points that the child may spend on this machine.
  case points
  /// The minutes that the child has redeemed.
  case redeemedTime
  /// It costs points or minutes, and no child is named in a shared account.
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

/// The words that tell people why an application is open or closed.
public enum ReasonText {
  /// Returns a rule in words, such as "2 h of screen time a day", "4 h of screen time on
  /// 2026-12-23..2027-01-06 (Christmas)" or "bedtime".
  ///
  /// `rules` are the child's. `subject` is the program that the rule is applied to, and `name` its
  /// name. `day` is the family day. `carried` is the unused screen time of earlier days, in
  /// milliseconds. With `isToday`, `day` is the reader's present day, and the words call it today.
  public static func words(
    _ reason: Reason, _ rules: RuleSet, of subject: Subject, on day: FamilyDay, name: String, carried: Int64 = 0,
    isToday: Bool = false
  ) -> Phrase {
    switch reason {
    case .blocked: return Phrase("{app} is blocked", ["app": .text(name)])
    case .groupBlocked(let group): return Phrase("group {group} is blocked", ["group": .text(group.text)])
    case .unknownProgram: return Phrase("unknown programs are blocked")
    case .notListed: return Phrase("only listed applications may run")
    case .lock: return Phrase("locked by a parent")
    case .bedtime: return Phrase("bedtime")
    case .breaks: return rules.breaks?.phrase ?? Phrase("a break")
    case .school: return Phrase("school time")
    case .rewardTimes: return Phrase("reward times")
    case .appHours: return Phrase("the hours of {app}", ["app": .text(name)])
    case .groupHours(let group): return Phrase("the hours of group {group}", ["group": .text(group.text)])
    case .groupLimit(let group):
      guard let limit = rules.groups[group]?.limit?[day.weekday] else { return someLimit }
      return limitText(limit, Self.group(group), rules, subject, day, from: .app(subject.app))
    case .groupWeekly(let group):
      guard let limit = rules.groups[group]?.weekly else { return someWeeklyLimit }
      return weekText(limit, Self.group(group), rules, subject, day)
    case .appLimit:
      guard case .app(let id) = subject, let limit = rules.app(id).limit?[day.weekday] else { return someLimit }
      return limitText(limit, .text(name), rules, subject, day, from: .app(subject.app))
    case .categoryLimit(let category):
      guard let limit = rules.categories[category]?.limit?[day.weekday] else { return someLimit }
      return limitText(limit, .phrase(plural(category)), rules, subject, day, from: .category(category))
    case .dailyLimit:
      guard let limit = rules.dailyLimit(on: day) else { return someLimit }
      let when = rules.daysOfLimit(on: day, isToday: isToday) ?? Phrase("a day")
      let text = limitText(DayLimit(limit), nil, rules, subject, day, from: .all, when)
      guard carried >= 60_000 else { return text }
      let unused = Phrase.Argument.phrase(SpanText.phrase(whole: carried))
      return isNothing(text)
        ? Phrase("{unused} of screen time from earlier days", ["unused": unused])
        : Phrase("{rule} and {unused} from earlier days", ["rule": .phrase(text), "unused": unused])
    case .categoryWeekly(let category):
      guard let limit = rules.categories[category]?.weekly else { return someWeeklyLimit }
      return weekText(limit, .phrase(plural(category)), rules, subject, day)
    case .weeklyLimit:
      guard let limit = rules.weeklyLimit else { return someWeeklyLimit }
      return weekText(limit, nil, rules, subject, day)
    case .points: return Phrase("points")
    case .redeemedTime: return Phrase("redeemed minutes")
    case .unnamed: return Phrase("nobody has said who is here; type `latchkey me --i-am` and your name")
    }
  }

  /// Returns the words for a rule that closes, such as "2 h of screen time a day are used".
  public static func closed(_ reason: Reason, _ words: Phrase) -> Phrase {
    switch reason {
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit:
      guard isNothing(words) else { return Phrase("{rule} are used", ["rule": .phrase(words)]) }
      // A limit of 0 minutes cannot be used up.
      return words.arguments["what"] == nil
        ? Phrase("no screen time {when}", words.arguments) : Phrase("no {what} {when}", words.arguments)
    case .rewardTimes, .appHours, .groupHours: return Phrase("outside of {hours}", ["hours": .phrase(words)])
    case .points: return Phrase("no points are left")
    case .redeemedTime: return Phrase("no redeemed minutes are left")
    case .blocked, .groupBlocked, .unknownProgram, .notListed, .lock, .bedtime, .breaks, .school, .unnamed: return words
    }
  }

  /// Returns the words for a child's rule that closes in a shared account, such as "Ben's bedtime".
  public static func closed(_ reason: Reason, _ words: Phrase, of child: String) -> Phrase {
    open(reason, closed(reason, words), of: child)
  }

  /// Returns the words for a child's rule in a shared account, such as "Ben's 2 h of screen time a
  /// day".
  public static func open(_ reason: Reason, _ words: Phrase, of child: String) -> Phrase {
    let arguments: [String: Phrase.Argument] = ["child": .text(child), "rule": .phrase(words)]
    let (his, forChild) = (Phrase("{child}'s {rule}", arguments), Phrase("{rule} for {child}", arguments))
    switch reason {
    case .unnamed: return words
    case .bedtime, .school: return his
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit:
      return words.arguments["limit"] != nil && isNothing(words) && words.text.hasPrefix("no ") ? forChild : his
    default: return forChild
    }
  }

  /// Returns the milliseconds that were granted for a program on a day.
  public static func granted(_ rules: RuleSet, to subject: Subject, on day: FamilyDay) -> Int64 {
    let category: AppCategory =
      if case .app(let id) = subject { rules.app(id).use?.category ?? .neutral } else { .neutral }
    return rules.granted(subject, category, on: day)
  }

  private static let someLimit = Phrase("a limit a day")
  private static let someWeeklyLimit = Phrase("a limit a week")

  private static func group(_ name: GroupName) -> Phrase.Argument {
    .phrase(Phrase("group {group}", ["group": .text(name.text)]))
  }

  /// Returns whether words are those of a limit of 0 minutes.
  private static func isNothing(_ words: Phrase) -> Bool {
    words.arguments["limit"] == .phrase(SpanText.phrase(minutes: 0))
  }

  private static func weekText(
    _ minutes: Int64, _ what: Phrase.Argument?, _ rules: RuleSet, _ subject: Subject, _ day: FamilyDay
  ) -> Phrase {
    // Time that was granted on earlier days of the week was for those days.
    let extra = max(0, granted(rules, to: subject, on: day) / 60_000)
    return text(Int(clamping: minutes), extra, what, Phrase("a week"))
  }

  private static func limitText(
    _ limit: DayLimit, _ what: Phrase.Argument?, _ rules: RuleSet, _ subject: Subject, _ day: FamilyDay,
    from scope: GrantScope, _ when: Phrase = Phrase("a day")
  ) -> Phrase {
    let extra = (granted(rules, to: subject, on: day) - rules.taken(from: scope, on: day)) / 60_000
    return text(limit.minutes, extra, what, limit.hoursPhrase ?? when)
  }

  /// Returns a limit in words, with the extra minutes, of `what` or, without it, of screen time.
  private static func text(_ minutes: Int, _ extra: Int64, _ what: Phrase.Argument?, _ when: Phrase) -> Phrase {
    let span = SpanText.phrase(minutes: minutes)
    if extra < 0, minutes > 0, extra + Int64(minutes) <= 0 {
      let taken = Phrase("today, because the whole {time} was taken away", ["time": .phrase(span)])
      return text(0, 0, what, taken)
    }
    let other = Phrase.Argument.phrase(SpanText.phrase(minutes: Int(clamping: extra.magnitude)))
    let limit =
      extra == 0
      ? span
      : extra > 0
        ? Phrase("{time} plus {more}", ["time": .phrase(span), "more": other])
        : Phrase("{time} less {less}", ["time": .phrase(span), "less": other])
    let arguments: [String: Phrase.Argument] = ["limit": .phrase(limit), "when": .phrase(when)]
    guard let what else { return Phrase("{limit} of screen time {when}", arguments) }
    return Phrase("{limit} of {what} {when}", arguments.merging(["what": what]) { $1 })
  }

  /// Returns the words for all applications of a category.
  public static func plural(_ category: AppCategory) -> Phrase {
    switch category {
    case .learning: Phrase("learning")
    case .reward: Phrase("rewards")
    case .neutral: Phrase("neutral applications")
    }
  }
}
