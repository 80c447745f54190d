import ArgumentParser
import LatchkeyModel

/// The command `latchkey message send`.
struct MessageSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Send a text, which `latchkey status` shows there.",
    discussion: "Example: latchkey message send \"Dinner is ready\" --on \"Emma's PC\"")

  @OptionGroup var node: NodeOptions
  @OptionGroup var waiting: IssueOptions

  @Option(help: ArgumentHelp("The child's machine.", valueName: "device"))
  var on: String

  @Argument(help: "The text, 1 to 4,096 bytes.")
  var text: String

  mutating func validate() throws {
    if let fault = TextRule.message.fault(in: text) { throw ValidationError(fault) }
  }

  func run() async throws {
    try await CommandIssue.give(.message(text), on: on, node: node, wait: waiting)
  }
}
