import ArgumentParser

/// Measures Latchkey with real processes; build it for release.
@main
struct LatchkeyBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey-bench", abstract: "Measure Latchkey with real processes.",
    discussion: "Build for release: swift run -c release latchkey-bench relay --messages 100000 --size 200",
    subcommands: [RelayCommand.self, PairCommand.self, WorkerCommand.self])
}
