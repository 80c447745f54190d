import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey init` subcommand.
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

  @Option(help: ArgumentHelp("The role of this machine.", valueName: "parent|child"))
  var role: DeviceRole

  @Option(help: "A name for this machine, up to 64 bytes of UTF-8.")
  var name: String

  @Option(help: "On a child's machine, the child whose the accounts are.")
  var child: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("On a child's machine, an account of the child's; may be given again.", valueName: "name"))
  var account: [String] = []

  @Flag(help: "Write the new device ID to standard output.")
  var verbose = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let name = try DeviceName(name)
    let id = try await environment.initialise(node.stateFolder, role, name.text, try accounts(environment))
    if verbose { try environment.console.write("\(id)\n") }
    environment.console.note(
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
