import ArgumentParser

/// The command `latchkey message`.
struct MessageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message", abstract: "Show a text on a child's machine.",
    discussion: "Example: latchkey message send \"Dinner is ready\" --on \"Emma's PC\"",
    subcommands: [MessageSendCommand.self])
}
