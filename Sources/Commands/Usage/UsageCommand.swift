import ArgumentParser

/// The command `latchkey usage`.
struct UsageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usage", abstract: "Record and look at the use of applications.",
    discussion: "Example: latchkey usage list --from 2026-11-01 --to 2026-11-30",
    subcommands: [UsageTrackCommand.self, UsageListCommand.self, UsageSummaryCommand.self])
}
