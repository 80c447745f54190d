import LatchkeyCalendar
import LatchkeyModel
import LatchkeyRules

/// What the words for rules depend on, other than the rules.
public struct RuleTerms: Hashable, Sendable {
  /// The IANA name of the zone in which moments are written; `nil` to write them in UTC and say so.
  public var zone: String?
  /// The names of applications that have one.
  public var names: [AppID: String]

  /// Creates terms.
  public init(zone: String? = nil, names: [AppID: String] = [:]) {
    self.zone = zone
    self.names = names
  }

  /// Returns what people call an application.
  func name(_ app: AppID) -> String { names[app] ?? app.text }

  /// Returns a moment, given in Unix milliseconds, on the family's clock.
  func moment(_ instant: Int64) -> String {
    let family = zone.flatMap { try? DayBoundary(zone: $0, dayStartHour: 0) }
    guard let boundary = family ?? (try? DayBoundary(zone: "UTC", dayStartHour: 0)) else { return "" }
    return boundary.clock(at: instant) + (family == nil ? " UTC" : "")
  }
}

/// The words in which people read the rules of a child.
public enum RuleText {
  /// Returns what a rule is called, such as "screen time a day".
  public static func name(_ key: RegisterKey, _ terms: RuleTerms = RuleTerms()) -> String {
    guard let rule = RuleKey(key) else { return key.text }
    switch rule {
    case .weekday(let limit, let day): return WeekdayRun(limit, [day]).name(terms)
    case .name: return "name"
    case .removed: return "removed"
    case .app(let id, let part): return "\(terms.name(id)): \(name(part))"
    case .category(let category, .limit): return "\(ReasonText.plural(category)) a day"
    case .category(let category, .weekly): return "\(ReasonText.plural(category)) a week"
    case .category(let category, .rate): return "points for \(ReasonText.plural(category))"
    case .limits(.daily): return "screen time a day"
    case .limits(.weekly): return "screen time a week"
    case .schedule(.bedtime): return "bedtime"
    case .schedule(.school): return "school time"
    case .schedule(.rewardTimes): return "reward times"
    case .today(let day, .bedtime): return "bedtime on \(day)"
    case .today(let day, .school): return "school time on \(day)"
    case .today(let day, .rewardTimes): return "reward times on \(day)"
    case .today(let day, .grant): return "more time on \(day)"
    case .lock: return "lock"
    case .mode: return "points"
    case .unknownPrograms: return "unknown programs"
    case .sessions: return "sessions when time is up"
    case .screenTime(.source): return "what counts as screen time"
    case .screenTime(.grace): return "how long a child counts as being there"
    case .screenTime(.learning): return "learning and screen time"
    case .points(.use): return "rewards are paid"
    case .points(.minutesPerPoint): return "a redeemed point buys"
    case .points(.dailyCap): return "points earned a day"
    case .points(.weeklyCap): return "points earned a week"
    case .points(.minimumSession): return "shortest session that earns"
    case .points(.redemptionDays): return "redeemed minutes last"
    case .family(.zone): return "time zone"
    case .family(.dayStart): return "day starts at"
    }
  }

  private static func name(_ part: RuleKey.App) -> String {
    switch part {
    case .name, .category, .blocked: part.rawValue
    case .rate: "points"
    case .enabled: "rules in force"
    case .allowed: "always allowed"
    case .limit: "limit a day"
    case .matchers: "how it is recognized"
    case .step: "when its time is over"
    case .launches: "what it starts"
    }
  }

  /// Returns a rule's value in words, such as "2 h" or "mon-fri 20:00-07:00".
  public static func value(_ key: RegisterKey, _ value: String, _ terms: RuleTerms = RuleTerms()) -> String {
    guard let known = RuleKey(key), let rule = try? Rule(known, stored: value) else { return value }
    switch rule.value {
    case .limit(let minutes): return minutes.map { SpanText.minutes($0) } ?? "no limit"
    case .matchers(let matchers): return matchers.map { "\($0.kind.rawValue) \($0.value)" }.joined(separator: ", ")
    case .grant(let grant): return SpanText.minutes(grant.minutes) + scopeText(grant.scope, terms)
    case .number(let number): return numberText(number, known)
    case .lock(.on): return "locked"
    case .lock(.off): return "not locked"
    case .lock(.until(let instant)): return "locked until \(terms.moment(instant))"
    default: return words[known.word]?[value] ?? value
    }
  }

  /// The words for the values that are words themselves.
  private static let words = [
    "mode": ["points": "on", "limits": "off, limits and times alone"],
    "unknownPrograms": [
      "count": "are allowed and counted as screen time", "reward": "count as rewards", "block": "are blocked",
    ],
    "sessions": [
      "leave": "stay open", "lock": "are locked",
      "lockUnlessAllowed": "are locked unless a program runs that is always allowed",
      "close": "are ended, and log-in is refused",
    ],
    "screenTime/source": ["sessions": "all the time at a machine", "programs": "the time of programs alone"],
    "screenTime/learning": ["counts": "learning counts as screen time", "free": "learning is no screen time"],
    "points/use": ["payAsYouGo": "as they run", "redeemFirst": "with minutes redeemed before"],
  ]

  private static func numberText(_ number: Int64, _ key: RuleKey) -> String {
    switch key {
    case .category(_, .weekly), .limits(.weekly), .points(.minimumSession), .points(.minutesPerPoint):
      SpanText.minutes(Int(clamping: number))
    case .category(_, .rate), .app(_, .rate): "\(PointsText.counted(number)) a minute"
    case .points(.dailyCap), .points(.weeklyCap): "at most \(PointsText.text(number))"
    case .screenTime(.grace): SpanText.minutes(Int(clamping: number))
    case .points(.redemptionDays): number == 1 ? "for the day" : "\(number) days"
    case .family(.dayStart): "\(number):00"
    default: "\(number)"
    }
  }

