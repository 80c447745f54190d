import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct DaysSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "days", abstract: "Show and remove what holds on single days, such as holidays.",
    discussion: """
      `latchkey bedtime set`, `latchkey times` and `latchkey limit set` take --day with a day or several days, and --name with \
      what they are called. Of two that are about the same thing on the same day, the one that was set last holds, and a child's \
      own over the whole family's.

      Example: latchkey times --family --day 2026-12-23..2027-01-06 --name Christmas --school none
      """,
    subcommands: [DaysListSubcommand.self, DaysRemoveSubcommand.self], defaultSubcommand: DaysListSubcommand.self)
}

struct DaysListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the days that differ from the plan.",
    discussion: """
      If two of them are about the same thing on the same day, the one that was set last holds, and a child's own over the \
      whole family's. Below the list it is said which one holds.

      Example: latchkey days list --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions

  @Option(help: .value("table|json", "How to write it.")) var format: ListingFormat = .table

  func run() async throws {
    let owners = try await Self.withFamilysDays(whose.owner, at: try await node.open())
    let found = owners.flatMap { rules in
      // Days of the family's with a name alone are left out: the child's own rules hold on them.
      DatedRules.all(of: rules).filter { rules.child == nil || $0.child != nil || !$0.rules.isEmpty }
        .map { (dated: $0, rules: rules) }
    }.sorted { $0.dated < $1.dated }
    if format == .json {
      return try console.write(JSONText.pretty(found.map { ListedRules(child: $0.dated.child, rules: $0.dated.rules) }))
    }
    try console.write(
      TableText.render(
        ["Days", "Name", "Rule", "For", "Set by"], spare: [4, 1], wrap: [1, 2],
        rows: found.map { dated, rules in
          [
            dated.days.description, ShownText.safe(dated.name ?? "–"),
            ShownText.safe(
              dated.rules.isEmpty
                ? "as on other days"
                : RuleText.phrases(dated.rules.map { ($0.key, $0.value) }, rules.terms).joined(separator: ", ")
                  .replacing(" on \(dated.days)", with: "")),
            dated.child.map { ShownText.safe($0.text) } ?? "family", ShownText.safe(dated.setBy),
          ]
        }, empty: "No day differs from the plan for \(owners.count > 1 ? "anybody" : owners[0].whomLowercased)."))
    for sentence in Self.overlaps(owners) { console.note(sentence) }
  }

  /// Returns the owners' rules; for one child also the family's days that the child's replace.
  private static func withFamilysDays(_ owner: RuleOwner, at node: any NodeInterface) async throws -> [OwnedRules] {
    var owners = try await owner.all(at: node)
    guard owners.count == 1, owners[0].child != nil else { return owners }
    let known = Set(owners[0].family.map(\.key))
    let family = try await node.ask(Endpoints.getSettings).rules
    owners[0].family += family.filter { RuleKey($0.key)?.days != nil && !known.contains($0.key) }
    return owners
  }

  /// Returns sentences on exceptions that others replace.
  private static func overlaps(_ owners: [OwnedRules]) -> [String] {
    let family = owners.first { $0.child == nil }?.rules
    return owners.flatMap { rules in
      let all = DatedExceptions(rules, family: rules.child == nil ? [] : family).overlaps
      // Two of the family's are the family's matter.
      return all.filter { family == nil || !$0.holds.isFamilys || rules.child == nil }.map {
        "For \(rules.whomLowercased) on \($0.days), \($0.holds.owned) holds and not \($0.instead.owned)."
      }
    }
  }
}

/// Rules with their owner, as lists print them as JSON.
struct ListedRules: Encodable {
  /// The child; `nil` for the whole family.
  let child: DeviceName?
  let rules: [RuleListing]
}

struct DaysRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove what holds on single days, so that the plan holds again.",
    discussion: """
      Example: latchkey days remove Christmas --family
      Example: latchkey days remove 2026-12-24 --child Emma
      """)

  @OptionGroup var rule: RuleChangeOptions

  @Argument(
    help: .value("days", "The days, such as 2026-12-23..2027-01-06, or their name."), completion: CompletionNames.days,
    transform: TypedDays.read)
  var days: TypedDays

  func run() async throws {
    let interface = try await rule.node.open()
    let rules = try await rule.whose.owner.rules(at: interface)
    let ranges = try days.all(in: rules)
    let listed = DatedRules.all(of: rules).filter { ranges.contains($0.days) }
    let found = listed.filter { $0.child == rules.child?.name }
    guard !found.isEmpty else {
      let shown = ShownText.list(ranges.map(\.description))
      throw TerminalFailure(
        .unknownName,
        "Nothing was changed: nothing is set for \(rules.whomLowercased) on \(shown) alone."
          + (listed.isEmpty ? "" : " What is set then is the family's: --family removes it."))
    }
    let names = found.filter { $0.name != nil }.compactMap { DayRule.name.key(on: $0.days).registerKey }
    let keys = found.flatMap(\.rules).map(\.key) + names
    if ranges.count > 1, rule.options.format != .json {
      console.note("These are all days of that name: \(ShownText.list(found.map(\.days.description))).")
    }
    try await rule.set(keys.map { .init($0.text, nil) }, at: interface)
  }
}

/// What differs from the plan on a day or on days on end, other than granted time.
private struct DatedRules: Comparable {
  let days: DayRange
  var name: String?
  var rules: [RuleListing]
  /// `nil` for the whole family.
  let child: DeviceName?
  /// The parent's machine that set it first.
  let setBy: String

  /// Returns the exceptions of an owner, and those of the family that hold for it.
  static func all(of rules: OwnedRules) -> [DatedRules] {
    all(rules.rules, of: rules.child?.name) + all(rules.family, of: nil)
  }

  private static func all(_ rules: [RuleListing], of child: DeviceName?) -> [DatedRules] {
    var found: [DayRange: DatedRules] = [:]
    for rule in rules {
      guard let key = RuleKey(rule.key), let days = key.days,
        ![DayRule.grant.entry, DayRule.deduction.entry].contains(key.entry)
      else { continue }
      var dated = found[days] ?? DatedRules(days: days, rules: [], child: child, setBy: rule.setBy.text)
      if key.entry == DayRule.name.entry { dated.name = rule.value } else { dated.rules.append(rule) }
      found[days] = dated
    }
    return found.values.sorted()
  }

  static func < (left: DatedRules, right: DatedRules) -> Bool {
    (left.days.first, left.days.last, left.child?.text ?? "") < (
      right.days.first, right.days.last, right.child?.text ?? ""
    )
  }
}
