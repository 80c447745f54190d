import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// What holds for a child, as people read it.
extension ChildStanding {
  /// Returns a verdict as the local API shows it, with the child's name if the reason has to say
  /// whose rule it is.
  func shown(_ verdict: Verdict, of subject: Subject, name: String, whose: String? = nil) -> VerdictToday {
    let words = verdict.reason.map { reason in
      let words = ReasonText.words(
        reason, rules, of: subject, on: situation.day, name: name, carried: carried,
        isToday: isToday)
      let said = verdict.isAllowed ? words : closed(reason, words)
      return whose.map { ReasonText.open(reason, said, of: $0) } ?? said
    }
    return VerdictToday(
      isAllowed: verdict.isAllowed, rule: verdict.reason?.word, reason: words, until: verdict.until.map(time(at:)),
      leftMilliseconds: verdict.until.map { max(0, $0 - situation.boot) })
  }

  /// Returns what a rule means for what it closes; points and redeemed time on other machines are
  /// said to be there.
  private func closed(_ reason: Reason, _ words: Phrase) -> Phrase {
    let waiting =
      switch reason {
      case .points: waitingPoints
      case .redeemedTime: waitingTime
      default: nil as Phrase?
      }
    return waiting ?? ReasonText.closed(reason, words)
  }

  /// What holds for all screen time: the least of the rules that no application escapes.
  var screen: VerdictToday { shown(screenVerdict, of: .unknown, name: "") }

  var screenVerdict: Verdict {
    // Any application that no rule names.
    let any = AppID("latchkey.any").map { Subject.app($0) } ?? .unknown
    return plan.decide(any, in: situation) { reason in
      switch reason {
      case .lock, .bedtime, .breaks, .dailyLimit, .weeklyLimit: true
      default: false
      }
    }
  }

  /// The unused screen time that earlier days of the week left for the day, in milliseconds.
  var carried: Int64 { plan.carried(in: situation) }

  /// The screen time of the day with what was granted and what earlier days left, in milliseconds;
  /// `nil` without a limit.
  var limitMilliseconds: Int64? {
    rules.dailyLimit(on: situation.day).map {
      Int64($0) * 60_000 + carried + ReasonText.granted(rules, to: .unknown, on: situation.day)
        - rules.taken(from: .all, on: situation.day)
    }
  }

  /// Returns what can be taken from the limit a day on some applications, in milliseconds; `nil`
  /// without a limit.
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

  /// Returns an application as the local API shows it.
  func shown(_ app: AppID) -> AppToday {
    let name = name(of: app)
    let verdict = verdict(of: Subject(app))
    return AppToday(
      appID: app, displayName: name, category: verdict.category, usedMilliseconds: today.apps[app] ?? 0,
      verdict: shown(verdict, of: Subject(app), name: name))
  }

  /// The applications that were used today, that run, or that have rules; those in use for the
  /// longest time first, and unknown and other programs at the end.
  var apps: [AppToday] {
    appIDs.map { shown($0) }.sorted {
      if $0.appID.isOfMany != $1.appID.isOfMany { return $1.appID.isOfMany }
      return $0.usedMilliseconds != $1.usedMilliseconds
        ? $0.usedMilliseconds > $1.usedMilliseconds : $0.appID < $1.appID
    }
  }

  /// The names of applications, for words about rules.
  private var terms: RuleTerms {
    RuleTerms(zone: rules.zone, names: Dictionary(uniqueKeysWithValues: appIDs.map { ($0, name(of: $0)) }))
  }

  /// The IDs of these applications.
  var appIDs: Set<AppID> {
    Set(rules.apps.keys).union(today.apps.keys).union(running.map(\.use.appID)).subtracting([.screenTime])
  }

  /// Returns what parents have given and taken of the day, in the order in which they did.
  private var givenAndTaken: [Notice] {
    let day = situation.day
    let given = (rules.grants[day] ?? [:]).map { id, time in
      let words = words(time, Phrase("{time} more today"), for: Phrase("{time} more today for {what}"))
      let word = answerWords[id]
      return (
        id, "more", word == nil ? words : Phrase("{given}, as asked", ["given": .phrase(words)]), word ?? time.reason
      )
    }
    let taken = (rules.deductions[day] ?? [:]).map { id, less in
      (
        id, "less", words(less.time, Phrase("{time} less today"), for: Phrase("{time} less today for {what}")),
        less.reason
      )
    }
    return (given + taken).sorted { $0.0.description < $1.0.description }.map { id, rule, words, reason in
      let arguments: [String: Phrase.Argument] = ["given": .phrase(words), "reason": .text(reason)]
      return Notice(
        app: .screenTime, rule: "\(rule)/\(id)", warning: 0,
        sentence: reason.isEmpty ? Phrase("{given}.", arguments) : Phrase("{given}: {reason}", arguments))
    }
  }

