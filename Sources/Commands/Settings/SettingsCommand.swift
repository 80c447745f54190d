import ArgumentParser

/// The command `latchkey settings`.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "The rules of the whole family.", discussion: "Example: latchkey settings show",
    subcommands: [SettingsShowCommand.self, SettingsSetCommand.self])
}
