import ArgumentParser
import LatchkeyModel

/// `latchkey pair list`
struct PairListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pairings that are open here, without their codes.",
    discussion: "Example: latchkey pair list")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = CommandEnvironment.current.console
    let pairings = try await node.open().pairings()
    switch listing.format {
    case .json: try console.write(JSONText.pretty(pairings))
    case .table:
      let rows = pairings.map { pairing in
        [
          pairing.pairingID, pairing.phase.rawValue,
          pairing.expiresInMilliseconds.map { ShownText.duration($0) } ?? "–",
          pairing.failuresLeft.map(String.init) ?? "–", pairing.peerName?.text ?? "–",
        ]
      }
      try console.write(
        TableText.render(
          ["ID", "Phase", "Good for", "Failures left", "Other machine"], numbers: [3], rows: rows,
          empty: "No pairing is open."))
    }
  }
}
