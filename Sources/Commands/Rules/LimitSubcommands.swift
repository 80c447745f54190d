import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey limit` subcommand.
struct LimitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit", abstract: "Limit a child's screen time.",
    discussion: "Example: latchkey limit set --child Emma --daily 2h --weekends 3h",
    subcommands: [LimitSetSubcommand.self, LimitRemoveSubcommand.self])
}

/// The `latchkey limit set` subcommand.
struct LimitSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set limits of the day, of weekends and of the week.",
    discussion: """
      --daily is for every day, or for the weekdays that it names. --weekends gives Saturday and Sunday a limit of their own, \
      which --daily then leaves alone. What is not named stays as it is, but a limit of every day that is set for a child \
      holds instead of all limits a day of the family. Without --category the limit is for all screen time. \
      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey limit set --child Emma --daily 2h --weekends 3h
      Example: latchkey limit set --category reward --daily 45m --weekly 4h
      Example: latchkey limit set --daily "mon-thu 1h, fri 2h"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most a day, such as 2h or 1h30m.", valueName: "time|none"),
    transform: LimitTime.daily)
  var daily: LimitChange?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most on a Saturday and on a Sunday.", valueName: "time|none"),
    transform: LimitTime.weekends)
  var weekends: UseLimit?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most a week, such as 10h.", valueName: "time|none"),
    transform: LimitTime.weekly)
  var weekly: UseLimit?

  @Option(help: ArgumentHelp("Only for applications of this category.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  mutating func validate() throws {
    guard daily != nil || weekends != nil || weekly != nil else {
      throw ValidationError("Give a limit, such as --daily 2h, --weekends 3h or --weekly 10h.")
    }
    if weekends != nil, case .byDay(let days)? = daily, LimitChange.weekend.contains(where: { days[$0] != nil }) {
      throw ValidationError("Saturday or Sunday is in --daily as well as in --weekends: leave it out of one of them.")
    }
  }

  func run() async throws {
    let interface = try await node.open()
    let keys = LimitKeys(category)
    var changes = daily.map { keys.changes($0) } ?? []
    if let weekends {
      changes += keys.changes(
        .byDay(Dictionary(uniqueKeysWithValues: LimitChange.weekend.map { ($0, weekends.value) })))
    }
    if let weekly { changes.append(.init(LimitKeys.weekly(category), weekly.value.map { String($0) })) }
    try await RuleIssue.set(RuleRequest(changes), of: whose.owner, at: interface, options: options)
  }
}

/// The `latchkey limit remove` subcommand.
struct LimitRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove limits.",
    discussion: """
      Without --daily, --weekends and --weekly, all three are removed. Without --weekends, Saturday and Sunday keep a limit of \
      their own; with it, they have that of every day again.

      Example: latchkey limit remove --child Emma --weekends
      Example: latchkey limit remove --category reward
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  @Flag(help: "The limit of the day.")
  var daily = false

  @Flag(help: "The limit that Saturday and Sunday have of their own.")
  var weekends = false

  @Flag(help: "The limit of the week.")
  var weekly = false

  @Option(help: ArgumentHelp("Those for applications of this category.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  func run() async throws {
    let interface = try await node.open()
    let keys = LimitKeys(category)
    let isAll = !daily && !weekends && !weekly
    var changes: [RuleRequest.Change] = []
    if daily || isAll { changes += [.init(keys.daily, nil)] + keys.removal(of: LimitKeys.weekdays) }
    if weekends || isAll {
      if !isAll, !daily { try await checkWeekends(keys, at: interface) }
      changes += keys.removal(of: LimitChange.weekend)
    }
    if weekly || isAll { changes.append(.init(LimitKeys.weekly(category), nil)) }
    try await RuleIssue.set(RuleRequest(changes), of: whose.owner, at: interface, options: options, isOneRemoval: true)
  }

  private func checkWeekends(_ keys: LimitKeys, at node: any NodeInterface) async throws {
    let present = try await whose.owner.rules(at: node)
    guard keys.removal(of: LimitChange.weekend).allSatisfy({ present.own($0.key) == nil }) else { return }
    throw TerminalFailure(
      .unknownName,
      "Nothing was changed: Saturday and Sunday have no limit of their own for \(present.whomLowercased).")
  }
}

/// Times of limits as people write them.
enum LimitTime {
  /// Reads a limit a day; throws `ValidationError` for a time that is longer than the day.
  @Sendable static func daily(_ text: String) throws -> LimitChange {
    guard let change = LimitChange(text) else {
      if !text.contains(" ") { _ = try UseLimit.readDaily(text) }
      throw ValidationError(
        "A limit a day is 0 to 24 hours, such as 2h or 1h30m, or by weekday, such as \"mon-thu 1h, fri 2h\", or none.")
    }
    return change
  }

  /// Reads a limit of Saturday and Sunday; throws `ValidationError` for a time that is longer than the day.
  @Sendable static func weekends(_ text: String) throws -> UseLimit {
    guard let limit = LimitChange.limit(text) else {
      throw ValidationError("A limit a day is 0 to 24 hours, such as 3h or 1h30m, or none.")
    }
    return limit.map { .minutes($0) } ?? .none
  }

  /// Returns the minutes of a lock; throws `ValidationError` for none and for more than 31 days.
  @Sendable static func lock(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...44_640).contains(minutes) else {
      throw ValidationError(
        "A lock is for 1 minute to 31 days, such as 1h; without --for it holds until `latchkey unlock`.")
    }
    return minutes
  }

  /// Reads a limit a week; throws `ValidationError` for a time that is longer than the week.
  @Sendable static func weekly(_ text: String) throws -> UseLimit {
    if text.lowercased() == "none" { return .none }
    guard let minutes = SpanReader.minutes(text), (0...10_080).contains(minutes) else {
      throw ValidationError("A limit a week is 0 to 168 hours, such as 10h, or none.")
    }
    return .minutes(minutes)
  }
}
