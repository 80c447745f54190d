import ArgumentParser
import LatchkeyModel

/// The command `latchkey app remove`.
struct AppRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Forget an application's rules on a child's machine.",
    discussion: "Example: latchkey app remove org.gnome.Chess --on \"Emma's PC\"")

  @OptionGroup var node: NodeOptions
  @OptionGroup var waiting: IssueOptions

  @Argument(help: ArgumentHelp("The application's ID.", valueName: "app-id"), transform: AppArgument.read)
  var app: AppID

  @Option(help: ArgumentHelp("The child's machine.", valueName: "device"))
  var on: String

  func run() async throws {
    try await CommandIssue.give(.removeApp(appID: app.text), on: on, node: node, wait: waiting)
  }
}
