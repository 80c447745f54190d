import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode

struct RunSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run Latchkey on this machine until told to stop.",
    discussion: """
      Finds the family's other machines, exchanges what waits, and serves the other commands. It stays in the \
      foreground and logs to standard error; Ctrl-C or SIGTERM ends it cleanly.

      Example: latchkey run --log-format json
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("Use these network interfaces alone, separated by commas.", valueName: "names"))
  var interfaces: InterfaceNames?

  @Option(
    parsing: .singleValue, help: ArgumentHelp("Try this machine as well; may be given again.", valueName: "host:port"))
  var peer: [SocketEndpoint] = []

  @Option(help: "Listen on this TCP port; 0 takes any free one.")
  var port: UInt16 = 0

  @Option(
    help: ArgumentHelp(
      "Log from this level on; info when not given.", valueName: "trace|debug|info|notice|warning|error|critical"),
    transform: Self.readLevel)
  var logLevel = "info"

  @Option(help: ArgumentHelp("How log lines look.", valueName: "text|json"))
  var logFormat: LogFormat = .text

  @Option(
    help: ArgumentHelp(
      "Let at most this many items of one class wait for one machine; 1,000,000 when not given.", valueName: "number"))
  var queueItems: Int64?

  @Option(
    help: ArgumentHelp(
      "Let at most this many MB of one class wait for one machine; 1,024 when not given.", valueName: "MB"))
  var queueMegabytes: Int64?

  @Flag(help: "Do not look for machines on the network, and do not announce this one.")
  var noDiscovery = false

  @Flag(help: "On a child's machine, only record and show rules, and close no programs.")
  var noAgent = false

  mutating func validate() throws {
    if let queueItems, !(16...10_000_000).contains(queueItems) {
      throw ValidationError("The number of items that may wait must be 16 to 10,000,000.")
    }
    if let queueMegabytes, !(1...65_536).contains(queueMegabytes) {
      throw ValidationError("The size of what may wait must be 1 to 65,536 MB.")
    }
  }

  func run() async throws {
    try await TerminalEnvironment.current.runNode(
      NodeConfiguration(
        stateFolder: node.stateFolder, port: port, interfaces: interfaces?.names, peers: peer.map(\.description),
        discovers: !noDiscovery,
        caps: QueueCaps(
          items: queueItems ?? Limits.queueItems, bytes: queueMegabytes.map { $0 << 20 } ?? Limits.queueBytes),
        agent: noAgent ? .none : Self.agent(ofNodeIn: node.stateFolder), logLevel: logLevel, logFormat: logFormat))
  }

  /// Returns the agent of a node that enforces rules: the system's, or the program beside this one.
  private static func agent(ofNodeIn stateFolder: String) -> AgentChoice {
    if stateFolder == SystemNode.stateFolder { return .system }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/latchkey"
    return .own(
      program: URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("latchkey-agent").path)
  }

  @Sendable private static func readLevel(_ text: String) throws -> String {
    guard NodeConfiguration.logLevels.contains(text) else {
      throw ValidationError(
        "There is no such log level: take one of \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
    return text
  }
}
