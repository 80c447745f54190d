import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey pair cancel` subcommand.
struct PairCancelSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Close a code, or every open one.",
    discussion: "Example: latchkey pair cancel")

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
