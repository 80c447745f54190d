import ArgumentParser
import LatchkeyModel

/// The `latchkey init` subcommand.
struct InitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set up Latchkey on this machine.",
    discussion: """
      Done once on each machine. A parent's machine sets rules and reads use; a child's machine follows them and reports use.

      Example: latchkey init --role child --name "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("What this machine is.", valueName: "parent|child"))
  var role: DeviceRole

  @Option(help: "What people call this machine, 1 to 64 bytes.")
  var name: String

  @Flag(help: "Write the new device ID first.")
  var verbose = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let name = try DeviceName(name)
    let id = try await environment.initialise(node.stateFolder, role, name.text)
    if verbose { try environment.console.write("\(id)\n") }
    environment.console.note(
      "\(ShownText.quoted(name)) is ready as a \(role.rawValue)'s machine in \(node.stateFolder). "
        + "Next: leave `latchkey run` running here.")
  }
}
