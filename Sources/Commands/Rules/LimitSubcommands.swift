import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct LimitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit", abstract: "Limit a child's screen time.",
    discussion: "Example: latchkey limit set --child Emma --daily 2h --weekends 3h",
    subcommands: [LimitSetSubcommand.self, LimitRemoveSubcommand.self])
}

struct LimitSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set limits of the day, of weekends and of the week.",
    discussion: """
      --daily is for every day, or for the weekdays that it names. --weekends gives Saturday and Sunday a limit of their own, \
      which --daily then leaves alone. What is not named stays as it is, but a limit of every day that is set for a child \
      holds instead of all limits a day of the family. Without --category the limit is for all screen time. \
      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it. --today, and --daily with --day, set all screen time of single days instead of the plan's. \
      Of two for the same day, the one that was set last holds, and a child's own over the family's. With "plan" \
      as their limit, the plan holds again.

      With --carry-over, what a day leaves unused goes over to the next one, up to that time and until Sunday. It counts from \
      Monday, also if it is set later in the week. Nothing is added to a limit of --today or --day.

      Example: latchkey limit set --child Emma --daily 2h --weekends 3h
      Example: latchkey limit set --child Emma --today 1h
      Example: latchkey limit set --day 2026-12-23..2027-01-06 --name Christmas --daily 4h
      Example: latchkey limit set --category reward --daily 45m --weekly 4h
      Example: latchkey limit set --daily "mon-thu 1h, fri 2h" --carry-over 30m
      """)

  @OptionGroup var rule: RuleChangeOptions

  @Option(
    parsing: .unconditional, help: .value("time|none", "The most a day, such as 2h or 1h30m."),
    transform: { try Self.isPlan($0) ? DayLimits.Change.plan : DayLimits.Change.argument($0) })
  var daily: DayLimits.Change?

  @Option(
    parsing: .unconditional, help: .value("time|none", "The most on a Saturday and on a Sunday."),
    transform: { DayLimits.Change(DayLimits.Change.weekend, try ChildRule.dailyLimit.argument($0)) })
  var weekends: DayLimits.Change?

  @Option(number: ChildRule.weeklyLimit.key, "The most a week, such as 10h.", value: "time|none") var weekly: Setting?

  @Option(
    parsing: .unconditional, help: .value("time|none", "The most today; the plan stays as it is."),
    transform: { try Self.isPlan($0) ? Setting(text: nil) : Setting.reading(ChildRule.dailyLimit.key)($0) })
  var today: Setting?

  @OptionGroup var days: DayOptions

  @Option(
    number: ChildRule.carryOver.key,
    "The most unused screen time that goes over to the next day of the week, such as 1h.", value: "time|none")
  var carryOver: Setting?

  @Option(help: .value("learning|reward|neutral", "Only for applications of this category.")) var category: AppCategory?

  mutating func validate() throws {
    if days.day != nil, today == nil, daily == nil, weekends == nil, weekly == nil, carryOver == nil {
      throw ValidationError("The limit of those days is missing: give it with --daily, such as --daily 4h.")
    }
    if today != nil || days.day != nil {
      guard weekends == nil, weekly == nil, carryOver == nil, category == nil,
        today == nil || daily == nil && days.day == nil,
        today != nil || daily?.limits[nil] != nil || daily?.limits.isEmpty == true
      else {
        throw ValidationError(
          "Single days have one limit on all screen time: give --today 1h, or --day with --daily 4h, and no other limit."
        )
      }
    } else if daily?.limits.isEmpty == true {
      throw ValidationError("The limit of a single day goes back to the plan: give --day with it, or --today plan.")
    } else if days.name != nil {
      throw ValidationError("A name is for days: give them with --day, such as --day 2026-12-23..2027-01-06.")
    }
    guard today != nil || daily != nil || weekends != nil || weekly != nil || carryOver != nil else {
      throw ValidationError("Give a limit, such as --daily 2h, --weekends 3h or --weekly 10h.")
    }
    if carryOver != nil, category != nil {
      throw ValidationError("Unused time goes over for all screen time alone: leave out --category.")
    }
    if weekends != nil, DayLimits.Change.weekend.contains(where: { daily?.limits[$0] != nil }) {
      throw ValidationError("Saturday or Sunday is in --daily as well as in --weekends: leave it out of one of them.")
    }
  }

  private static func isPlan(_ text: String) -> Bool { text.lowercased() == "plan" }

  func run() async throws {
    let interface = try await rule.node.open()
    if today != nil || days.day != nil {
      // Without a value, as for "plan", the plan holds again.
      let limit = today.map(\.text) ?? daily?.limits[nil].map(DayRule.limit.text)
      let days = try await self.days.days(of: rule.whose.owner, at: interface)
      return try await rule.set([DayRule.limit.key(on: days).change(limit)] + self.days.naming(days), at: interface)
    }
    // A limit of every day leaves one that Saturday and Sunday have of their own.
    var changes = daily?.changes(of: category.dailyLimit.text, replacing: DayLimits.Change.weekdays) ?? []
    changes += weekends?.changes(of: category.dailyLimit.text, replacing: []) ?? []
    if let weekly { changes.append(category.weeklyLimit.change(weekly.text)) }
    if let carryOver { changes.append(ChildRule.carryOver.key.change(carryOver.text)) }
    try await rule.set(changes, at: interface)
  }
}

