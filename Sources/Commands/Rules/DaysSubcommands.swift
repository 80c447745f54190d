import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The `latchkey days` subcommand.
struct DaysSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "days", abstract: "Show and remove what holds on single days, such as holidays.",
    discussion: """
      `latchkey bedtime set`, `latchkey times` and `latchkey limit set` take --day with a day or several days, and --name with \
      what they are called.

      Example: latchkey times --family --day 2026-12-23..2027-01-06 --name Christmas --school none
      """,
    subcommands: [DaysListSubcommand.self, DaysRemoveSubcommand.self], defaultSubcommand: DaysListSubcommand.self)
}

/// The `latchkey days list` subcommand.
struct DaysListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the days that differ from the plan.",
    discussion: """
      If two of them are about the same thing on the same day, the one that was set last holds, and a child's own over the \
      whole family's.

      Example: latchkey days list --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let rules = try await whose.owner.rules(at: try await node.open())
    let found = DatedRules.all(rules.rules, familys: false) + DatedRules.all(rules.family, familys: true)
    let console = TerminalEnvironment.current.console
    if listing.format == .json { return try console.write(JSONText.pretty(found.flatMap(\.rules))) }
    try console.write(
      TableText.render(
        ["Days", "Name", "Rule", "For", "Set by"], spare: [4, 1], wrap: [1, 2],
        rows: found.map { dated in
          [
            dated.days.description, ShownText.safe(dated.name ?? "–"),
            ShownText.safe(
              dated.rules.isEmpty
                ? "as on other days"
                : RuleText.phrases(dated.rules.map { ($0.key, $0.value) }, rules.terms).joined(separator: ", ")
                  .replacing(" on \(dated.days)", with: "")),
            dated.isFamilys || whose.family ? "family" : rules.whom, ShownText.safe(dated.setBy),
          ]
        }, empty: "No day differs from the plan for \(rules.whomLowercased)."))
  }
}

/// The `latchkey days remove` subcommand.
struct DaysRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove what holds on single days, so that the plan holds again.",
    discussion: """
      Example: latchkey days remove Christmas --family
      Example: latchkey days remove 2026-12-24 --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: ArgumentHelp("The days, such as 2026-12-23..2027-01-06, or their name.", valueName: "days"),
    transform: TypedDays.read)
  var days: TypedDays

  func run() async throws {
    let interface = try await node.open()
    let rules = try await whose.owner.rules(at: interface)
    let days = try days.resolved(rules)
    guard let dated = DatedRules.all(rules.rules, familys: false).first(where: { $0.days == days }) else {
      throw TerminalFailure(
        .unknownName, "Nothing was changed: nothing is set for \(rules.whomLowercased) on \(days) alone.")
    }
    var keys = dated.rules.map(\.key)
    if dated.name != nil, let name = DayRule.name.key(on: days).registerKey { keys.append(name) }
    try await RuleIssue.set(
      RuleRequest(keys.map { .init($0.text, nil) }), of: whose.owner, at: interface, options: options)
  }
}

/// What differs from the plan on a day or on days on end, other than granted time.
private struct DatedRules {
  let days: DayRange
  var name: String?
  var rules: [RuleListing]
  let isFamilys: Bool
  /// The parent's machine that set it first.
  let setBy: String

  /// Returns the exceptions among rules, those that begin first before the others.
  static func all(_ rules: [RuleListing], familys: Bool) -> [DatedRules] {
    var found: [DayRange: DatedRules] = [:]
    for rule in rules {
      guard let key = RuleKey(rule.key), let days = key.days,
        ![DayRule.grant.entry, DayRule.deduction.entry].contains(key.entry)
      else { continue }
      var dated = found[days] ?? DatedRules(days: days, rules: [], isFamilys: familys, setBy: rule.setBy.text)
      if key.entry == DayRule.name.entry { dated.name = rule.value } else { dated.rules.append(rule) }
      found[days] = dated
    }
    return found.values.sorted {
      ($0.days.first, $0.days.last) < ($1.days.first, $1.days.last)
    }
  }
}
