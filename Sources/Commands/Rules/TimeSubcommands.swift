import ArgumentParser
import LatchkeyModel
import LatchkeyRules

struct BedtimeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bedtime", abstract: "Set when a child goes to bed.",
    discussion: "Example: latchkey bedtime set --child Emma 20:00-07:00",
    subcommands: [BedtimeSetSubcommand.self, BedtimeRemoveSubcommand.self])
}

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

  @Argument(help: .value("times", "From when to when, for every day or by weekdays; on one day also none."))
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

  @Option(help: .value("times|none", "When only learning is allowed.")) var school: String?
  @Option(help: .value("times|none", "When rewards are allowed.")) var reward: String?

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

struct BreaksSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "breaks", abstract: "Give a child breaks from the screen.",
    discussion: "Example: latchkey breaks set --child Emma --after 45m --for 10m",
    subcommands: [BreaksShowSubcommand.self, BreaksSetSubcommand.self, BreaksRemoveSubcommand.self],
    defaultSubcommand: BreaksShowSubcommand.self)
}

struct BreaksShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show when a break is due.", discussion: "Example: latchkey breaks --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions

  @Option(help: .value("table|json", "How to write it.")) var format: ListingFormat = .table

  func run() async throws {
    let owners = try await whose.owner.all(at: try await node.open())
    let found = owners.flatMap { rules in
      (rules.rules + rules.family).filter { $0.key == ChildRule.breaks.key.registerKey && $0.notInForce == nil }
        .map { (child: $0.isFamilys ? nil : rules.child?.name, breaks: $0) }
    }
    if format == .json {
      return try console.write(JSONText.pretty(found.map { ListedRules(child: $0.child, rules: [$0.breaks]) }))
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

  @OptionGroup var rule: RuleChangeOptions

  @Option(
    parsing: .unconditional, help: .value("time", "The screen time before a break, such as 45m."),
    transform: minutes(
      Breaks.afterMinutes, "A break comes after 1 to 1,440 minutes of screen time: give --after a time such as 45m."))
  var after: Int64

  @Option(
    name: .customLong("for"), parsing: .unconditional, help: .value("time", "How long a break is, such as 10m."),
    transform: minutes(Breaks.lengthMinutes, "A break is 1 to 240 minutes long: give --for a time such as 10m."))
  var length: Int64

  func run() async throws {
    let interface = try await rule.node.open()
    let breaks = try ChildRule.breaks.argument("\(after) \(length)")
    try await rule.set([ChildRule.breaks.key.change(ChildRule.breaks.text(breaks))], at: interface)
  }

  /// Returns a reader of arguments, which throws `ValidationError` for a time out of a range.
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

struct BreaksRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the breaks.", discussion: "Example: latchkey breaks remove --child Emma")

  @OptionGroup var rule: RuleChangeOptions

  func run() async throws { try await rule.set([ChildRule.breaks.key.change(nil)], at: rule.node.open()) }
}

/// Times of the day or of the week as a person types them.
enum HoursArgument {
  /// Throws `ValidationError` for what is neither times nor `none`, before the node is asked.
  static func check(_ times: String?, inDay: Bool = false) throws {
    guard let typed = times.map(TimesText.typed), typed != "none",
      let fault = inDay ? TimesText.fault(inDay: typed) : TimesText.fault(inWeek: typed)
    else { return }
    throw ValidationError(fault.sentence)
  }
}
