import LatchkeyModel

/// The values that the words for rules depend on, besides the rules.
public struct RuleTerms: Hashable, Sendable {
  /// The IANA name of the zone in which moments are written; `nil` to write them in UTC and say so.
  public var zone: String?
  public var names: [AppID: String]
  /// The option that names the rules' owner, such as `--child Emma`; empty if unknown.
  public var whose: String
  public var children: [ChildID: String]
  /// The log-in names of the accounts of the machine that the words are about, by their numbers.
  public var accounts: [UInt32: String]

  public init(
    zone: String? = nil, names: [AppID: String] = [:], whose: String = "", children: [ChildID: String] = [:],
    accounts: [UInt32: String] = [:]
  ) {
    (self.zone, self.names, self.whose, self.children, self.accounts) = (zone, names, whose, children, accounts)
  }

  /// Returns the name of an application, or its ID.
  func name(_ app: AppID) -> String { names[app] ?? app.text }

  /// Returns an application's name for a command, or its ID if the name is ambiguous or not plain.
  public func argument(_ app: AppID) -> String {
    guard let name = names[app], ShellWord.isPlain(name) else { return app.text }
    let word = name.lowercased()
    let isShared = names.contains { other, called in
      other != app && [called.lowercased(), other.text.lowercased()].contains(word)
    }
    return isShared ? app.text : name
  }

  /// Returns the words for a condition's application; `nil` for a condition about anything else.
  public func words(for condition: MachineCondition) -> ConditionKind.AppWords? {
    guard condition.isOfApplication, let app = AppID(condition.detail) else { return nil }
    return ConditionKind.AppWords(name: name(app), argument: argument(app))
  }

  /// Returns a moment, given in Unix milliseconds, on the family's clock.
  func moment(_ instant: Int64) -> String {
    let family = zone.flatMap { try? DayBoundary(zone: $0, dayStartHour: 0) }
    guard let boundary = family ?? (try? DayBoundary(zone: "UTC", dayStartHour: 0)) else { return "" }
    return boundary.clock(at: instant) + (family == nil ? " UTC" : "")
  }
}

/// The words in which people read the rules of a child, from the table of rules.
public enum RuleText {
  /// Returns the name of a rule, such as "screen time a day".
  public static func name(_ key: RegisterKey, _ terms: RuleTerms = RuleTerms()) -> String {
    guard let rule = RuleKey(key) else { return key.text }
    return WeekdayRun(rule)?.name(terms) ?? rule.filled(rule.entry.name, "", terms)
  }

  /// Returns a rule's value in words, such as "2 h" or "mon-fri 20:00-07:00".
  public static func value(_ key: RegisterKey, _ value: String, _ terms: RuleTerms = RuleTerms()) -> String {
    valuePhrase(key, value, terms).worded()
  }

  public static func valuePhrase(_ key: RegisterKey, _ value: String, _ terms: RuleTerms = RuleTerms()) -> Phrase {
    guard let rule = RuleKey(key), let read = try? rule.entry.read(value, true) else { return Phrase(verbatim: value) }
    return read.words(terms)
  }

  /// Returns the name of a rule, such as "screen time a day"; with a run, of its weekdays.
  private static func namePhrase(_ rule: RuleKey, _ run: WeekdayRun?, _ terms: RuleTerms) -> Phrase {
    var arguments = ["what": rule.subjectArgument(terms)]
    var name = rule.entry.name.replacing("#", with: "{what}")
    if let run {
      name = name.replacing(" a day", with: " on {days}")
      arguments["days"] = .phrase(run.daysPhrase)
    }
    return Phrase(name, arguments)
  }

  /// Returns a rule with its value as a phrase, such as "screen time a day: 2 h".
  public static func listed(_ key: RegisterKey, _ value: String, _ terms: RuleTerms = RuleTerms()) -> Phrase {
    guard let rule = RuleKey(key), let read = try? rule.entry.read(value, true) else {
      return Phrase("{rule}: {value}", ["rule": .text(key.text), "value": .text(value)])
    }
    let name = namePhrase(rule, WeekdayRun(rule), terms)
    return Phrase("{rule}: {value}", ["rule": .phrase(name), "value": .phrase(valueWords(read, value, rule, terms))])
  }

  /// Returns the words of a value, with the weekdays of times in the reader's language.
  private static func valueWords(_ read: ReadValue, _ value: String, _ rule: RuleKey, _ terms: RuleTerms) -> Phrase {
    (try? WeekWindows(typed: value)).flatMap { rule.entry.values.isWindows ? $0.phrase : nil } ?? read.words(terms)
  }

