import ArgumentParser

/// The command `latchkey devices`.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "The machines paired with this one.",
    discussion: """
      A machine is named by its name, its device ID, or the beginning of its ID.

      Example: latchkey devices list
      """,
    subcommands: [
      DevicesListCommand.self, DevicesShowCommand.self, DevicesUnpairCommand.self, DevicesForgetCommand.self,
      DevicesReleaseCommand.self,
    ])
}
