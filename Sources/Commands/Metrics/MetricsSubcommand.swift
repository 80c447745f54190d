import ArgumentParser
import LatchkeyNode

/// The `latchkey metrics` subcommand.
struct MetricsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Write the node's metrics for Prometheus.",
    discussion: """
      Writes the text format of version 0.0.4, for the folder of node-exporter's textfile collector: write another file there \
      first and rename it, so that no half of it is read. `GET /v1/metrics` on the node's socket answers with the same text.

      A device is named by the beginning of its ID, and no person is.

      Example: latchkey metrics
      Example: latchkey metrics >latchkey.new && mv latchkey.new latchkey.prom
      Example: latchkey metrics | promtool check metrics
      """)

  @OptionGroup var node: NodeOptions

  func run() async throws {
    try TerminalEnvironment.current.console.write(try await node.open().ask(Endpoints.getMetrics))
  }
}
