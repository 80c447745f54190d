import LatchkeyModel
import LatchkeyRules

/// Weekdays on which the same limit a day holds, which people read as one rule.
public struct WeekdayRun: Hashable, Sendable {
  private let limit: RuleKey.DayLimit
  private let days: Set<Weekday>

  init(_ limit: RuleKey.DayLimit, _ days: Set<Weekday>) {
    self.limit = limit
    self.days = days
  }

  /// A change of a register, or of those of several weekdays, that are told in one phrase.
  struct Group {
    var key: RegisterKey
    var value: String?
    var run: WeekdayRun?
  }

  /// Returns changes in their order, with those of the weekdays that get the same limit in one.
  static func groups(_ changes: [(key: RegisterKey, value: String?)]) -> [Group] {
    var groups: [Group] = []
    for (key, value) in changes {
      guard case .weekday(let limit, let day) = RuleKey(key) else {
        groups.append(Group(key: key, value: value))
        continue
      }
      if let index = groups.firstIndex(where: { $0.run?.limit == limit && $0.value == value }),
        let run = groups[index].run
      {
        groups[index].run = WeekdayRun(limit, run.days.union([day]))
      } else {
        groups.append(Group(key: key, value: value, run: WeekdayRun(limit, [day])))
      }
    }
    return groups
  }

  /// Creates the run of the weekdays whose limits registers are; `nil` if they are other rules, or limits on different things.
  public init?(_ keys: [RegisterKey]) {
    var found: RuleKey.DayLimit?
    var days: Set<Weekday> = []
    for key in keys {
      guard case .weekday(let limit, let day) = RuleKey(key), found == nil || found == limit else { return nil }
      found = limit
      days.insert(day)
    }
    guard let found else { return nil }
    self.init(found, days)
  }

  /// Returns what the rule is called, such as "screen time on Saturdays and Sundays".
  public func name(_ terms: RuleTerms = RuleTerms()) -> String {
    switch limit {
    case .screenTime: "screen time on \(words)"
    case .category(let category): "\(ReasonText.plural(category)) on \(words)"
    case .app(let app): "\(terms.name(app)): limit on \(words)"
    }
  }

  /// Returns what an edit sets or, without a value, removes, for a sentence.
  func phrase(_ value: String?, _ terms: RuleTerms) -> String {
    let subject =
      switch limit {
      case .screenTime: "screen time"
      case .category(let category): ReasonText.plural(category)
      case .app(let app): terms.name(app)
      }
    switch value {
    case nil: return "no limit of its own for \(subject) on \(words)"
    case "none": return "no limit on \(subject) on \(words)"
    case let value?:
      let time = Int(value).map { SpanText.minutes($0) } ?? value
      return if case .app = limit { "\(subject) at most \(time) on \(words)" } else { "\(subject) on \(words) \(time)" }
    }
  }

  /// The weekdays in words, such as "Mondays to Thursdays and Saturdays".
  private var words: String {
    let parts = WeekdayText.runs(of: days).flatMap { run -> [String] in
      let (first, last) = (Self.name(run.lowerBound), Self.name(run.upperBound))
      return switch run.upperBound.rawValue - run.lowerBound.rawValue {
      case 0: [first]
      case 1: [first, last]
      default: ["\(first) to \(last)"]
      }
    }
    guard let last = parts.last, parts.count > 1 else { return parts.joined() }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  private static func name(_ day: Weekday) -> String {
    switch day {
    case .monday: "Mondays"
    case .tuesday: "Tuesdays"
    case .wednesday: "Wednesdays"
    case .thursday: "Thursdays"
    case .friday: "Fridays"
    case .saturday: "Saturdays"
    case .sunday: "Sundays"
    }
  }
}
