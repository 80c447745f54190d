import ArgumentParser

/// Measures Latchkey with real processes; build it for release.
@main
struct LatchkeyBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey-bench", abstract: "Measure Latchkey with real processes.",
    discussion: "Build for release: Tools/benchmark-delivery and its neighbours do so.",
    subcommands: [
      ConformancesCommand.self, DeliveryCommand.self, HouseholdCommand.self, PairCommand.self, WorkerCommand.self,
    ])
}
