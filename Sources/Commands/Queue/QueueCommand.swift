import ArgumentParser

/// The command `latchkey queue`.
struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Look into what waits for the other machines.",
    discussion: "Example: latchkey queue list",
    subcommands: [QueueListCommand.self, QueueShowCommand.self, QueueRetryCommand.self],
    defaultSubcommand: QueueListCommand.self)
}
