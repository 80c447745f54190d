import LatchkeyModel

/// Weekdays on which the same limit a day holds, which people read as one rule.
public struct WeekdayRun: Hashable, Sendable {
  private let limit: RuleKey
  private let days: Set<Weekday>

  private init(_ limit: RuleKey, _ days: Set<Weekday>) {
    self.limit = limit
    self.days = days
  }

  /// Creates the run of one weekday; `nil` for a rule of every day.
  init?(_ key: RuleKey) {
    guard let day = key.weekday else { return nil }
    self.init(key.everyDay, [day])
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
      let run = RuleKey(key).flatMap { WeekdayRun($0) }
      if let run, let index = groups.firstIndex(where: { $0.run?.limit == run.limit && $0.value == value }),
        let other = groups[index].run
      {
        groups[index].run = WeekdayRun(run.limit, run.days.union(other.days))
      } else {
        groups.append(Group(key: key, value: value, run: run))
      }
    }
    return groups
  }

  /// Creates the run of the weekdays whose limits registers are; `nil` if they are other rules, or
  /// limits on different things.
  public init?(_ keys: [RegisterKey]) {
    let runs = keys.compactMap { RuleKey($0).flatMap { WeekdayRun($0) } }
    guard let first = runs.first, runs.count == keys.count, runs.allSatisfy({ $0.limit == first.limit }) else {
      return nil
    }
    self.init(first.limit, runs.reduce(into: []) { $0.formUnion($1.days) })
  }

  /// Returns what the rule is called, such as "screen time on Saturdays and Sundays".
  public func name(_ terms: RuleTerms = RuleTerms()) -> String { onDays(limit.entry.name, "", terms) }

  /// Returns what an edit sets or, without a value, removes, for a sentence.
  func phrase(_ value: String?, _ terms: RuleTerms) -> String {
    // What is limited has the name of the limit, without its last words.
    let subject =
      limit.application.map(terms.name) ?? limit.filled(limit.entry.name.replacing(" a day", with: ""), "", terms)
    switch value {
    case nil: return "no separate limit for \(subject) on \(days.count == 7 ? "any weekday" : words)"
    case "none": return "no limit on \(subject) on \(words)"
    case let value?:
      let read = try? limit.entry.read(value, true)
      return onDays(read?.phrase ?? "\(limit.entry.name) =", read?.words(terms).worded() ?? value, terms)
    }
  }

  /// Returns words of the table for a limit a day, for these days.
  private func onDays(_ text: String, _ value: String, _ terms: RuleTerms) -> String {
    limit.filled(text.replacing(" a day", with: " on \(words)"), value, terms)
  }

  /// The weekdays in words, such as "Mondays to Thursdays and Saturdays".
  private var words: String { daysPhrase.worded() }

  /// The weekdays as a phrase.
  var daysPhrase: Phrase {
    let parts = WeekdayText.runs(of: days).flatMap { run -> [Phrase] in
      let (first, last) = (Self.name(run.lowerBound), Self.name(run.upperBound))
      return switch run.upperBound.rawValue - run.lowerBound.rawValue {
      case 0: [first]
      case 1: [first, last]
      default: [Phrase("{first} to {last}", ["first": .phrase(first), "last": .phrase(last)])]
      }
    }
    return Phrase("{days}", ["days": .list(parts.map { .phrase($0) })])
  }

  private static func name(_ day: Weekday) -> Phrase {
    switch day {
    case .monday: Phrase("Mondays")
    case .tuesday: Phrase("Tuesdays")
    case .wednesday: Phrase("Wednesdays")
    case .thursday: Phrase("Thursdays")
    case .friday: Phrase("Fridays")
    case .saturday: Phrase("Saturdays")
    case .sunday: Phrase("Sundays")
    }
  }
}
