import ArgumentParser

/// `latchkey pair`
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Bring a machine into the family.",
    discussion: """
      The parent's machine shows a code, the other machine enters it; it can be sent as text or read aloud.

      Example: latchkey pair invite, then on the other machine: latchkey pair join
      """,
    subcommands: [PairInviteCommand.self, PairJoinCommand.self, PairListCommand.self, PairCancelCommand.self])
}
