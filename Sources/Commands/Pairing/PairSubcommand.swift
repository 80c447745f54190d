import ArgumentParser
import LatchkeyModel
import LatchkeyNode

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
    ], defaultSubcommand: PairWizardSubcommand.self)
}

struct PairListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pairings that are open here, without their codes.",
    discussion: "Example: latchkey pair list")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let pairings = try await node.open().ask(Endpoints.getPairings)
    if listing.format == .json { return try console.write(JSONText.pretty(pairings)) }
    let rows = pairings.map { pairing in
      [
        pairing.pairingID, pairing.part == .inviter ? "shows the code" : "joins", pairing.phase.rawValue,
        pairing.prefix.map { $0 + "…" } ?? "–", pairing.expiresInMilliseconds.map { ShownText.duration($0) } ?? "–",
        pairing.failuresLeft.map(String.init) ?? "–", pairing.childName ?? "–", pairing.peerName?.text ?? "–",
      ]
    }
    try console.write(
      TableText.render(
        ["ID", "Side", "Phase", "Typed code", "Good for", "Failures left", "For", "Other machine"], numbers: [5],
        rows: rows, empty: "No pairing is open."))
  }
}

struct PairCancelSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Close a code, or every open one.", discussion: "Example: latchkey pair cancel")

  @OptionGroup var node: NodeOptions

  @Argument(help: "The pairing's ID as `latchkey pair list` shows it; every open pairing when left out.")
  var id: String?

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let interface = try await node.open()
    var ids: [String] = []
    if let id {
      ids = [id]
    } else {
      ids = try await interface.ask(Endpoints.getPairings).filter { $0.phase != .ended }.map(\.pairingID)
    }
    for id in ids {
      let ended = try await interface.ask(Endpoints.cancelPairing, id)
      if let outcome = ended.outcome, outcome != .cancelled {
        throw TerminalFailure(
          .data, "This pairing had ended before: \(ShownText.safe(ended.sentence ?? outcome.sentence))")
      }
    }
    console.note(ids.isEmpty ? "No pairing was open." : "Cancelled \(ShownText.count(ids.count, "pairing")).")
  }
}
