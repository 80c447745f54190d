import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct DayOptions: ParsableArguments {
  @Option(
    help: .value(
      "day|days",
      "Only on this day, such as tomorrow or 2026-12-24, or on these days: 2026-12-23..2027-01-06, or their name."),
    completion: CompletionNames.days, transform: TypedDays.read)
  var day: TypedDays?

  @Option(help: .value("name", "What these days are called, such as \"Christmas\"."), transform: Self.readName)
  var name: String?

  /// Reads a name; throws `ValidationError` for one that means days as it is.
  @Sendable private static func readName(_ text: String) throws -> String {
    if case .named? = try? TypedDays.read(text) { return text }
    throw ValidationError("“\(ShownText.safe(text))” names days already: give a name such as Christmas.")
  }

  /// Returns the days as the family's clock has them; today if `--day` is not given.
  ///
  /// - Throws: `TerminalFailure` for days that are over, and for a name that is unknown.
  func days(of owner: RuleOwner, at node: any NodeInterface) async throws -> DayRange {
    try await (day ?? .today).resolved(owner.rules(at: node))
  }

  func naming(_ days: DayRange) -> [RuleRequest.Change] { name.map { [DayRule.name.key(on: days).change($0)] } ?? [] }
}

/// The days for which a rule is set instead of the plan.
struct ExceptionOptions: ParsableArguments {
  @Flag(help: "Only today; the plan stays as it is.") var today = false
  @OptionGroup var options: DayOptions

  var isGiven: Bool { today || options.day != nil }

  mutating func validate() throws {
    if today, options.day != nil { throw ValidationError("Give --today or --day, not both.") }
    if options.name != nil, !isGiven {
      throw ValidationError("A name is for days: give them with --day, such as --day 2026-12-23..2027-01-06.")
    }
  }

  /// Returns the days; `nil` for the plan.
  func days(of owner: RuleOwner, at node: any NodeInterface) async throws -> DayRange? {
    isGiven ? try await options.days(of: owner, at: node) : nil
  }
}

/// A day or several days on end as a person types them.
enum TypedDays: Hashable, Sendable {
  /// The first and the last day.
  case between(End, End)
  /// Days to which a parent has given a name.
  case named(String)

  static let today = TypedDays.between(.today, .today)

  enum End: Hashable, Sendable {
    case today, tomorrow
    case date(FamilyDay)

    init?(_ text: some StringProtocol) {
      switch text.lowercased() {
      case "today": self = .today
      case "tomorrow": self = .tomorrow
      default:
        guard let day = FamilyDay(String(text)) else { return nil }
        self = .date(day)
      }
    }

    func day(_ today: FamilyDay) -> FamilyDay {
      switch self {
      case .today: today
      case .tomorrow: today.advanced(byDays: 1)
      case .date(let day): day
      }
    }
  }