  private func words(_ time: Grant, _ all: Phrase, for some: Phrase) -> Phrase {
    let purpose = time.purpose(terms)
    var words = purpose == nil ? all : some
    words.arguments["time"] = .phrase(SpanText.phrase(minutes: time.minutes))
    if let purpose { words.arguments["what"] = purpose }
    return words
  }

  /// Returns what a person should know now: that a program has little time left or none, and what
  /// parents have given and taken today.
  ///
  /// `shown` is what is known of applications that machines may not close although the rules do not
  /// allow them.
  func notices(_ shown: [AppID: AppToday] = [:]) -> [Notice] {
    var notices = givenAndTaken
    for app in Set(running.filter { !$0.isStale && !$0.use.isPaused }.map(\.use.appID)).subtracting([.screenTime])
      .sorted()
    {
      guard let verdict = verdicts.verdicts[Subject(app)], let reason = verdict.reason else { continue }
      let name = name(of: app)
      let words = ReasonText.words(
        reason, rules, of: Subject(app), on: situation.day, name: name, carried: carried,
        isToday: isToday)
      guard verdict.isAllowed else {
        let why = closed(reason, words)
        notices.append(
          Notice(
            app: app, rule: reason.word, warning: 0,
            sentence: Self.closed(app, name, shown[app]?.excepting(why) ?? why)))
        continue
      }
      guard let left = verdict.until.map({ $0 - situation.boot }),
        let warning = Verdict.warningMilliseconds.last(where: { left <= $0 })
      else { continue }
      notices.append(
        Notice(
          app: app, rule: reason.word, warning: warning,
          sentence: Phrase(
            "{app}: {time} left ({rule}).",
            ["app": .text(name), "time": .phrase(SpanText.phrase(left: left)), "rule": .phrase(words)])))
    }
    return notices
  }

  /// Returns the sentence on an application that is not allowed, of which several go by one name if
  /// it stands for many.
  private static func closed(_ app: AppID, _ name: String, _ why: Phrase) -> Phrase {
    app.isOfMany
      ? Phrase("{app} are not allowed now: {why}.", ["app": .phrase(ProgramsName.phrase(name)), "why": .phrase(why)])
      : Phrase("{app} is not allowed now: {why}.", ["app": .text(name), "why": .phrase(why)])
  }

  /// A sentence that a person should know now.
  struct Notice: Hashable, Sendable {
    var app: AppID
    var rule: String
    /// The remaining time to which it belongs, in milliseconds; 0 if the time is over.
    var warning: Int64
    var sentence: Phrase
  }

  /// Returns that an application is always allowed, as a rule that was considered; none if it is
  /// not, or is blocked.
  private func alwaysAllowed(_ app: AppID) -> [ChildExplanation.Rule] {
    let all = rules.app(app)
    guard all.isAlwaysAllowed, !all.isBlocked, !rules.isRemoved else { return [] }
    let groups = rules.apps[app]?.isAlwaysAllowed == true ? [] : rules.groups(of: app).map(\.name.text)
    let words =
      groups.isEmpty
      ? Phrase("always allowed")
      : Phrase(
        one: "always allowed by the group {groups}", other: "always allowed by the groups {groups}",
        count: groups.count,
        ["groups": .list(groups.map { .phrase(.quoted($0)) })])
    return [ChildExplanation.Rule("alwaysAllowed", words, isOpen: true, left: nil)]
  }

  /// Returns what each rule says of an application.
  func explained(_ app: AppID) -> [ChildExplanation.Rule] {
    let name = name(of: app)
    return alwaysAllowed(app)
      + plan.explain(Subject(app), in: situation).considered.map { reason, standing in
        let words = ReasonText.words(
          reason, rules, of: Subject(app), on: situation.day, name: name, carried: carried, isToday: isToday)
        return switch standing {
        case .open(let left): ChildExplanation.Rule(reason.word, words, isOpen: true, left: left)
        case .closed(let left):
          ChildExplanation.Rule(
            reason.word, (reason == .points ? waitingPoints : nil) ?? words, isOpen: false, left: left)
        }
      }
  }
}

extension ChildExplanation.Rule {
  fileprivate init(_ rule: String, _ phrase: Phrase, isOpen: Bool, left: Int64?) {
    self.init(rule: rule, words: phrase.worded(), phrase: phrase, isOpen: isOpen, leftMilliseconds: left)
  }
}
