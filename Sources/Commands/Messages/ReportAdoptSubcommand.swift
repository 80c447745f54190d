import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey report adopt` subcommand.
struct ReportAdoptSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Take over what was set here and is lost, as a child's machine holds it.",
    discussion: """
      For a parent's machine that was restored from a backup and has lost what was set since. `latchkey status` says what \
      the child's machine holds of it. Look at it first: it is that machine's word.

      Example: latchkey report adopt --on "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    help: ArgumentHelp("The child's machine, or the child.", valueName: "machine"), completion: CompletionNames.devices)
  var on: String

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let adopted = try await node.open().ask(Endpoints.adoptRules, on)
    if listing.format == .json { return try console.write(JSONText.pretty(adopted)) }
    let things = adopted.map { ShownText.safe($0.words) }
    console.note(
      things.isEmpty
        ? "There is nothing to take over: that machine holds nothing that this one has lost."
        : "Set again as that machine holds it: \(things.joined(separator: ", ")).")
  }
}
