import ArgumentParser
import LatchkeyModel

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
    commandName: "set", abstract: "Set limits: of the day, of the week, or both.",
    discussion: """
      --daily holds on every day; --weekends gives Saturdays and Sundays a limit of their own. A limit that is not named stays as \
      it is. Without --category the limit is for all screen time. This version records limits and shows them on the child's machines; \
      it does not yet close applications.

      Example: latchkey limit set --child Emma --daily 2h --weekends 3h
      Example: latchkey limit set --category reward --daily 45m --weekly 4h
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuledChildOptions
  @OptionGroup var options: RuleOptions

  @Option(help: ArgumentHelp("The most a day, such as 2h or 1h30m.", valueName: "time"), transform: LimitTime.daily)
  var daily: Int?

  @Option(
    help: ArgumentHelp("The most on a Saturday and a Sunday; with --daily.", valueName: "time"),
    transform: LimitTime.daily)
  var weekends: Int?

  @Option(help: ArgumentHelp("The most a week, such as 10h.", valueName: "time"), transform: LimitTime.weekly)
  var weekly: Int?

  @Option(help: ArgumentHelp("Only for applications of this category.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  mutating func validate() throws {
    guard daily != nil || weekly != nil else {
      throw ValidationError("Give a limit: --daily 2h, --weekly 10h, or both.")
    }
    if weekends != nil, daily == nil { throw ValidationError("Give --daily as well, for the other days.") }
  }

  func run() async throws {
    let place = category.map { "category/\($0.rawValue)" } ?? "limits"
    var changes: [RuleRequest.Change] = []
    if let daily {
      let text = weekends.map { "mon-fri \(daily), sat-sun \($0)" } ?? "\(daily)"
      changes.append(.init(category == nil ? "limits/daily" : "\(place)/limit", text))
    }
    if let weekly { changes.append(.init("\(place)/weekly", "\(weekly)")) }
    try await RuleIssue.set(changes, of: whose.child, at: node.open(), options: options)
  }
}

/// The `latchkey limit remove` subcommand.
struct LimitRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the limits, by day and by week.",
    discussion: "Example: latchkey limit remove --child Emma --category reward")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuledChildOptions
  @OptionGroup var options: RuleOptions

  @Option(help: ArgumentHelp("Those for applications of this category.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  func run() async throws {
    let keys = category.map { ["category/\($0.rawValue)/limit", "category/\($0.rawValue)/weekly"] }
    try await RuleIssue.set(
      (keys ?? ["limits/daily", "limits/weekly"]).map { .init($0, nil) }, of: whose.child, at: node.open(),
      options: options)
  }
}

/// Times of limits as people write them.
enum LimitTime {
  /// Returns the minutes of a limit a day; throws `ValidationError` for a time that is longer than the day.
  @Sendable static func daily(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (0...1_440).contains(minutes) else {
      throw ValidationError("A limit a day is 0 to 24 hours, such as 2h or 1h30m.")
    }
    return minutes
  }

  /// Returns the minutes of a lock; throws `ValidationError` for none and for more than 31 days.
  @Sendable static func lock(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...44_640).contains(minutes) else {
      throw ValidationError(
        "A lock is for 1 minute to 31 days, such as 1h; without --for it holds until `latchkey unlock`.")
    }
    return minutes
  }

  /// Returns the minutes of a limit a week; throws `ValidationError` for a time that is longer than the week.
  @Sendable static func weekly(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (0...10_080).contains(minutes) else {
      throw ValidationError("A limit a week is 0 to 168 hours, such as 10h.")
    }
    return minutes
  }
}
