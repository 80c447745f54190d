import ArgumentParser

/// The command `latchkey report request`.
struct ReportRequestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Ask for a report; `latchkey commands show` has it once it is in.",
    discussion: "Example: latchkey report request --on \"Emma's PC\" --wait")

  @OptionGroup var node: NodeOptions
  @OptionGroup var waiting: IssueOptions

  @Option(help: ArgumentHelp("The child's machine.", valueName: "device"))
  var on: String

  func run() async throws {
    try await CommandIssue.give(.requestReport, on: on, node: node, wait: waiting)
  }
}
