import LatchkeyModel

/// Weekdays as text: `mon`, `mon-fri`, or nothing for all seven.
public enum WeekdayText {
  /// Returns the runs of weekdays in a set, the earliest first, none beyond a Sunday.
  public static func runs(of days: Set<Weekday>) -> [ClosedRange<Weekday>] {
    var runs: [ClosedRange<Weekday>] = []
    for day in Weekday.allCases where days.contains(day) {
      if let last = runs.last, last.upperBound.rawValue == day.rawValue - 1 {
        runs[runs.count - 1] = last.lowerBound...day
      } else {
        runs.append(day...day)
      }
    }
    return runs
  }

  /// Returns an item as text: its weekdays, unless these are all, and its value.
  static func item(_ run: ClosedRange<Weekday>, _ value: String) -> String {
    if run == (Weekday.monday...Weekday.sunday) { return value }
    let first = run.lowerBound.word
    return (run.lowerBound == run.upperBound ? first : "\(first)-\(run.upperBound.word)") + " " + value
  }

  /// Returns an item as a phrase, such as "Mon–Fri 20:00-07:00".
  static func phrase(_ run: ClosedRange<Weekday>, _ value: String) -> Phrase { phrase(run, Phrase(verbatim: value)) }

  static func phrase(_ run: ClosedRange<Weekday>, _ value: Phrase) -> Phrase {
    if run == (Weekday.monday...Weekday.sunday) { return value }
    let time = Phrase.Argument.phrase(value)
    let first = Phrase.Argument.phrase(short[run.lowerBound.rawValue])
    if run.lowerBound == run.upperBound { return Phrase("{day} {time}", ["day": first, "time": time]) }
    return Phrase(
      "{first}–{last} {time}", ["first": first, "last": .phrase(short[run.upperBound.rawValue]), "time": time])
  }

  /// The weekdays in a list, Monday first.
  private static let short: [Phrase] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  /// Reads items such as `mon-fri 90, sat 120`, as a person may type them.
  ///
  /// Upper case and further spaces are accepted, and a run may pass from Sunday to Monday. Throws a
  /// fault for words that are not weekdays and for more than 64 items.
  static func items(_ text: String) throws(RuleFault) -> [(days: [Weekday], value: String)] {
    guard text.utf8.count <= 2_048 else {
      throw RuleFault("That is too long for one rule: leave out some of the days.")
    }
    var items: [(days: [Weekday], value: String)] = []
    for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ")
      guard let value = words.last else {
        throw text.allSatisfy { $0 == " " }
          ? RuleFault("Nothing is written there: give times, such as mon-fri 16:00-18:00.")
          : RuleFault("A part of the rule is empty: remove the comma, or write something beside it.")
      }
      if let fault = misplaced(words) { throw fault }
      items.append((try days(words.dropLast()), String(value)))
    }
    guard items.count <= 64 else { throw RuleFault("A rule takes at most 64 parts: leave out some.") }
    return items
  }

  /// Returns the fault of words that are not weekdays and one value, or lack a comma; else `nil`.
  private static func misplaced(_ words: [Substring]) -> RuleFault? {
    let (value, before) = (words[words.count - 1], words.dropLast())
    let time = before.first { (try? ClockWindow(typed: $0)) != nil }
    let isOfDays = (try? days([value])) != nil
    switch (isOfDays, time) {
    case (true, nil):
      return RuleFault(
        Phrase(
          "{days} has no value: write it with each weekday, such as mon 16:00-18:00, tue 16:00-18:00.",
          ["days": .text(String(value).debugDescription)]))
    case (true, let time?) where words.count == 2:
      return RuleFault(Phrase("The weekdays come first: write {rule}.", ["rule": .text("\(value) \(time)")]))
    case (_, let time?):
      return RuleFault(
        Phrase(
          """
          A comma is missing after {time}: write one between two times, such as mon-fri 16:00-18:00, sat-sun 10:00-18:00.
          """, ["time": .text(String(time))]))
    case (false, nil): return nil
    }
  }

  private static func days(_ words: ArraySlice<Substring>) throws(RuleFault) -> [Weekday] {
    if words.isEmpty { return Weekday.allCases }
    let text = words.joined()
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end in Weekday(word: end) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
      throw RuleFault(
        Phrase(
          """
          {text} is no weekday: write mon, tue, wed, thu, fri, sat, sun, mon-fri, or sat-sun for weekends.
          """, ["text": .text(words.joined(separator: " ").debugDescription)]))
    }
    var days = [first]
    while let day = days.last, day != last { days.append(Weekday.allCases[(day.rawValue + 1) % 7]) }
    return days
  }
}

/// Weekdays that have the same limit a day, which people read as one rule.
public struct WeekdayRun: Hashable, Sendable {
  private let limit: RuleKey
  private let days: Set<Weekday>

  private init(_ limit: RuleKey, _ days: Set<Weekday>) { (self.limit, self.days) = (limit, days) }

  init?(_ key: RuleKey) {
    guard let day = key.weekday else { return nil }
    self.init(key.everyDay, [day])
  }

  /// A change of a register, or of the registers of several weekdays, with one phrase.
  struct Group {
    var key: RegisterKey
    var value: String?
    var run: WeekdayRun?
  }

  /// Returns changes in their order; those of weekdays that get the same limit become one.
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

  /// Creates the run of the weekdays of registers; `nil` unless they are limits on one thing.
  public init?(_ keys: [RegisterKey]) {
    let runs = keys.compactMap { RuleKey($0).flatMap { WeekdayRun($0) } }
    guard let first = runs.first, runs.count == keys.count, runs.allSatisfy({ $0.limit == first.limit }) else {
      return nil
    }
    self.init(first.limit, runs.reduce(into: []) { $0.formUnion($1.days) })
  }

  /// Returns the name of the rule, such as "screen time on Saturdays and Sundays".
  public func name(_ terms: RuleTerms = RuleTerms()) -> String { onDays(limit.entry.name, "", terms) }

  /// Returns the phrase for an edit that sets a value or, without one, removes it.
  func phrase(_ value: String?, _ terms: RuleTerms) -> String {
    // The subject has the name of the limit, without its last words.
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

  var daysPhrase: Phrase {
    let parts = WeekdayText.runs(of: days).flatMap { run -> [Phrase] in
      let (first, last) = (Self.names[run.lowerBound.rawValue], Self.names[run.upperBound.rawValue])
      return switch run.upperBound.rawValue - run.lowerBound.rawValue {
      case 0: [first]
      case 1: [first, last]
      default: [Phrase("{first} to {last}", ["first": .phrase(first), "last": .phrase(last)])]
      }
    }
    return Phrase("{days}", ["days": .list(parts.map { .phrase($0) })])
  }

  private static let names: [Phrase] = [
    "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays",
  ]
}
