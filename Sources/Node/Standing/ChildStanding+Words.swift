import LatchkeyModel
import LatchkeyRules

/// What holds for a child, as people read it.
extension ChildStanding {
  /// Returns a verdict as the local API shows it; `whose` names the child whose rule it is.
  func shown(_ verdict: Verdict, of subject: Subject, name: String, whose: String? = nil) -> VerdictToday {
    let words = verdict.reason.map { reason in
      let words = self.words(reason, of: subject, name: name)
      let said = verdict.isAllowed ? words : closed(reason, words)
      return whose.map { ReasonText.open(reason, said, of: $0) } ?? said
    }
    return VerdictToday(
      isAllowed: verdict.isAllowed, rule: verdict.reason?.word, reason: words, until: verdict.until.map(time(at:)),
      leftMilliseconds: verdict.until.map { max(0, $0 - situation.boot) })
  }

  /// Returns what a rule means for what it closes; points and redeemed time may be elsewhere.
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

  /// Returns an application with a verdict on it, by default that of the child's own rules.
  func shown(_ app: AppID, _ verdict: Verdict? = nil, whose: String? = nil) -> AppToday {
    let (name, verdict) = (name(of: app), verdict ?? self.verdict(of: Subject(app)))
    return AppToday(
      appID: app, displayName: name, category: verdict.category, usedMilliseconds: today.apps[app] ?? 0,
      verdict: shown(verdict, of: Subject(app), name: name, whose: whose))
  }

  /// The applications that were used today, run or have rules: the longest use first.
  var apps: [AppToday] {
    appIDs.map { shown($0) }.sorted {
      if $0.appID.isOfMany != $1.appID.isOfMany { return $1.appID.isOfMany }
      return $0.usedMilliseconds != $1.usedMilliseconds
        ? $0.usedMilliseconds > $1.usedMilliseconds : $0.appID < $1.appID
    }
  }

  private var terms: RuleTerms {
    RuleTerms(zone: rules.zone, names: Dictionary(uniqueKeysWithValues: appIDs.map { ($0, name(of: $0)) }))
  }

  var appIDs: Set<AppID> {
    Set(rules.apps.keys).union(today.apps.keys).union(running.map(\.use.appID)).subtracting([.screenTime])
  }

  /// What parents have given and taken of the day, in the order in which they did.
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
  /// `shown` has the applications that machines may leave open although the rules close them.
  func notices(_ shown: [AppID: AppToday] = [:]) -> [Notice] {
    var notices = givenAndTaken
    for app in Set(running.filter { !$0.isStale && !$0.use.isPaused }.map(\.use.appID)).subtracting([.screenTime])
      .sorted()
    {
      guard let verdict = verdicts.verdicts[Subject(app)], let reason = verdict.reason else { continue }
      let name = name(of: app)
      let words = self.words(reason, of: Subject(app), name: name)
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

  /// Returns the sentence on an application, or many programs, that may not be used.
  private static func closed(_ app: AppID, _ name: String, _ why: Phrase) -> Phrase {
    app.isOfMany
      ? Phrase("{app} are not allowed now: {why}.", ["app": .phrase(ProgramsName.phrase(name)), "why": .phrase(why)])
      : Phrase("{app} is not allowed now: {why}.", ["app": .text(name), "why": .phrase(why)])
  }

  /// A sentence that a person should know now.
  struct Notice: Hashable, Sendable {
    var app: AppID
    var rule: String
    /// Milliseconds of remaining time that it warns of; 0 if the time is over.
    var warning: Int64
    var sentence: Phrase
  }
}

public struct CategoryToday: Hashable, Sendable, Codable {
  public var category: AppCategory
  /// Milliseconds in which anything of it was in use.
  public var usedMilliseconds: Int64

  static func list(_ categories: [AppCategory: Int64]) -> [CategoryToday] {
    AppCategory.allCases.compactMap { category in
      categories[category].map { CategoryToday(category: category, usedMilliseconds: $0) }
    }
  }
}

/// What the rules say of something now.
public struct VerdictToday: Hashable, Sendable, Codable {
  public var isAllowed: Bool
  /// The word for the rule that closes it, now or at `until`; `nil` if none does soon.
  public var rule: String?
  /// The same in words, such as "2 h a day are used"; `nil` without a rule.
  public var reason: Phrase?
  /// Unix milliseconds when it closes or, if it is closed, may open; `nil` if not in sight.
  public var until: Int64?
  public var leftMilliseconds: Int64?
}

extension VerdictToday {
  /// The verdict on what is closed as a program that no rule names, whatever its own rules say.
  init(closedBecause words: Phrase) { self.init(isAllowed: false, reason: words) }

  /// A Boolean value that indicates whether the reason ends with an exception; a time behind it
  /// would seem to be that of the exception.
  package var hasException: Bool { reason?.text.hasPrefix("{reason}, but ") ?? false }
}

public struct AppToday: Hashable, Sendable, Codable {
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
  public var usedMilliseconds: Int64
  public var verdict: VerdictToday
  /// A Boolean value that indicates whether no machine closes it although the rules do.
  public var isLeftOpen = false
  /// A Boolean value that indicates whether a machine of the child's leaves it open although the
  /// rules close it, at least in some folders.
  public var isPartlyOpen = false

  /// Returns words that say that the rules do not allow it, with what machines do otherwise.
  package func excepting(_ words: Phrase) -> Phrase {
    let arguments: [String: Phrase.Argument] = ["reason": .phrase(words)]
    return switch (isLeftOpen, isPartlyOpen, appID.isOfMany) {
    case (true, _, false): Phrase("{reason}, but nothing closes it", arguments)
    case (true, _, true): Phrase("{reason}, but nothing closes them", arguments)
    case (false, true, false): Phrase("{reason}, but it is not closed everywhere", arguments)
    case (false, true, true): Phrase("{reason}, but they are not closed everywhere", arguments)
    case (false, false, _): words
    }
  }

  /// What to add to an English sentence on what the rules close; empty if all machines do.
  package var exception: String { excepting(Phrase(verbatim: "")).worded() }

  mutating func note(_ closing: MachineClosing) {
    (isLeftOpen, isPartlyOpen) = (closing.isLeftOpen, closing.isPartlyOpen)
    if let words = closing.closedWords { verdict = VerdictToday(closedBecause: words) }
  }
}
