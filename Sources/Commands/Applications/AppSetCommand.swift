import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel

/// The command `latchkey app set`.
struct AppSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set an application's rules; what is left out stays as it is.",
    discussion: """
      The command is stored here at once and reaches the child's machine as soon as the two meet. This version records \
      and shows rules there; it does not yet close applications.

      Example: latchkey app set org.gnome.Chess --on "Emma's PC" --category reward --points-per-minute 2 --blocked
      """)

  /// `--blocked` and `--unblocked`.
  enum Blocking: String, EnumerableFlag {
    case blocked
    case unblocked

    static func help(for value: Blocking) -> ArgumentHelp? {
      value == .blocked ? "It may not be used." : "It may be used."
    }
  }

  /// `--enabled` and `--disabled`.
  enum Enabling: String, EnumerableFlag {
    case enabled
    case disabled

    static func help(for value: Enabling) -> ArgumentHelp? {
      value == .enabled ? "Its rules count." : "Its rules are kept and do not count."
    }
  }

  @OptionGroup var node: NodeOptions
  @OptionGroup var waiting: IssueOptions

  @Argument(
    help: ArgumentHelp("The application's desktop or Flatpak ID.", valueName: "app-id"), transform: AppArgument.read)
  var app: AppID

  @Option(help: ArgumentHelp("The child's machine.", valueName: "device"))
  var on: String

  @Option(help: ArgumentHelp("What using it does to points.", valueName: "learning|reward|neutral"))
  var category: CategoryArgument?

  @Option(
    help: ArgumentHelp("Points earned or paid a minute, up to three decimal places.", valueName: "points"),
    transform: Self.readPoints)
  var pointsPerMinute: Int64?

  @Flag(exclusivity: .exclusive)
  var blocking: Blocking?

  @Flag(exclusivity: .exclusive)
  var enabling: Enabling?

  @Option(help: ArgumentHelp("Minutes a day, 0 to 1,440, or none.", valueName: "minutes|none"))
  var dailyLimit: DailyLimit?

  @Option(help: ArgumentHelp("The name that people read.", valueName: "display-name"))
  var name: String?

  mutating func validate() throws {
    if let fault = name.flatMap({ TextRule.displayName.fault(in: $0) }) { throw ValidationError(fault) }
  }

  func run() async throws {
    let change = AppChange(
      appID: app.text, displayName: name, category: category?.category, milliPointsPerMinute: pointsPerMinute,
      isEnabled: enabling.map { $0 == .enabled }, isBlocked: blocking.map { $0 == .blocked },
      dailyLimitMinutes: dailyLimit?.requested)
    try await CommandIssue.give(.setApp(change), on: on, node: node, wait: waiting)
  }

  @Sendable private static func readPoints(_ text: String) throws -> Int64 {
    guard let points = PointsText.milliPoints(text) else {
      throw ValidationError(
        "Points a minute are a number from 0 to 1,000,000 with at most three decimal places, such as 2 or 0.5.")
    }
    return points
  }
}
