import ArgumentParser
import LatchkeyModel

/// The `latchkey bedtime` subcommand.
struct BedtimeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bedtime", abstract: "Set when a child goes to bed.",
    discussion: "Example: latchkey bedtime set --child Emma 20:00-07:00",
    subcommands: [BedtimeSetSubcommand.self, BedtimeRemoveSubcommand.self])
}

/// The `latchkey bedtime set` subcommand.
struct BedtimeSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a bedtime, in place of the one before.",
    discussion: """
      At bedtime nothing is allowed but what is always allowed. Times are in the family's time zone. This version records \
      bedtimes and shows them on the child's machines; it does not yet close applications.

      Example: latchkey bedtime set --child Emma 20:00-07:00
      Example: latchkey bedtime set "mon-fri 20:00-07:00, sat-sun 21:00-08:00"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuledChildOptions
  @OptionGroup var options: RuleOptions

  @Argument(help: ArgumentHelp("From when to when, for every day or by weekdays.", valueName: "times"))
  var times: String

  func run() async throws {
    try await RuleIssue.set(
      [.init("schedule/bedtime", times)], of: whose.child, at: node.open(), options: options)
  }
}

/// The `latchkey bedtime remove` subcommand.
struct BedtimeRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the bedtime.", discussion: "Example: latchkey bedtime remove --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuledChildOptions
  @OptionGroup var options: RuleOptions

  func run() async throws {
    try await RuleIssue.set(
      [.init("schedule/bedtime", nil)], of: whose.child, at: node.open(), options: options)
  }
}

/// The `latchkey times` subcommand.
struct TimesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "times", abstract: "Set school times and reward times.",
    discussion: """
      In school time only learning is allowed. If reward times are set, rewards are allowed only then. "none" removes a time. \
      Times are in the family's time zone. This version records them and does not yet close applications.

      Example: latchkey times --child Emma --school "mon-fri 8:00-13:00"
      Example: latchkey times --reward "mon-fri 16:00-18:00, sat-sun 10:00-18:00"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuledChildOptions
  @OptionGroup var options: RuleOptions

  @Option(help: ArgumentHelp("When only learning is allowed.", valueName: "times|none"))
  var school: String?

  @Option(help: ArgumentHelp("When rewards are allowed.", valueName: "times|none"))
  var reward: String?

  mutating func validate() throws {
    guard school != nil || reward != nil else {
      throw ValidationError("Give --school or --reward with times, such as \"mon-fri 8:00-13:00\".")
    }
  }

  func run() async throws {
    var changes: [RuleRequest.Change] = []
    if let school { changes.append(.init("schedule/school", school == "none" ? nil : school)) }
    if let reward {
      changes.append(.init("schedule/rewardTimes", reward == "none" ? nil : reward))
    }
    try await RuleIssue.set(changes, of: whose.child, at: node.open(), options: options)
  }
}
