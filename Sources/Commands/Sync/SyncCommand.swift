import ArgumentParser

/// The command `latchkey sync`.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchange what waits, now.",
    discussion: "Example: latchkey sync now --wait", subcommands: [SyncNowCommand.self])
}
