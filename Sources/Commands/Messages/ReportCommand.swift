import ArgumentParser

/// The command `latchkey report`.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Have a child's machine report its rules as they are.",
    discussion: "Example: latchkey report request --on \"Emma's PC\" --wait",
    subcommands: [ReportRequestCommand.self])
}
