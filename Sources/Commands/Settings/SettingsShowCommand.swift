import ArgumentParser
import Foundation
import LatchkeyModel

/// The command `latchkey settings show`.
struct SettingsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the family's rules as this machine has them.",
    discussion: "Example: latchkey settings show --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = CommandEnvironment.current.console
    let interface = try await node.open()
    let settings = try await interface.settings()
    switch listing.format {
    case .json: try console.write(JSONText.pretty(settings))
    case .table:
      try console.write(Self.page(settings))
      for sentence in DiscrepancyText.sentences(try await interface.devices(), ofApplications: false) {
        console.note(sentence)
      }
    }
  }

  static func page(_ settings: FamilySettings) -> String {
    let rows = [
      ("default rate", "\(PointsText.text(settings.defaultMilliPointsPerMinute)) points a minute"),
      ("one point buys", ShownText.count(settings.minutesPerPoint, "minute")),
      ("shortest session", ShownText.count(settings.minimumSessionMinutes, "minute")),
      ("reward a day", settings.dailyRewardLimitMinutes.map { "at most \($0) min" } ?? "no limit"),
      ("reward a week", settings.weeklyRewardLimitMinutes.map { "at most \($0) min" } ?? "no limit"),
      ("day starts at", "\(settings.dayStartHour < 10 ? "0" : "")\(settings.dayStartHour):00 in \(settings.zone)"),
      ("set", settings.modified == .never ? "never" : TimeText.exact(settings.modified.wall, zone: .current)),
    ]
    return rows.map { name, value in
      name + String(repeating: " ", count: 18 - name.count) + ShownText.safe(value) + "\n"
    }.joined()
  }
}
