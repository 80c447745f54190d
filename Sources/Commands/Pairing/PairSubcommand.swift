import ArgumentParser

/// The `latchkey pair` subcommand.
struct PairSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Bring a machine into the family.",
    discussion: """
      Run `latchkey pair` on both machines and follow what it says: the parent's shows a code, the other one asks for it. \
      The code can be scanned, pasted, or read aloud and typed. `latchkey pair wizard --help` lists its options. Scripts \
      use `latchkey pair invite --json` and `latchkey pair join --code-stdin`.

      Example: latchkey pair
      """,
    subcommands: [
      PairWizardSubcommand.self, PairInviteSubcommand.self, PairJoinSubcommand.self, PairListSubcommand.self,
      PairCancelSubcommand.self,
    ],
    defaultSubcommand: PairWizardSubcommand.self)
}
