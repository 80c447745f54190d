import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The days for which a rule is set instead of the plan.
struct DayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only on this day, such as tomorrow or 2026-12-24, or on these days: 2026-12-23..2027-01-06, or their name.",
      valueName: "day|days"),
    transform: TypedDays.read)
  var day: TypedDays?

  @Option(help: ArgumentHelp("What these days are called, such as \"Christmas\".", valueName: "name"))
  var name: String?

  /// Returns the days as the family's clock has them; today if `--day` is not given.
  ///
  /// - Throws: `TerminalFailure` for days that are over, and for a name that is unknown.
  func days(of owner: RuleOwner, at node: any NodeInterface) async throws -> DayRange {
    try await (day ?? .today).resolved(owner.rules(at: node))
  }

  /// Returns the change that names the days; none without `--name`.
  func naming(_ days: DayRange) -> [RuleRequest.Change] {
    name.map { [DayRule.name.key(on: days).change($0)] } ?? []
  }
}

/// The day or the days for which a rule is set instead of the plan.
struct ExceptionOptions: ParsableArguments {
  @Flag(help: "Only today; the plan stays as it is.")
  var today = false

  @OptionGroup var options: DayOptions

  /// A Boolean value that indicates whether a day is named.
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
  case today
  case tomorrow
  case dates(DayRange)
  /// Days to which a parent has given a name.
  case named(String)

  /// Reads `today`, `tomorrow`, `2026-12-24`, `2026-12-23..2027-01-06` or a name.
  ///
  /// - Throws: `ValidationError` for a range that ends before it begins or is longer than a year.
  @Sendable static func read(_ text: String) throws -> TypedDays {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { FamilyDay(String($0)) }
    switch (text.lowercased(), ends.count) {
    case ("today", _): return .today
    case ("tomorrow", _): return .tomorrow
    case (_, 1):
      if let day = ends[0] { return .dates(DayRange(day)) }
      guard !text.allSatisfy({ $0.isNumber || $0 == "-" }) else {
        throw ValidationError("“\(ShownText.safe(text))” is no day: give one such as tomorrow or 2026-12-24.")
      }
      return .named(text)
    default:
      guard ends.count == 2, let first = ends[0], let last = ends[1] else {
        throw ValidationError("Those are no days: give the first and the last, such as 2026-12-23..2027-01-06.")
      }
      guard first <= last else { throw ValidationError("Those days end before they begin: give the first one first.") }
      guard let days = DayRange(first, through: last) else {
        throw ValidationError("Those are more than \(DayRange.mostDays) days: set a rule for every day instead.")
      }
      return .dates(days)
    }
  }

  /// Returns the days as the family's clock and the names of its days have them.
  ///
  /// - Throws: `TerminalFailure` for a name that several days have.
  func resolved(_ rules: OwnedRules) throws -> DayRange {
    let all = try all(in: rules)
    guard all.count == 1, let days = all.first else {
      throw TerminalFailure(
        .usage, "Several days have that name: give one of \(ShownText.list(all.map(\.description))).")
    }
    return days
  }

  /// Returns the days as `resolved` does, all of those that have a name.
  ///
  /// - Throws: `TerminalFailure` for days that are over, and for a name that is unknown.
  func all(in rules: OwnedRules) throws -> [DayRange] {
    let now = FamilyClock(rules).today
    let days: [DayRange]
    switch self {
    case .today: days = [DayRange(now)]
    case .tomorrow: days = [DayRange(now.advanced(byDays: 1))]
    case .dates(let given): days = [given]
    case .named(let name): days = try Self.days(called: name, in: rules)
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

  /// Returns the days of an owner to which a parent has given a name; the owner's own come before
  /// the family's.
  private static func days(called name: String, in rules: OwnedRules) throws -> [DayRange] {
    for listed in [rules.rules, rules.family] {
      let found = listed.filter {
        RuleKey($0.key)?.entry == DayRule.name.entry && $0.value.lowercased() == name.lowercased()
      }.compactMap { RuleKey($0.key)?.days }
      if !found.isEmpty { return found.sorted { ($0.first, $0.last) < ($1.first, $1.last) } }
    }
    throw TerminalFailure(
      .unknownName,
      "\(rules.whom) has no days called “\(ShownText.safe(name))”: give a day such as tomorrow or 2026-12-24, or a "
        + "name that `latchkey days` lists, with the child or --family beside which it stands there.")
  }
}
