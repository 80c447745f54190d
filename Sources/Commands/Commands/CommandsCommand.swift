import ArgumentParser

/// The command `latchkey commands`.
struct CommandsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commands", abstract: "What was asked of the children's machines, and how far it has come.",
    discussion: """
      A command is named by its ID or a beginning of it that fits no other.

      Example: latchkey commands list --limit 10
      """,
    subcommands: [
      CommandsListCommand.self, CommandsShowCommand.self, CommandsWaitCommand.self, CommandsCancelCommand.self,
    ])
}
