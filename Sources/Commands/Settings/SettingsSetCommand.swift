import ArgumentParser
import Foundation
import LatchkeyModel

/// The command `latchkey settings set`.
struct SettingsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the family's rules on a child's machine; what is left out stays as it is.",
    discussion: "Example: latchkey settings set --on \"Emma's PC\" --minutes-per-point 2 --zone Europe/Berlin")

  @OptionGroup var node: NodeOptions
  @OptionGroup var waiting: IssueOptions

  @Option(help: ArgumentHelp("The child's machine.", valueName: "device"))
  var on: String

  @Option(
    help: ArgumentHelp("For applications without a rate of their own.", valueName: "points"),
    transform: Self.readPoints)
  var defaultPointsPerMinute: Int64?

  @Option(help: ArgumentHelp("What one point buys.", valueName: "minutes"))
  var minutesPerPoint: Int?

  @Option(help: ArgumentHelp("Shorter sessions earn nothing.", valueName: "minutes"))
  var minimumSession: Int?

  @Option(help: ArgumentHelp("Reward a day.", valueName: "minutes|none"))
  var dailyRewardLimit: DailyLimit?

  @Option(
    help: ArgumentHelp("Reward a week, 0 to 10,080.", valueName: "minutes|none"), transform: Self.readWeeklyLimit)
  var weeklyRewardLimit: Int?

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
    switch dailyRewardLimit {
    case .minutes(let minutes)?: settings.dailyRewardLimitMinutes = minutes
    case DailyLimit.none?: settings.dailyRewardLimitMinutes = nil
    case nil: break
    }
    if let weeklyRewardLimit { settings.weeklyRewardLimitMinutes = weeklyRewardLimit < 0 ? nil : weeklyRewardLimit }
    if let dayStart { settings.dayStartHour = dayStart }
    if let zone { settings.zone = zone }
    return settings
  }

  func run() async throws {
    let settings = changed(try await node.open().settings())
    try await CommandIssue.give(.setFamilySettings(settings), on: on, node: node, wait: waiting)
  }

  @Sendable private static func readPoints(_ text: String) throws -> Int64 {
    guard let points = PointsText.milliPoints(text) else {
      throw ValidationError(
        "Points a minute are a number from 0 to 1,000,000 with at most three decimal places, such as 2 or 0.5.")
    }
    return points
  }

  /// Minutes, or a negative number for none.
  @Sendable private static func readWeeklyLimit(_ text: String) throws -> Int {
    if text.lowercased() == "none" { return -1 }
    guard let minutes = Int(text), (0...10_080).contains(minutes) else {
      throw ValidationError("The weekly limit is 0 to 10,080 minutes, or none.")
    }
    return minutes
  }
}
