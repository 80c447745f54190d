import ArgumentParser
import LatchkeyModel
import LatchkeyRules

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
      At bedtime nothing is allowed but what is always allowed. Times are on the family's clock. With --today or --day the plan \
      stays as it is, and none means no bedtime on that day.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey bedtime set --child Emma 20:00-07:00
      Example: latchkey bedtime set "mon-fri 20:00-07:00, sat-sun 21:00-08:00"
      Example: latchkey bedtime set --child Emma --today 22:00-07:00
      Example: latchkey bedtime set --day 2026-12-23..2027-01-06 --name Christmas 22:00-08:00
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var exception: ExceptionOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: ArgumentHelp("From when to when, for every day or by weekdays; on one day also none.", valueName: "times"))
  var times: String

  mutating func validate() throws {
    let typed = TimesText.typed(times)
    if typed == "none" || UsualMistake.offWords.contains(typed), !exception.isGiven {
      let child = whose.family ? " --family" : whose.child.map { " --child \(ShellWord.person($0))" } ?? ""
      throw ValidationError(
        "A bedtime has a beginning and an end. To have none any more, type `latchkey bedtime remove\(child)`; for none today alone, "
          + "type `latchkey bedtime set\(child) --today none`.")
    }
  }

  func run() async throws {
    try HoursArgument.check(times, inDay: exception.isGiven)
    let interface = try await node.open()
    let days = try await exception.days(of: whose.owner, at: interface)
    let key = days.map(DayRule.bedtime.key(on:)) ?? ChildRule.bedtime.key
    let naming = days.map(exception.options.naming) ?? []
    try await RuleIssue.set(
      RuleRequest([key.change(TimesText.typed(times))] + naming), of: whose.owner, at: interface, options: options)
  }
}

/// The `latchkey bedtime remove` subcommand.
struct BedtimeRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the bedtime.",
    discussion: """
      With --today or --day, the exception for that day is removed, and the plan holds again.

      Example: latchkey bedtime remove --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var exception: ExceptionOptions
  @OptionGroup var options: RuleOptions

  func run() async throws {
    let interface = try await node.open()
    let days = try await exception.days(of: whose.owner, at: interface)
    let key = days.map(DayRule.bedtime.key(on:)) ?? ChildRule.bedtime.key
    try await RuleIssue.set(RuleRequest([key.change(nil)]), of: whose.owner, at: interface, options: options)
  }
}

/// The `latchkey times` subcommand.
struct TimesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "times", abstract: "Set school times and reward times.",
    discussion: """
      In school time only learning is allowed. If reward times are set, rewards are allowed only then. "none" removes a time. \
      Times are on the family's clock. With --today or --day the plan stays as it is: "none" means none on that day, and "plan" \
      as planned again.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey times --child Emma --school "mon-fri 8:00-13:00"
      Example: latchkey times --reward "mon-fri 16:00-18:00, sat-sun 10:00-18:00"
      Example: latchkey times --child Emma --today --school none
      Example: latchkey times --family --day 2026-12-23..2027-01-06 --name Christmas --school none
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var exception: ExceptionOptions
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
    for times in [school, reward] where times?.lowercased() != "plan" || !exception.isGiven {
      try HoursArgument.check(times, inDay: exception.isGiven)
    }
    let interface = try await node.open()
    let days = try await exception.days(of: whose.owner, at: interface)
    var changes = days.map(exception.options.naming) ?? []
    for (plan, day, times) in [
      (ChildRule.school, DayRule.school, school), (ChildRule.rewardTimes, DayRule.rewardTimes, reward),
    ] {
      guard let times = times.map(TimesText.typed) else { continue }
      let removal = exception.isGiven ? "plan" : "none"
      let key = days.map(day.key(on:)) ?? plan.key
      changes.append(key.change(times == removal ? nil : times))
    }
    try await RuleIssue.set(RuleRequest(changes), of: whose.owner, at: interface, options: options)
  }
}
