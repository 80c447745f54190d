import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey pair list` subcommand.
struct PairListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pairings that are open here, without their codes.",
    discussion: "Example: latchkey pair list")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let pairings = try await node.open().ask(Endpoints.getPairings)
    switch listing.format {
    case .json: try console.write(JSONText.pretty(pairings))
    case .table:
      let rows = pairings.map { pairing in
        [
          pairing.pairingID, pairing.part == .inviter ? "shows the code" : "joins", pairing.phase.rawValue,
          pairing.prefix.map { $0 + "…" } ?? "–",
          pairing.expiresInMilliseconds.map { ShownText.duration($0) } ?? "–",
          pairing.failuresLeft.map(String.init) ?? "–", pairing.childName ?? "–", pairing.peerName?.text ?? "–",
        ]
      }
      try console.write(
        TableText.render(
          ["ID", "Side", "Phase", "Typed code", "Good for", "Failures left", "For", "Other machine"], numbers: [5],
          rows: rows, empty: "No pairing is open."))
    }
  }
}