struct LimitRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove limits.",
    discussion: """
      Without --daily, --weekends, --weekly and --carry-over, all are removed. Without --weekends, Saturday and Sunday keep a limit of \
      their own; with it, they have that of every day again.

      Example: latchkey limit remove --child Emma --weekends
      Example: latchkey limit remove --category reward
      """)

  @OptionGroup var rule: RuleChangeOptions
  @OptionGroup var exception: ExceptionOptions

  @Flag(help: "The limit of the day.") var daily = false
  @Flag(help: "The limit that Saturday and Sunday have of their own.") var weekends = false
  @Flag(help: "The limit of the week.") var weekly = false
  @Flag(help: "That unused screen time goes over to the next day.") var carryOver = false

  @Option(help: .value("learning|reward|neutral", "Those for applications of this category."))
  var category: AppCategory?

  func run() async throws {
    let interface = try await rule.node.open()
    if let days = try await exception.days(of: rule.whose.owner, at: interface) {
      guard !weekends, !weekly, !carryOver, category == nil else {
        throw TerminalFailure(.usage, "Single days have one limit on all screen time: give no other limit with them.")
      }
      return try await rule.set([DayRule.limit.key(on: days).change(nil)], at: interface)
    }
    let limit = category.dailyLimit
    let isAll = !daily && !weekends && !weekly && !carryOver
    var changes: [RuleRequest.Change] = []
    if daily || isAll {
      changes += [limit.change(nil)] + DayLimits.Change.removal(of: limit.text, on: DayLimits.Change.weekdays)
    }
    if weekends || isAll {
      if !isAll, !daily { try await checkWeekends(limit, at: interface) }
      changes += DayLimits.Change.removal(of: limit.text, on: DayLimits.Change.weekend)
    }
    if weekly || isAll { changes.append(category.weeklyLimit.change(nil)) }
    if carryOver || isAll && category == nil { changes.append(ChildRule.carryOver.key.change(nil)) }
    try await rule.set(changes, at: interface, isOneRemoval: true)
  }

  private func checkWeekends(_ limit: RuleKey, at node: any NodeInterface) async throws {
    let present = try await rule.whose.owner.rules(at: node)
    guard DayLimits.Change.weekend.allSatisfy({ present.own(limit.on($0).text) == nil }) else { return }
    throw TerminalFailure(
      .unknownName,
      "Nothing was changed: Saturday and Sunday have no limit of their own for \(present.whomLowercased).")
  }
}

extension DayLimits.Change {
  /// The change after which the plan holds again.
  fileprivate static let plan = DayLimits.Change([], nil)

  /// Reads an argument; throws `ValidationError` for a limit that is longer than the day.
  @Sendable static func argument(_ text: String) throws -> DayLimits.Change {
    try ValidationError.from { () throws(RuleFault) in try DayLimits.Change(given: text) }
  }

  /// Reads an argument that may have hours, such as `1h within 16:00-20:00`.
  @Sendable static func argumentWithHours(_ text: String) throws -> DayLimits.Change {
    // Hours are written as in `--hours`: `16-20` is `16:00-20:00`.
    let text = text.replacing(#/ within ([^,]+)/#) { " within " + TimesText.typed(String($0.output.1)) }
    return try ValidationError.from { () throws(RuleFault) in try DayLimits.Change(given: text, canHaveHours: true) }
  }
}

extension AppCategory? {
  /// The daily limit of the category's applications; without a category, of all screen time.
  fileprivate var dailyLimit: RuleKey { map(CategoryRule.limit.key(of:)) ?? ChildRule.dailyLimit.key }
  fileprivate var weeklyLimit: RuleKey { map(CategoryRule.weekly.key(of:)) ?? ChildRule.weeklyLimit.key }
}
