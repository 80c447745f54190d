import ArgumentParser

/// The command `latchkey apps`.
struct AppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "The applications that have rules.", discussion: "Example: latchkey apps list",
    subcommands: [AppsListCommand.self])
}
