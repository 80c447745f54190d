import ArgumentParser
import Foundation
import LatchkeyModel

/// The `latchkey settings` subcommand.
struct SettingsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "The rules of the whole family.", discussion: "Example: latchkey settings",
    subcommands: [SettingsShowSubcommand.self, SettingsSetSubcommand.self],
    defaultSubcommand: SettingsShowSubcommand.self)
}

/// The `latchkey settings show` subcommand.
struct SettingsShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the family's rules as this machine has them.",
    discussion: "Example: latchkey settings show --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let interface = try await node.open()
    let rules = try await interface.settings()
    switch listing.format {
    case .json: try console.write(JSONText.pretty(rules))
    case .table:
      try console.write(Self.page(rules.settings))
      if let sentence = Self.setBy(rules.rules) { console.note(sentence) }
      if rules.rules.isEmpty { console.note(Self.defaults(try await interface.status())) }
      for rule in rules.rules {
        if let reason = rule.notInForce { console.note("\(rule.name) is not in force. \(ShownText.safe(reason))") }
      }
      if !rules.untold.isEmpty {
        let names = rules.untold.map { ShownText.safe($0.text) }.joined(separator: ", ")
        console.note("\(names) \(rules.untold.count == 1 ? "has" : "have") not confirmed the last change yet.")
      }
    }
  }

  /// Returns a sentence that says who set the rules and when the last of them was set; `nil` if there are none.
  private static func setBy(_ rules: [RuleListing]) -> String? {
    // The zone that a machine set by itself has no time.
    guard let last = rules.filter({ $0.setAt > 0 }).max(by: { $0.setAt < $1.setAt }) else { return nil }
    let time = TimeText.short(last.setAt, zone: TerminalEnvironment.current.timeZone)
    let others = Set(rules.map(\.setBy)).subtracting([last.setBy]).sorted { $0.text < $1.text }.map(ShownText.quoted)
    return "Last set \(time) by \(ShownText.quoted(last.setBy))"
      + (others.isEmpty ? "." : "; others by \(others.joined(separator: " and ")).")
  }

  /// Returns whose rules these are while nobody has set any.
  private static func defaults(_ status: NodeStatus) -> String {
    if status.role == .parent {
      return "Nobody has set these: they are the defaults. `latchkey settings set --help` shows how to change them."
    }
    let parents = status.peers.filter { $0.device.role == .parent }
    guard let parent = parents.first else {
      return "These are the defaults: no parent's machine is paired with this one yet. `latchkey pair` pairs one."
    }
    let name = parents.count == 1 ? ShownText.quoted(parent.device.name) : "a parent's machine"
    return "These are the defaults: they hold until \(name) sets others."
  }

  static func page(_ settings: FamilySettings) -> String {
    let rates = (settings.learningMilliPointsPerMinute, settings.rewardMilliPointsPerMinute)
    let limit = settings.dailyRewardLimit.map { Int($0).map(SpanText.minutes) ?? $0 }
    let hour = settings.dayStartHour
    return FieldsText.render([
      ("learning earns", "\(PointsText.counted(rates.0)) a minute"),
      ("reward costs", "\(PointsText.counted(rates.1)) a minute"),
      ("one point buys", ShownText.count(settings.minutesPerPoint, "minute")),
      ("shortest session", ShownText.count(settings.minimumSessionMinutes, "minute")),
      ("reward a day", limit.map { "at most \($0)" } ?? "no limit"),
      (
        "reward a week",
        settings.weeklyRewardLimitMinutes.map { "at most \(SpanText.minutes(Int(clamping: $0)))" } ?? "no limit"
      ),
      ("day starts at", "\(hour < 10 ? "0" : "")\(hour):00 in \(settings.zone)"),
    ])
  }
}

/// The `latchkey settings set` subcommand.
struct SettingsSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the family's rules; what is left out stays as it is.",
    discussion: "Example: latchkey settings set --daily-reward-limit 1h30m --zone Europe/Berlin")

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Option(name: .customLong("on"), help: .hidden)
  var machine: String?

  @Option(
    help: ArgumentHelp("For learning and rewards without a rate of their own.", valueName: "points"),
    transform: PointsText.readRate)
  var defaultPointsPerMinute: Int64?

  @Option(help: ArgumentHelp("What one point buys.", valueName: "minutes"))
  var minutesPerPoint: Int?

  @Option(help: ArgumentHelp("Shorter sessions earn nothing.", valueName: "minutes"))
  var minimumSession: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most reward a day, such as 45min or 1h30m.", valueName: "time|none"),
    transform: UseLimit.readDaily)
  var dailyRewardLimit: UseLimit?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most reward a week, such as 5h.", valueName: "time|none"), transform: UseLimit.readWeekly)
  var weeklyRewardLimit: UseLimit?

  @Option(help: ArgumentHelp("When a day begins, 0 to 23.", valueName: "hour"))
  var dayStart: Int?

  @Option(help: ArgumentHelp("The zone that days are in, such as Europe/Berlin.", valueName: "zone"))
  var zone: String?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError("These rules are the whole family's and hold on every machine: leave out --on.")
    }
    guard !changes.isEmpty else { throw ValidationError("Nothing is to be changed: give at least one option.") }
    if let minutesPerPoint, !(1...1_440).contains(minutesPerPoint) {
      throw ValidationError("Minutes per point must be between 1 and 1,440.")
    }
    if let minimumSession, !(0...1_440).contains(minimumSession) {
      throw ValidationError("The minimum session must be 0 to 1,440 minutes.")
    }
    if let dayStart, !(0...23).contains(dayStart) {
      throw ValidationError("The day must start at an hour between 0 and 23.")
    }
    if let zone, TimeZone(identifier: zone) == nil {
      throw ValidationError("There is no such zone: use an IANA name, such as Europe/Berlin.")
    }
  }

  private var changes: [RuleRequest.Change] {
    var changes: [RuleRequest.Change] = []
    if let defaultPointsPerMinute {
      changes += ["learning", "reward"].map { .init("category/\($0)/rate", String(defaultPointsPerMinute)) }
    }
    if let minutesPerPoint { changes.append(.init("points/minutesPerPoint", String(minutesPerPoint))) }
    if let minimumSession { changes.append(.init("points/minimumSession", String(minimumSession))) }
    if let dailyRewardLimit {
      changes.append(.init("category/reward/limit", dailyRewardLimit.value.map { String($0) }))
    }
    if let weeklyRewardLimit {
      changes.append(.init("category/reward/weekly", weeklyRewardLimit.value.map { String($0) }))
    }
    if let dayStart { changes.append(.init("family/dayStart", String(dayStart))) }
    if let zone { changes.append(.init("family/zone", zone)) }
    return changes
  }

  func run() async throws { try await RuleIssue.set(changes, at: node.open(), options: options) }
}
