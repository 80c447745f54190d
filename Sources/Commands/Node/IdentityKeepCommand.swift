import ArgumentParser

/// The command `latchkey identity keep`.
struct IdentityKeepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "This machine takes the place of the one that the folder comes from.",
    discussion: """
      For a disk that was moved, or a machine restored from its backup. The other machine must not be used with these keys \
      any more.

      Example: latchkey identity keep
      """)

  @OptionGroup var node: NodeOptions

  func run() async throws {
    let environment = CommandEnvironment.current
    let name = try environment.keepIdentity(node.stateFolder)
    environment.console.note(
      "\(ShownText.quoted(name)) stays what it is, on this machine alone. Next: leave `latchkey run` running here.")
  }
}
