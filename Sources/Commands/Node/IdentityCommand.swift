import ArgumentParser

/// The command `latchkey identity`.
struct IdentityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Decide about a state folder that comes from another machine.",
    discussion: """
      A state folder holds a machine's keys, and two machines with one key cannot be told apart. A node therefore refuses \
      to start from a folder of another machine until one of these has been run; stop the node first.

      Example: latchkey identity renew
      """,
    subcommands: [IdentityKeepCommand.self, IdentityRenewCommand.self])
}
