import ArgumentParser
import LatchkeyControl
import LatchkeyModel

/// The `latchkey init` subcommand.
struct InitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set up Latchkey on this machine.",
    discussion: """
      Run this once on each machine. A parent's machine sets rules and shows what was used; a child's machine holds the rules and \
      reports what was used.

      Example: latchkey init --role child --name "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("The role of this machine.", valueName: "parent|child"))
  var role: DeviceRole

  @Option(help: "A name for this machine, up to 64 bytes of UTF-8.")
  var name: String

  @OptionGroup var owners: OwnerOptions

  @Flag(help: "Write the new device ID to standard output.")
  var verbose = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let name = try DeviceName(name)
    let id = try await environment.initialise(node.stateFolder, role, name.text, owners.read(role))
    if verbose { try environment.console.write("\(id)\n") }
    environment.console.note(
      "\(ShownText.quoted(name)) is set up as a \(role.rawValue)'s machine, with its state in \(node.stateFolder). "
        + (node.stateFolder == SystemNode.stateFolder
          ? "Next: start it with `sudo systemctl start latchkey-agent latchkey`; it also starts with the machine."
          : "Next: start `latchkey run` here and leave it running."))
  }
}
