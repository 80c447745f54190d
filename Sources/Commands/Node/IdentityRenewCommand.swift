import ArgumentParser

/// The command `latchkey identity renew`.
struct IdentityRenewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Give this machine new keys, because its folder is a copy.",
    discussion: """
      All pairings of this folder are dropped and their keys erased, so it has to be paired again; what was recorded \
      stays. The machine that the copy was made from is not touched.

      Example: latchkey identity renew
      """)

  @OptionGroup var node: NodeOptions

  func run() async throws {
    let environment = CommandEnvironment.current
    let renewed = try await environment.renewIdentity(node.stateFolder)
    try environment.console.write("\(renewed.deviceID)\n")
    environment.console.note(
      "\(ShownText.quoted(renewed.name)) has new keys and is paired with nobody. Next: leave `latchkey run` running here, and "
        + "pair it again with `latchkey pair`.")
  }
}
