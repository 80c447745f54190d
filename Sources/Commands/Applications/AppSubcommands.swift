import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel

/// The `latchkey app` subcommand.
struct AppSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Set the rules for an application on a child's machine.",
    discussion: "Example: latchkey app set org.gnome.Chess --on Emma --category reward --points-per-minute 2",
    subcommands: [AppSetSubcommand.self, AppRemoveSubcommand.self])
}

/// The `latchkey app set` subcommand.
struct AppSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set an application's rules; what is left out stays as it is.",
    discussion: """
      The command is stored here at once and reaches the child's machine as soon as the two meet. This version records \
      and shows rules there; it does not yet close applications.

      Example: latchkey app set org.gnome.Chess --on Emma --category reward --points-per-minute 2 --blocked
      Example: latchkey app set org.gnome.Chess --on Emma --daily-limit 1h30m --unblocked --wait
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
  @OptionGroup var issuing: IssueOptions

  @Argument(
    help: ArgumentHelp(
      "The application's desktop or Flatpak ID, or the name of one that has rules there.", valueName: "application"),
    completion: CompletionNames.apps)
  var app: String

  @Option(
    help: ArgumentHelp("The child's machine, or the child.", valueName: "machine"), completion: CompletionNames.devices)
  var on: String

  @Option(help: ArgumentHelp("What using it does to points.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  @Option(
    help: ArgumentHelp("Points earned or paid a minute, up to three decimal places.", valueName: "points"),
    transform: PointsText.readRate)
  var pointsPerMinute: Int64?

  @Flag(exclusivity: .exclusive)
  var blocking: Blocking?

  @Flag(exclusivity: .exclusive)
  var enabling: Enabling?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most use a day, such as 45min, 1h30m or none.", valueName: "time|none"),
    transform: UseLimit.readDaily)
  var dailyLimit: UseLimit?

  @Option(help: ArgumentHelp("The name that people read.", valueName: "display-name"))
  var name: String?

  @Flag(help: "It is a new application, although one with a similar name has rules.")
  var new = false

  mutating func validate() throws {
    try AppChoice.check(app)
    guard
      category != nil || pointsPerMinute != nil || blocking != nil || enabling != nil || dailyLimit != nil
        || name != nil
    else {
      throw ValidationError(
        "Nothing is to be set: give at least one of --category, --points-per-minute, --blocked, --unblocked, --daily-limit, "
          + "--enabled, --disabled and --name.")
    }
    if let fault = name.flatMap({ TextRule.displayName.fault(in: $0) }) { throw ValidationError(fault) }
  }

  func run() async throws {
    let interface = try await node.open()
    let known = try await AppChoice.known(on: on, at: interface)
    let id = try AppChoice.id(app, isNew: new, among: known)
    let change = AppChange(
      appID: id.text, displayName: name, category: category, milliPointsPerMinute: pointsPerMinute,
      isEnabled: enabling.map { $0 == .enabled }, isBlocked: blocking.map { $0 == .blocked },
      dailyLimitMinutes: dailyLimit?.requested)
    try await CommandIssue.give(.setApp(change), on: on, at: interface, options: issuing)
  }
}

/// The `latchkey app remove` subcommand.
struct AppRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Forget an application's rules on a child's machine.",
    discussion: "Example: latchkey app remove org.gnome.Chess --on Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var issuing: IssueOptions

  @Argument(
    help: ArgumentHelp("The application's ID or name.", valueName: "application"), completion: CompletionNames.apps)
  var app: String

  @Option(
    help: ArgumentHelp("The child's machine, or the child.", valueName: "machine"), completion: CompletionNames.devices)
  var on: String

  mutating func validate() throws { try AppChoice.check(app) }

  func run() async throws {
    let interface = try await node.open()
    let known = try await AppChoice.known(on: on, at: interface)
    guard let id = try AppChoice.match(app, among: known)?.appID else {
      throw AppChoice.unknown(app, among: known, on: on)
    }
    try await CommandIssue.give(.removeApp(appID: id.text), on: on, at: interface, options: issuing)
  }
}
