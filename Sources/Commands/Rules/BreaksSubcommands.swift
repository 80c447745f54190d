import ArgumentParser
import LatchkeyModel
import LatchkeyRules

/// The `latchkey breaks` subcommand.
struct BreaksSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "breaks", abstract: "Give a child breaks from the screen.",
    discussion: "Example: latchkey breaks set --child Emma --after 45m --for 10m",
    subcommands: [BreaksSetSubcommand.self, BreaksRemoveSubcommand.self])
}

/// The `latchkey breaks set` subcommand.
struct BreaksSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set when a break is due, and how long it is.",
    discussion: """
      In a break nothing is allowed but what is always allowed. It begins after so much screen time without a pause of its \
      length, on all of the child's machines. A pause that the child takes earlier counts: the screen is locked, or the child \
      has logged out. So does one in which nobody touches the machine for longer than \
      `latchkey settings set --screen-grace` says.

      Where screen time is the time of programs alone, a pause within a program that stays open is not seen.

      Example: latchkey breaks set --child Emma --after 45m --for 10m
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The screen time before a break, such as 45m.", valueName: "time"),
    transform: minutes)
  var after: Int64

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("How long a break is, such as 10m.", valueName: "time"), transform: minutes)
  var length: Int64

  func run() async throws {
    let interface = try await node.open()
    let breaks = try ChildRule.breaks.argument("\(after) \(length)")
    try await RuleIssue.set(
      RuleRequest([ChildRule.breaks.key.change(ChildRule.breaks.text(breaks))]), of: whose.owner, at: interface,
      options: options)
  }

  mutating func validate() throws { _ = try ChildRule.breaks.argument("\(after) \(length)") }

  private static let minutes: @Sendable (String) throws -> Int64 = { text in
    guard let minutes = SpanReader.minutes(text) else {
      throw ValidationError("“\(text)” is no time: give one such as 45m or 1h30m.")
    }
    return Int64(minutes)
  }
}

/// The `latchkey breaks remove` subcommand.
struct BreaksRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the breaks.",
    discussion: "Example: latchkey breaks remove --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  func run() async throws {
    try await RuleIssue.set(
      RuleRequest([ChildRule.breaks.key.change(nil)]), of: whose.owner, at: try await node.open(), options: options)
  }
}
