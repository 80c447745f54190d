import ArgumentParser
import Foundation
import LatchkeyHousehold
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
    let settings = try await interface.settings()
    switch listing.format {
    case .json: try console.write(JSONText.pretty(settings))
    case .table:
      let status = try await interface.status()
      let names = try await DeviceNames(of: interface)
      let author = settings.modified.author
      try console.write(Self.page(settings, by: author == status.deviceID ? "this machine" : names[author]))
      if settings.modified == .never { console.note(Self.defaults(status)) }
      for sentence in DiscrepancyText.sentences(try await interface.devices(), ofApplications: false) {
        console.note(sentence)
      }
    }
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

  static func page(_ settings: FamilySettings, by author: String) -> String {
    FieldsText.render([
      ("default rate", "\(PointsText.counted(settings.defaultMilliPointsPerMinute)) a minute"),
      ("one point buys", ShownText.count(settings.minutesPerPoint, "minute")),
      ("shortest session", ShownText.count(settings.minimumSessionMinutes, "minute")),
      ("reward a day", settings.dailyRewardLimitMinutes.map { "at most \(SpanText.minutes($0))" } ?? "no limit"),
      ("reward a week", settings.weeklyRewardLimitMinutes.map { "at most \(SpanText.minutes($0))" } ?? "no limit"),
      ("day starts at", "\(settings.dayStartHour < 10 ? "0" : "")\(settings.dayStartHour):00 in \(settings.zone)"),
      (
        "set",
        settings.modified == .never
          ? "never"
          : "\(TimeText.short(settings.modified.wall, zone: TerminalEnvironment.current.timeZone)) by \(author)"
      ),
    ])
  }
}

/// The `latchkey settings set` subcommand.
struct SettingsSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the family's rules on a child's machine; what is left out stays as it is.",
    discussion: "Example: latchkey settings set --on Emma --daily-reward-limit 1h30m --zone Europe/Berlin")

  @OptionGroup var node: NodeOptions
  @OptionGroup var issuing: IssueOptions

  @Option(
    help: ArgumentHelp("The child's machine, or the child.", valueName: "machine"), completion: CompletionNames.devices)
  var on: String

  @Option(
    help: ArgumentHelp("For applications without a rate of their own.", valueName: "points"),
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
    guard isChange else {
      throw ValidationError("Nothing is to be changed: give at least one option besides --on.")
    }
    if let fault = changed(FamilySettings()).fault { throw ValidationError(fault) }
    if let zone, TimeZone(identifier: zone) == nil {
      throw ValidationError("There is no such zone: use an IANA name, such as Europe/Berlin.")
    }
  }

  private var isChange: Bool {
    defaultPointsPerMinute != nil || minutesPerPoint != nil || minimumSession != nil || dailyRewardLimit != nil
      || weeklyRewardLimit != nil || dayStart != nil || zone != nil
  }

  private func changed(_ present: FamilySettings) -> FamilySettings {
    var settings = present
    if let defaultPointsPerMinute { settings.defaultMilliPointsPerMinute = defaultPointsPerMinute }
    if let minutesPerPoint { settings.minutesPerPoint = minutesPerPoint }
    if let minimumSession { settings.minimumSessionMinutes = minimumSession }
    if let dailyRewardLimit { settings.dailyRewardLimitMinutes = dailyRewardLimit.value }
    if let weeklyRewardLimit { settings.weeklyRewardLimitMinutes = weeklyRewardLimit.value }
    if let dayStart { settings.dayStartHour = dayStart }
    if let zone { settings.zone = zone }
    return settings
  }

  func run() async throws {
    let interface = try await node.open()
    let settings = changed(try await interface.settings())
    try await CommandIssue.give(.setFamilySettings(settings), on: on, at: interface, options: issuing)
  }
}
