import ArgumentParser
import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode

/// The `latchkey run` subcommand.
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
        agent: noAgent ? .none : LocalNode.agent(ofNodeIn: node.stateFolder), logLevel: logLevel, logFormat: logFormat))
  }

  @Sendable private static func readLevel(_ text: String) throws -> String {
    guard NodeConfiguration.logLevels.contains(text) else {
      throw ValidationError(
        "There is no such log level: take one of \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
    return text
  }
}

/// The operations of the command line on a node in its own process, such as creating and running
/// one.
///
/// They throw `NodeStartupError`, whose sentence says what to do.
enum LocalNode {
  /// Makes every file that this process creates from now on accessible to its user only.
  private static func makePrivate() { umask(0o077) }

  /// Returns the path of the state folder of the node that a command talks to: the given one, else
  /// `LATCHKEY_STATE_DIR`, else that of the system's node if it has a socket, else the XDG state
  /// folder.
  ///
  /// - Parameters:
  ///   - explicit: The value of `--state-dir`, if it was given.
  ///   - environment: The environment variables of the process.
  /// - Returns: The path, whether or not the folder exists.
  static func nodeFolder(explicit: String?, environment: [String: String]) -> String {
    let isNamed = explicit?.isEmpty == false || environment["LATCHKEY_STATE_DIR"]?.isEmpty == false
    return !isNamed && SystemNode.isThere
      ? SystemNode.stateFolder : StateFolder.resolve(explicit: explicit, environment: environment).path
  }

  /// Creates a state folder with keys and an empty database; `tell` receives sentences for the
  /// person.
  static func initialise(
    path: String, role: DeviceRole, name: String, accounts: StatedAccounts?, tell: (String) -> Void
  ) async throws(NodeStartupError) -> DeviceID {
    makePrivate()
    return try await NodeFolder.initialise(
      StateFolder(path: path), role: role, name: name, accounts: accounts, tell: tell)
  }

  /// Declares that this machine replaces the one that a state folder comes from, and returns the
  /// node's name.
  static func keepIdentity(path: String) throws(NodeStartupError) -> DeviceName {
    makePrivate()
    return try NodeIdentity.keep(StateFolder(path: path))
  }

  /// Gives a copied state folder new keys, and returns the node's name and new ID.
  static func renewIdentity(path: String) async throws(NodeStartupError) -> (name: DeviceName, deviceID: DeviceID) {
    makePrivate()
    return try await NodeIdentity.renew(StateFolder(path: path))
  }

  /// Runs a node with its local API until it is told to stop.
  static func run(_ configuration: NodeConfiguration) async throws(NodeStartupError) {
    makePrivate()
    try await runNode(configuration)
  }

  /// Returns the agent of a node that enforces rules: the system's, or the program beside this one.
  static func agent(ofNodeIn stateFolder: String) -> AgentChoice {
    if stateFolder == SystemNode.stateFolder { return .system }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/latchkey"
    return .own(
      program: URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("latchkey-agent").path)
  }
}