  private static func scopeText(_ scope: GrantScope, _ terms: RuleTerms) -> String {
    switch scope {
    case .all: ""
    case .category(let category): " for \(ReasonText.plural(category))"
    case .app(let app): " for \(terms.name(app))"
    }
  }

  /// Returns what an edit sets and removes, for a sentence, with one phrase for weekdays that get the same limit.
  public static func phrases(
    _ changes: [(key: RegisterKey, value: String?)], _ terms: RuleTerms = RuleTerms()
  ) -> [String] {
    var phrases: [String] = []
    for group in WeekdayRun.groups(changes) {
      let phrase = group.run?.phrase(group.value, terms) ?? phrase(group.key, group.value, terms)
      if !phrases.contains(phrase) { phrases.append(phrase) }
    }
    return phrases
  }

  /// Returns what an edit sets, for a sentence, such as "screen time a day 2 h".
  public static func phrase(_ key: RegisterKey, _ value: String?, _ terms: RuleTerms = RuleTerms()) -> String {
    guard let value else { return removal(key, terms) }
    let words = Self.value(key, String(value.prefix(200)), terms)
    switch RuleKey(key) {
    case .weekday(let limit, let day): return WeekdayRun(limit, [day]).phrase(value, terms)
    case .app(let app, .name): return "\(app) called \(words)"
    case .app(let app, let part):
      if let phrase = phrase(terms.name(app), part, value, key) { return phrase }
    case .limits(.daily) where value == "none", .category(_, .limit) where value == "none": return removal(key, terms)
    case .lock, .screenTime(.learning): return words
    case .screenTime(.source): return "screen time is \(words)"
    case .screenTime(.grace): return "a child counts as being there for \(words) after the last input"
    case .sessions: return "when time is up, sessions \(words)"
    case .today where value == "none": return "no \(name(key, terms))"
    default: break
    }
    return "\(name(key, terms)) \(words)"
  }

  /// Returns the phrase for a rule that was removed for one child, for whom the family's rule may hold then.
  public static func childsRemoval(_ key: RegisterKey, _ terms: RuleTerms = RuleTerms()) -> String {
    if let run = WeekdayRun([key]) { return run.phrase(nil, terms) }
    return "“\(name(key, terms))” no longer set for the child alone"
  }

  /// Returns what an edit removes, for a sentence, such as "no limit on screen time a day".
  private static func removal(_ key: RegisterKey, _ terms: RuleTerms) -> String {
    switch RuleKey(key) {
    case .weekday(let limit, let day): WeekdayRun(limit, [day]).phrase(nil, terms)
    case .limits, .category(_, .limit), .category(_, .weekly), .points(.dailyCap), .points(.weeklyCap):
      "no limit on \(name(key, terms))"
    case .app(let app, let part): removal(part, of: part == .name ? app.text : terms.name(app))
    case .lock: "no lock"
    case .schedule: "no \(name(key, terms))"
    case .today(let day, .grant): "the time that was granted on \(day) is taken back"
    case .today: "\(name(key, terms)) as on other days"
    default: "“\(name(key, terms))” back to the default"
    }
  }

  private static func removal(_ part: RuleKey.App, of app: String) -> String {
    switch part {
    case .name: "\(app) called by its own name"
    case .category: "no category set for \(app)"
    case .rate: "no points of its own for \(app)"
    case .enabled: "rules of \(app) not switched on or off"
    case .blocked: "no block set for \(app)"
    case .allowed: "\(app) not set as always allowed"
    case .limit: "no limit a day on \(app)"
    case .matchers: "no matchers set for \(app), so that it is recognized as it is installed"
    case .step: "nothing set about how \(app) ends when its time is over"
    case .launches: "nothing set about what \(app) starts"
    }
  }

  /// Returns what an edit sets for an application, such as "Chess blocked"; `nil` for an unknown value.
  private static func phrase(_ app: String, _ part: RuleKey.App, _ text: String, _ key: RegisterKey) -> String? {
    guard let known = RuleKey(key), let rule = try? Rule(known, stored: text) else { return nil }
    return switch (part, rule.value) {
    case (.blocked, .flag(let isBlocked)): "\(app) \(isBlocked ? "blocked" : "not blocked")"
    case (.allowed, .flag(let isAllowed)): "\(app) \(isAllowed ? "always allowed" : "not always allowed")"
    case (.enabled, .flag(let isEnabled)): "rules of \(app) switched \(isEnabled ? "on" : "off")"
    case (.category, .category(let category)): "\(app) \(category.rawValue)"
    case (.rate, .number(let rate)): "\(app) \(PointsText.counted(rate)) a minute"
    case (.step, .step(let step)): "\(app) \(step == .pause ? "paused" : "closed") when its time is over"
    case (.launches, .launches(let launches)):
      "what \(app) starts \(launches == .apart ? "is apart" : "counts as \(app)")"
    case (.limit, .limit(let minutes?)): "\(app) at most \(SpanText.minutes(minutes)) a day"
    case (.limit, .limit(nil)): "no limit a day on \(app)"
    default: nil
    }
  }
}

extension RuleKey {
  /// The key as text, for those without a part that people choose.
  fileprivate var word: String { registerKey?.text ?? "" }
}
