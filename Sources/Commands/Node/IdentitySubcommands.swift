import ArgumentParser

/// The `latchkey identity` subcommand.
struct IdentitySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Decide about a state folder that comes from another machine.",
    discussion: """
      A state folder holds a machine's keys, and two machines with one key cannot be told apart. A node therefore refuses \
      to start from a folder of another machine until one of these has been run; stop the node first.

      Example: latchkey identity renew
      """, subcommands: [IdentityKeepSubcommand.self, IdentityRenewSubcommand.self])
}

/// The `latchkey identity keep` subcommand.
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
    let environment = TerminalEnvironment.current
    let name = try environment.keepIdentity(node.stateFolder)
    environment.console.note(
      "\(ShownText.quoted(name)) stays what it is, on this machine alone. Next: leave `latchkey run` running here.")
  }
}

/// The `latchkey identity renew` subcommand.
struct IdentityRenewSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Give this machine new keys, because its folder is a copy.",
    discussion: """
      All pairings of this folder are dropped and their keys erased, so it has to be paired again; what was recorded \
      stays. The machine that the copy was made from is not touched.

      Example: latchkey identity renew
      """)

  @OptionGroup var node: NodeOptions

  @Flag(help: "Write the new device ID first.")
  var verbose = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let renewed = try await environment.renewIdentity(node.stateFolder)
    if verbose { try environment.console.write("\(renewed.deviceID)\n") }
    environment.console.note(
      "\(ShownText.quoted(renewed.name)) has new keys and is paired with no machine. Next: leave `latchkey run` running "
        + "here, and pair it again with `latchkey pair`.")
  }
}
