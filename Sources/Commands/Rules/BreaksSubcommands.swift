import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The `latchkey breaks` subcommand.
struct BreaksSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "breaks", abstract: "Give a child breaks from the screen.",
    discussion: "Example: latchkey breaks set --child Emma --after 45m --for 10m",
    subcommands: [BreaksShowSubcommand.self, BreaksSetSubcommand.self, BreaksRemoveSubcommand.self],
    defaultSubcommand: BreaksShowSubcommand.self)
}

/// The `latchkey breaks show` subcommand.
struct BreaksShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show when a break is due.", discussion: "Example: latchkey breaks --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let owners = try await whose.owner.all(at: try await node.open())
    let found = owners.flatMap { rules in
      (rules.rules + rules.family).filter { $0.key == ChildRule.breaks.key.registerKey && $0.notInForce == nil }
        .map { (child: $0.isFamilys ? nil : rules.child?.name, breaks: $0) }
    }
    let console = TerminalEnvironment.current.console
    if listing.format == .json {
      return try console.write(JSONText.pretty(found.map { ListedRules($0.child, [$0.breaks]) }))
    }
    if found.isEmpty {
      let whom = owners[0].child.map { " --child \(ShellWord.person($0.name.text))" } ?? " --family"
      try console.say(
        "No breaks are set for \(owners.count > 1 ? "anybody" : owners[0].whomLowercased). A parent sets them with `latchkey "
          + "breaks set\(whom) --after 45m --for 10m`.")
    }
    for (child, breaks) in found {
      try console.say("\(child.map { ShownText.safe($0.text) } ?? "The family"): \(breaks.words).")
    }
  }
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
    transform: minutes(
      Breaks.afterMinutes, "A break comes after 1 to 1,440 minutes of screen time: give --after a time such as 45m."))
  var after: Int64

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("How long a break is, such as 10m.", valueName: "time"),
    transform: minutes(Breaks.lengthMinutes, "A break is 1 to 240 minutes long: give --for a time such as 10m."))
  var length: Int64

  func run() async throws {
    let interface = try await node.open()
    let breaks = try ChildRule.breaks.argument("\(after) \(length)")
    try await RuleIssue.set(
      RuleRequest([ChildRule.breaks.key.change(ChildRule.breaks.text(breaks))]), of: whose.owner, at: interface,
      options: options)
  }

  /// Returns what reads an argument, and throws `ValidationError` for a time out of a range.
  private static func minutes(_ range: ClosedRange<Int64>, _ fault: String) -> @Sendable (String) throws -> Int64 {
    { text in
      guard text.lowercased() != "none" else {
        throw ValidationError("`latchkey breaks remove` removes the breaks: type that in place of none.")
      }
      guard let minutes = SpanReader.minutes(text), range.contains(Int64(minutes)) else { throw ValidationError(fault) }
      return Int64(minutes)
    }
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