  /// Reads `today`, `tomorrow`, `2026-12-24`, `2026-12-23..2027-01-06`, `today..2026-12-03` or a
  /// name.
  ///
  /// - Throws: `ValidationError` for a range that ends before it begins or is longer than a year.
  @Sendable static func read(_ text: String) throws -> TypedDays {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { End($0) }
    if ends == [nil] {
      if let fault = severalFault(text) ?? dateFault(text) { throw fault }
      return .named(text)
    }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
      throw ValidationError(
        "Those are no days: give the first and the last, such as 2026-12-23..2027-01-06 or tomorrow..2026-12-24.")
    }
    if case (.date(let first), .date(let last)) = (first, last) {
      _ = try ValidationError.from { () throws(RuleFault) in try range(first, last) }
    }
    return .between(first, last)
  }

  /// Returns the fault of a text that looks like a date but is not one.
  private static func dateFault(_ text: String) -> ValidationError? {
    guard text.contains(where: \.isNumber), text.allSatisfy({ $0.isNumber || "-./".contains($0) }) else { return nil }
    let next = meant(text).map { "write it as \($0)" } ?? "give one such as tomorrow or 2026-12-24, with the year first"
    return ValidationError("“\(ShownText.safe(text))” is no day: \(next).")
  }

  /// Returns the fault of several days in another form, such as `2026-12-23 to 2027-01-06` and
  /// `2026-12-23,2026-12-24`.
  private static func severalFault(_ text: String) -> ValidationError? {
    guard ends(text) != nil else { return nil }
    return ValidationError(
      meant(text) == nil
        ? "Days that do not follow one another need a command each: give one day, or the first and the last such as "
          + "2026-12-23..2027-01-06."
        : "Several days are written with .. between the first and the last.")
  }

  /// Returns the days that a text lists, or the first and the last, in the usual form; `nil` for a
  /// text with anything else.
  private static func ends(_ text: String) -> [String]? {
    let parts = text.lowercased().split(separator: /\s*[,;–—]\s*|\s+-\s+|\s+(?:and|through|till|to|until)\s+/)
    let days = parts.map { part in date(String(part)) ?? String(part) }
    return days.count > 1 && days.allSatisfy { End($0) != nil } ? days : nil
  }

  /// Returns in the usual form several days in another form, or a date with the day first, such as
  /// `24.12.2026`.
  static func meant(_ text: String) -> String? {
    if let ends = ends(text) {
      let isList = text.contains { ",;".contains($0) } || text.lowercased().contains(" and ")
      let days = ends.compactMap { FamilyDay($0) }
      let followOn = days.count == ends.count && zip(days, days.dropFirst()).allSatisfy { $0.advanced(byDays: 1) == $1 }
      guard isList ? followOn : ends.count == 2 else { return nil }
      let whole = "\(ends[0])..\(ends[ends.count - 1])"
      return (try? read(whole)) == nil ? nil : whole
    }
    return date(text)
  }

  /// Returns in the usual form a date with the day first.
  private static func date(_ text: String) -> String? {
    let parts = text.split { "-./".contains($0) }.map { $0.count == 1 ? "0\($0)" : String($0) }
    guard parts.count == 3, text.contains(".") else { return nil }
    return FamilyDay(parts.reversed().joined(separator: "-")).map(\.description)
  }

  private static func range(_ first: FamilyDay, _ last: FamilyDay) throws(RuleFault) -> DayRange {
    guard first <= last else { throw RuleFault("Those days end before they begin: give the first one first.") }
    guard let days = DayRange(first, through: last) else {
      throw RuleFault(
        Phrase(
          "Those are more than {count} days: set a rule for every day instead.",
          ["count": .number(Int(DayRange.mostDays))]))
    }
    return days
  }

  /// Returns the days by the family's clock and the names of its days.
  ///
  /// - Throws: `TerminalFailure` as `all` does, and for a name that several days have.
  func resolved(_ rules: OwnedRules) throws -> DayRange {
    let all = try all(in: rules, canBeNamed: true)
    guard all.count == 1, let days = all.first else {
      throw TerminalFailure(
        .usage, "Several days have that name: give one of \(ShownText.list(all.map(\.description))).")
    }
    return days
  }

  /// Returns the days, or all days that have a name; `canBeNamed` if the command can give a name.
  ///
  /// - Throws: `TerminalFailure` for days that are over, and for an unknown name.
  func all(in rules: OwnedRules, canBeNamed: Bool = false) throws -> [DayRange] {
    let now = FamilyClock(rules).today
    let days: [DayRange]
    switch self {
    case .between(let first, let last):
      do { days = [try Self.range(first.day(now), last.day(now))] } catch {
        throw TerminalFailure(.usage, error.sentence)
      }
    case .named(let name): days = try Self.days(called: name, in: rules, canBeNamed: canBeNamed)
    }
    guard days.contains(where: { $0.last >= now }) else {
      throw TerminalFailure(
        .usage,
        days[0].first == days[0].last
          ? "That day is over: give today, which is \(now), or a later one."
          : "Those days are over: give days that end today, which is \(now), or later.")
    }
    return days
  }

  /// Returns the next day of a weekday, which may be today.
  private static func next(_ text: String, in rules: OwnedRules) -> FamilyDay? {
    let word = text.lowercased()
    guard let weekday = Weekday.allCases.first(where: { [$0.word, $0.name.lowercased()].contains(word) }) else {
      return nil
    }
    let today = FamilyClock(rules).today
    return (0..<7).map { today.advanced(byDays: $0) }.first { $0.weekday == weekday }
  }

  /// Returns the days with a name; the owner's own come before the family's.
  private static func days(called name: String, in rules: OwnedRules, canBeNamed: Bool) throws -> [DayRange] {
    for listed in [rules.rules, rules.family] {
      let found = listed.filter {
        RuleKey($0.key)?.entry == DayRule.name.entry && $0.value.lowercased() == name.lowercased()
      }.compactMap { RuleKey($0.key)?.days }
      if !found.isEmpty { return found.sorted { ($0.first, $0.last) < ($1.first, $1.last) } }
    }
    if let day = next(name, in: rules) {
      throw TerminalFailure(
        .usage,
        "A single day is given by its date: the next \(day.weekday.name) is \(day). What holds on each of them is set without --day, "
          + "such as `latchkey limit set \(rules.option.isEmpty ? "" : rules.option + " ")--daily \"\(day.weekday.word) 4h\"`."
      )
    }
    let known = (rules.rules + rules.family).filter { RuleKey($0.key)?.entry == DayRule.name.entry }.map(\.value)
    let question = Spelling.question(for: name, among: ["today", "tomorrow"] + known) { ShownText.safe($0) }
    let naming =
      canBeNamed && ShellWord.isPlain(name)
      ? " --name gives days a name: --day 2026-12-23..2027-01-06 --name \(TypedWord.quoted(name))." : ""
    throw TerminalFailure(
      .unknownName,
      "\(rules.whom) has no days called “\(ShownText.safe(name))”"
        + (question.isEmpty
          ? ": give a day such as tomorrow or 2026-12-24, or a name that `latchkey days` lists for "
            + "\(rules.whomLowercased).\(naming)" : ". \(question)"))
  }
}

extension Weekday {
  fileprivate var name: String {
    let name = String(describing: self)
    return name.prefix(1).uppercased() + name.dropFirst()
  }
}