  /// Returns the changes of an edit, with one phrase for weekdays that get the same limit.
  public static func changes(
    _ changes: [(key: RegisterKey, value: String?)], _ terms: RuleTerms = RuleTerms()
  ) -> [Phrase] {
    var phrases: [Phrase] = []
    for group in WeekdayRun.groups(changes) {
      let phrase = change(group, terms)
      if !phrases.contains(phrase) { phrases.append(phrase) }
    }
    return phrases
  }

  private static func change(_ group: WeekdayRun.Group, _ terms: RuleTerms) -> Phrase {
    guard let rule = RuleKey(group.key) else {
      let value = group.value.map { String($0.prefix(200)) } ?? "–"
      return Phrase("{rule} – {value}", ["rule": .text(group.key.text), "value": .text(value)])
    }
    let name = Phrase.Argument.phrase(namePhrase(rule, group.run, terms))
    guard let value = group.value else { return Phrase("{rule} – no longer set", ["rule": name]) }
    let words = (try? rule.entry.read(value, true)).map { valueWords($0, value, rule, terms) }
    return Phrase("{rule} – {value}", ["rule": name, "value": .phrase(words ?? Phrase(verbatim: value))])
  }

  /// Returns the changes of an edit for a sentence, one phrase for weekdays with the same limit.
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

  /// Returns the phrase for a change within a sentence, such as "screen time a day 2 h".
  public static func phrase(_ key: RegisterKey, _ value: String?, _ terms: RuleTerms = RuleTerms()) -> String {
    guard let rule = RuleKey(key) else {
      return value.map { "\(key.text) \($0.prefix(200))" } ?? "“\(key.text)” back to the default"
    }
    if let run = WeekdayRun(rule) { return run.phrase(value, terms) }
    guard let value else { return rule.filled(rule.entry.removal, "", terms) }
    let read = try? rule.entry.read(value, true)
    return rule.filled(read?.phrase ?? "\(rule.entry.name) =", shortened(read?.words(terms).worded() ?? value), terms)
  }

  /// Returns the words of a value; of a long list, its first items and the number of the others.
  private static func shortened(_ words: String) -> String {
    guard words.count > 200 else { return words }
    let items = words.split(separator: ", ")
    var count = 0
    var length = 0
    while count < items.count, length + items[count].count <= 200 {
      length += items[count].count + 2
      count += 1
    }
    guard count > 0 else { return "\(words.prefix(200))…" }
    return items.prefix(count).joined(separator: ", ") + ", and \(items.count - count) more"
  }

  /// Returns the phrase for a child's rule that was removed; the family's may apply then.
  public static func childsRemoval(_ key: RegisterKey, _ terms: RuleTerms = RuleTerms()) -> String {
    if let run = WeekdayRun([key]) { return run.phrase(nil, terms) }
    return "“\(named(key, terms))” is no longer set for the child alone"
  }

  /// Returns the name of a rule within a sentence, such as "hours of group Blocks".
  public static func named(_ key: RegisterKey, _ terms: RuleTerms = RuleTerms()) -> String {
    let name = name(key, terms)
    guard let colon = name.ranges(of: ": ").last else { return name }
    return "\(name[colon.upperBound...]) of \(name[..<colon.lowerBound])"
  }
}

extension RuleKey {
  /// Returns words with the rule's subject for `#`, the application's ID for `@`, a value for `=`.
  func filled(_ words: String, _ value: String, _ terms: RuleTerms) -> String {
    var filled = ""
    for character in words {
      switch character {
      case "#": filled += subject(terms)
      case "@": filled += application?.text ?? ""
      case "=": filled += value
      default: filled.append(character)
      }
    }
    return filled
  }

  private func subject(_ terms: RuleTerms) -> String { Phrase("{what}", ["what": subjectArgument(terms)]).worded() }

  func subjectArgument(_ terms: RuleTerms) -> Phrase.Argument {
    switch place {
    case .child: ""
    case .app(let id, _): .text(terms.name(id))
    case .group(let name, _): .text(name.text)
    case .category(let category, _): .phrase(ReasonText.plural(category))
    case .days(let days, _): .text(days.description)
    case .grant(let day, _, _): .text(day.description)
    }
  }
}

extension RuleValues {
  /// A Boolean value that indicates whether the values are times of the week.
  fileprivate var isWindows: Bool { self == .form("windows") || self == .form("windows that end") }
}
