import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel

/// The command `latchkey grant`.
struct GrantSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Grant more time for the rest of the day.",
    discussion: """
      Grants add up and end with the family's day; the plan stays as it is. This version only records them on the child's \
      machine; it does not yet close applications.

      Example: latchkey grant Emma 30m
      Example: latchkey grant Emma 1h --category reward --wait
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var issuing: IssueOptions

  @Argument(
    help: ArgumentHelp("The child, or the child's machine.", valueName: "child"), completion: CompletionNames.devices)
  var child: String

  @Argument(help: ArgumentHelp("How much, such as 30m or 1h30m; at most 24h.", valueName: "time"), transform: minutes)
  var time: Int

  @Option(help: ArgumentHelp("Only for this application.", valueName: "application"), completion: CompletionNames.apps)
  var app: String?

  @Option(help: ArgumentHelp("Only for applications of this category.", valueName: "learning|reward|neutral"))
  var category: AppCategory?

  @Option(
    help: ArgumentHelp("Which machine of the child's, if there are several.", valueName: "machine"),
    completion: CompletionNames.devices)
  var on: String?

  @Sendable private static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...1_440).contains(minutes) else {
      throw ValidationError("A grant is for 1 minute to 24 hours, such as 30m or 1h30m.")
    }
    return minutes
  }

  mutating func validate() throws {
    if let app { try AppChoice.check(app) }
    if app != nil, category != nil {
      throw ValidationError("A grant is for an application or a category: give --app or --category, not both.")
    }
  }

  func run() async throws {
    var grant = GrantTime(minutes: time, category: category)
    let interface = try await node.open()
    if let app {
      let known = try await AppChoice.known(on: on ?? child, at: interface)
      guard let match = try AppChoice.match(app, among: known) else {
        throw AppChoice.unknown(app, among: known, on: on ?? child)
      }
      grant.app = match.appID
    }
    try await CommandIssue.give(.grantTime(grant), on: on ?? child, at: interface, options: issuing)
  }
}
