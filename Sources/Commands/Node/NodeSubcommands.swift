import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode

struct InitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set up Latchkey on this machine.",
    discussion: """
      Run this once on each machine. A parent's machine sets rules and shows what was used; a child's machine holds the rules and \
      reports what was used.

      On a child's machine, --child and --account say which accounts are a child's. They are the child's as soon as a parent pairs \
      the machine and says that it is that child's. `latchkey setup` does this and more.

      Example: latchkey init --role child --name "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: .value("parent|child", "The role of this machine.")) var role: DeviceRole
  @Option(help: "A name for this machine, up to 64 bytes of UTF-8.") var name: String
  @Option(help: "On a child's machine, the child whose the accounts are.") var child: String?

  @Option(
    parsing: .singleValue, help: .value("name", "On a child's machine, an account of the child's; may be given again."))
  var account: [String] = []

  @Flag(help: "Write the new device ID to standard output.") var verbose = false

  func run() async throws {
    let name = try DeviceName(name)
    let environment = TerminalEnvironment.current
    let id = try await environment.initialise(node.stateFolder, role, name.text, try accounts(environment))
    if verbose { try console.write("\(id)\n") }
    console.note(
      "\(ShownText.quoted(name)) is set up as a \(role.rawValue)'s machine, with its state in \(node.stateFolder). "
        + (node.stateFolder == SystemNode.stateFolder
          ? "Next: start it with `sudo systemctl start latchkey-agent latchkey`; it also starts with the machine."
          : "Next: start `latchkey run` here and leave it running."))
  }

  /// Returns which accounts are a child's, as far as that was given.
  private func accounts(_ environment: TerminalEnvironment) throws -> StatedAccounts? {
    if child == nil, account.isEmpty { return nil }
    guard role == .child else {
      throw TerminalFailure(.usage, "Accounts are a child's on a child's machine: leave --child and --account out.")
    }
    guard !account.isEmpty else { throw TerminalFailure(.usage, "Name the child's accounts with --account.") }
    return try (environment.setup ?? .live(environment.variables)).stated(child.map { try ChildName.read($0) }, account)
  }
}

enum ChildName {
  /// Throws `DeviceNameError`, or `TerminalFailure` for several names, which commas separate.
  static func read(_ text: String) throws -> DeviceName {
    let name = try DeviceName(text)
    guard !name.text.contains(",") else {
      throw TerminalFailure(
        .usage, "A child's name has no comma, which separates names: give one name with each --child.")
    }
    return name
  }
}

struct IdentitySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Decide about a state folder that comes from another machine.",
    discussion: """
      A state folder holds a machine's keys, and two machines with one key cannot be told apart. A node therefore refuses \
      to start from a folder of another machine until one of these has been run; stop the node first.

      Example: latchkey identity renew
      """, subcommands: [IdentityKeepSubcommand.self, IdentityRenewSubcommand.self])
}

struct IdentityKeepSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Let this machine take the place of the one that the folder comes from.",
    discussion: """
      For a disk that was moved, or a machine restored from its backup. The other machine must not be used with these keys \
      any more.

      Example: latchkey identity keep
      """)

  @OptionGroup var node: NodeOptions

  func run() async throws {
    let name = try TerminalEnvironment.current.keepIdentity(node.stateFolder)
    console.note(
      "\(ShownText.quoted(name)) stays what it is, on this machine alone. Next: leave `latchkey run` running here.")
  }
}

struct IdentityRenewSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Give this machine new keys, because its folder is a copy.",
    discussion: """
      All pairings of this folder are dropped and their keys erased, so it has to be paired again; what was recorded \
      stays. The machine that the copy was made from is not touched.

      Example: latchkey identity renew
      """)

  @OptionGroup var node: NodeOptions

  @Flag(help: "Write the new device ID first.") var verbose = false

  func run() async throws {
    let renewed = try await TerminalEnvironment.current.renewIdentity(node.stateFolder)
    if verbose { try console.write("\(renewed.deviceID)\n") }
    console.note(
      "\(ShownText.quoted(renewed.name)) has new keys and is paired with no machine. Next: leave `latchkey run` running "
        + "here, and pair it again with `latchkey pair`.")
  }
}

struct RunSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run Latchkey on this machine until told to stop.",
    discussion: """
      Finds the family's other machines, exchanges what waits, and serves the other commands. It stays in the \
      foreground and logs to standard error; Ctrl-C or SIGTERM ends it cleanly.

      Example: latchkey run --log-format json
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: .value("names", "Use these network interfaces alone, separated by commas."))
  var interfaces: InterfaceNames?

  @Option(parsing: .singleValue, help: .value("host:port", "Try this machine as well; may be given again."))
  var peer: [SocketEndpoint] = []

  @Option(help: "Listen on this TCP port; 0 takes any free one.") var port: UInt16 = 0

  @Option(
    help: .value("trace|debug|info|notice|warning|error|critical", "Log from this level on; info when not given."),
    transform: Self.readLevel)
  var logLevel = "info"

  @Option(help: .value("text|json", "How log lines look.")) var logFormat: LogFormat = .text

  @Option(
    help: .value("number", "Let at most this many items of one class wait for one machine; 1,000,000 when not given."))
  var queueItems: Int64?

  @Option(help: .value("MB", "Let at most this many MB of one class wait for one machine; 1,024 when not given."))
  var queueMegabytes: Int64?

  @Flag(help: "Do not look for machines on the network, and do not announce this one.") var noDiscovery = false
  @Flag(help: "On a child's machine, only record and show rules, and close no programs.") var noAgent = false

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
